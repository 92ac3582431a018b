# SPDX-License-Identifier: Apache-2.0
"""Calibrated grade probabilities and ensembles: calibrate, reliability, ensemble, distil."""
from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core, _html
from ._fitted import Fitted
from ._notes import collected
from ._operations import operation_options
from ._tables import need_pandas, significant, text_table
from ._threads import resolve as thread_count
from .data import as_dataset
from .evaluation import checked_scores, data_for, labelled, need_grades, need_model

if TYPE_CHECKING:
    from .ranker import Ranker

E = TypeVar("E")


def ranker_from(model: _core.Model) -> Ranker:
    """A fitted Ranker of a model."""
    from .ranker import Ranker
    ranker: Ranker = Ranker._from_model(model)
    return ranker


def calibrate(ranker: E, valid: Any, how: str | None = None, *, threads: int | None = None,
              **options: Any) -> E:
    """Calibrate an estimator's grade probabilities, or its scores, on held-out data.

    Parameters
    ----------
    ranker : fitted estimator
        Remains as it is.
    valid : Dataset, or what `gradus.as_dataset` converts to one
        Rows that the estimator was not trained on.
    how : str, optional
        Calibration: ``"ls"`` (default), ``"platt"``, ``"isotonic"``, ``"beta"``, ``"temperature"``,
        ``"ordinal"`` and others; see
        ``gradus.parameters("calibrate")``. From an estimator that gives only
        scores, ``"platt"``, ``"isotonic"`` and ``"ordinal"`` estimate grade probabilities.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.
    **options
        Options of the calibration, such as ``degree=3``; see ``gradus.parameters("calibrate")``.

    Returns
    -------
    estimator
        A fitted estimator of the same class with the same parameters; a `Ranker` from a file.
    """
    model = need_model(ranker, "calibrate")
    data = labelled(ranker, valid)
    chosen = operation_options("calibrate", {"how": how, **options})
    with collected() as notes:
        calibrated = model.calibrated(data._core, chosen, threads=thread_count(threads),
                                      notes=notes)
    if not isinstance(ranker, Fitted):
        return ranker_from(calibrated)  # type: ignore[return-value]
    other: Any = copy.copy(ranker)
    other._adopt(calibrated)
    return other  # type: ignore[no-any-return]


def ensemble(rankers: Sequence[Any] | Mapping[str, Any], valid: Any = None, way: str | None = None,
             *, threads: int | None = None, **options: Any) -> Ranker:
    """Combine estimators into one.

    Parameters
    ----------
    rankers : sequence of fitted estimators or paths of model files
        Members, trained on the same features.
    valid : data, optional
        Data to fit the weights on; not needed by ``"standardized"``, ``"weights"``, ``"borda"``
        and ``"reciprocal-rank"``.
    way : str, optional
        ``"exponential"`` (default: weights e^(rate * metric)), ``"mean"``, ``"selection"``
        (greedy), ``"standardized"`` (equal weights of scores standardised within each query),
        ``"weights"`` (given by the option ``weights``), ``"stacking"``,
        ``"stacking-nonnegative"``, ``"borda"`` or ``"reciprocal-rank"``.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.
    **options
        Options of the combination, such as ``rates="0,10,100"`` or ``metric="err@10"``; see
        ``gradus.parameters("ensemble")``.

    Returns
    -------
    Ranker
        Fitted; ``members_`` are its members and their weights.
    """
    members = list(rankers.values()) if isinstance(rankers, Mapping) else list(rankers)
    models = [need_model(member, f"member {i + 1}") for i, member in enumerate(members)]
    for i, member in enumerate(members):
        need_grades(member, f"ensemble: member {i + 1}")
    data = None if valid is None else data_for(valid, *members)
    chosen = operation_options("ensemble", {"way": way, **options})
    with collected() as notes:
        model = _core.Model.ensemble(models, data._core if data else None, chosen,
                                     threads=thread_count(threads), notes=notes)
    return ranker_from(model)


def ensemble_select(data: Any, scores: Any, *, threads: int | None = None,
                    **options: Any) -> npt.NDArray[np.float64]:
    """Select members of an ensemble by their scores on labelled data.

    Greedy forward selection with replacement on bootstrap samples of the queries, as
    ``ensemble(..., way="selection")`` does with models.

    Parameters
    ----------
    data : Dataset, or what `gradus.as_dataset` converts to one
        Rows with labels that the members were not trained on.
    scores : mapping or sequence of arrays, or array of shape (members, rows)
        Scores of each member, one per row in the order of the data. They are standardised within
        each query, unless ``probabilities=True`` says that they are expected gains.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.
    **options
        ``metric``, ``convention``, ``probabilities``, ``bags``, ``steps`` and ``seed``; see
        ``gradus.parameters("ensemble")``.

    Returns
    -------
    numpy.ndarray
        One weight per member, nonnegative, with sum 1.
    """
    given = as_dataset(data)
    members = list(scores.values()) if isinstance(scores, Mapping) else list(scores)
    rows = [np.ascontiguousarray(given._to_core(checked_scores(s, given.rows, f"member {i + 1}")))
            for i, s in enumerate(members)]
    chosen = operation_options("ensemble", options)
    stacked = np.stack(rows) if rows else np.empty((0, given.rows))
    with collected() as notes:
        weights = _core.ensemble_select(given._core, stacked, chosen,
                                        threads=thread_count(threads), notes=notes)
    return np.frombuffer(weights, dtype=np.float64).copy()


def distil(ranker: Any, data: Any, trees: int = 500, *, threads: int | None = None,
           **options: Any) -> Ranker:
    """Train one forest on the scores of an estimator, usually an ensemble.

    Parameters
    ----------
    ranker : fitted estimator, or path of a model file
        Remains as it is.
    data : Dataset, or what `gradus.as_dataset` converts to one
        Rows to score and to learn from. Labels are not needed.
    trees : int
        Number of trees.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.
    **options
        Other options of the training, such as ``leaves=63``; see ``gradus.parameters("train")``.

    Returns
    -------
    Ranker
        Fitted. Its scores approximate those of the estimator.
    """
    model = need_model(ranker, "distil")
    given = data_for(data, ranker, need_labels=False)
    chosen = operation_options("train", {"rounds": trees, **options})
    with collected() as notes:
        distilled = model.distilled(given._core, chosen, threads=thread_count(threads),
                                    notes=notes)
    return ranker_from(distilled)


class Reliability:
    """How well calibrated grade probabilities are, made by `reliability`.

    The events are "grade k or higher", for each row and each grade k but the lowest.

    Attributes
    ----------
    weight, predicted, observed : numpy.ndarray
        Of each bin: total weight of its events, their mean probability and observed frequency; NaN:
        the bin is empty.
    error : float
        Expected calibration error: weighted mean of abs(predicted - observed).
    largest_error : float
        Maximum of abs(predicted - observed) over bins.
    log_loss : float
        Mean of -log P(the row's grade).
    brier : float
        Mean squared error of the events' probabilities, approximately reliability - resolution +
        uncertainty.
    reliability, resolution, uncertainty : float
        The parts of the Brier score.
    """

    def __init__(self, result: Mapping[str, Any]) -> None:
        bins = int(result["bins"])
        self.weight = self._array(result["weight"], bins)
        self.predicted = self._array(result["predicted"], bins)
        self.observed = self._array(result["observed"], bins)
        self.error = float(result["error"])
        self.largest_error = float(result["largest_error"])
        self.log_loss = float(result["log_loss"])
        self.brier = float(result["brier"])
        self.reliability = float(result["reliability"])
        self.resolution = float(result["resolution"])
        self.uncertainty = float(result["uncertainty"])

    @staticmethod
    def _array(values: Any, bins: int) -> npt.NDArray[np.float64]:
        if isinstance(values, (bytes, memoryview)):
            return np.frombuffer(values, dtype=np.float64)[:bins].copy()
        return np.array(values, dtype=np.float64)[:bins]

    @property
    def frame(self) -> Any:
        """The bins as a pandas DataFrame."""
        pandas = need_pandas("Reliability.frame", "predicted, observed and weight")
        return pandas.DataFrame({"weight": self.weight, "predicted": self.predicted,
                                 "observed": self.observed})

    def _cells(self) -> list[list[str]]:
        bins = len(self.weight)
        return [[f"{i / bins:.2f} to {(i + 1) / bins:.2f}", significant(self.predicted[i]),
                 significant(self.observed[i]), f"{self.weight[i]:.0f}"] for i in range(bins)]

    def _footer(self) -> str:
        return (f"expected calibration error {self.error:.4f}, largest {self.largest_error:.4f}; "
                f"log loss {self.log_loss:.4f}; Brier score {self.brier:.4f} = reliability "
                f"{self.reliability:.4f} - resolution {self.resolution:.4f} + uncertainty "
                f"{self.uncertainty:.4f}")

    def __repr__(self) -> str:
        return "\n".join([text_table(["probability", "predicted", "observed", "events"],
                                     self._cells()), self._footer()])

    def _repr_html_(self) -> str:
        return _html.fragment(
            _html.table(["probability", "predicted", "observed", "events"], self._cells(),
                        styles=["text"]), _html.quiet(self._footer()))


def reliability(ranker: Any, data: Any, bins: int = 10, *,
                threads: int | None = None) -> Reliability:
    """Measure how well calibrated an estimator's grade probabilities are.

    Parameters
    ----------
    ranker : fitted estimator, or path of a model file
        With grade probabilities; `calibrate` gives them to one without.
    data : Dataset, or what `gradus.as_dataset` converts to one
        Held-out rows with labels.
    bins : int
        Number of bins of equal width, 1 to 100.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.

    Returns
    -------
    Reliability
    """
    model = need_model(ranker, "reliability")
    given = labelled(ranker, data)
    return Reliability(model.reliability(given._core, bins, threads=thread_count(threads)))
