# SPDX-License-Identifier: Apache-2.0
"""Constructors of the estimators, made from the table of training options.

``_options.pyi`` describes them to type checkers; tools/make_stubs.py writes it from the same table
when the package is built.
"""
from __future__ import annotations

from typing import ClassVar

from ._estimator import Estimator
from ._parameters import Parameter, Signature

OWN = (
    Parameter("query", "", "str or int", "str | int | None",
              "column of X with the query ids, which is not a feature: a name in a table, an index "
              "in an array. Cross-validation and pipelines of scikit-learn split it with the rows. "
              "Not needed with qid or group, or for data that have queries already"),
    Parameter("objective", "", "callable", "Callable[..., Any] | None",
              "loss of your own, for methods with one output by boosted trees: "
              "objective(labels, scores) or objective(labels, scores, data) returns two arrays, "
              "the first and second derivatives of the loss with respect to the scores, in the "
              "order of the rows. Row weights are in data.weights; apply them there"),
    Parameter("threads", "", "int", "int | None",
              "number of threads; 0 or -1: one per CPU, None: that of gradus.set_threads. It has "
              "no influence on results. Other names: n_jobs"),
    Parameter("device", "", "str", "str | None",
              "'cuda': boosted trees are trained and evaluated on an NVIDIA GPU, with the same "
              "results to the last bit; or the path of a plug-in. Default: the CPU"),
    Parameter("max_memory", "", "int", "int | None",
              "memory limit of training in bytes: training that needs more is refused"),
    Parameter("comm", "", "mpi4py.MPI.Intracomm", "Any",
              "communicator of mpi4py, such as MPI.COMM_WORLD: its processes train together, each "
              "with some of the queries, and all get the model of a single process. They must call "
              "fit with the same data and parameters; boosted trees and linear models only"),
)
CLASSES = Parameter(
    "classes", "", "sequence", "Sequence[Any] | None",
    "the classes from low to high, such as ['bad', 'fair', 'good']; those that do not occur in y "
    "are left out. Default: the order of an ordered Categorical of pandas, else sorted: text "
    "alphabetically, with a warning")
MORE = {
    "metric": ". Or a function: metric(labels, scores) or metric(labels, scores, data) returns a "
              "number, higher is better",
    "transform_": ". Other names: transform",
    "lambda_": ". Written lambda_ because lambda is a keyword of Python",
    "seed": ". Other names: random_state",
}


class RankerOptions(Estimator):
    """Estimator with the training options as parameters."""

    _signature: ClassVar[Signature] = Signature("train", OWN, {"method": "lambdamart"}, MORE)
    __init__ = _signature.constructor("Ranker")


class OrdinalOptions(Estimator):
    """Estimator with the training options as parameters, and other defaults."""

    _signature: ClassVar[Signature] = Signature(
        "train", (CLASSES, *OWN), {"method": "propodds", "metric": "u-pairs"}, MORE)
    __init__ = _signature.constructor("OrdinalClassifier")
