# SPDX-License-Identifier: Apache-2.0
"""The training loop of the estimators: data, round by round, callbacks, checkpoints."""
from __future__ import annotations

import inspect
import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._collectives import Collectives
from ._notes import report_notes, warn
from .callbacks import Callback, StopTraining, TrainingState
from .data import Dataset

Array = npt.NDArray[Any]
Model = _core.Model
Objective = Callable[[memoryview, memoryview, memoryview], tuple[Any, Any] | None]


# ---- arguments of fit

def labels_of(y: object) -> Array | None:
    """Return y as an array of one dimension; None stays None."""
    if y is None:
        return None
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        module = sys.modules.get("sklearn.exceptions")
        warn("A column-vector y was passed when a 1d array was expected; it is used as one",
             module.DataConversionWarning if module else UserWarning)
        return labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {labels.shape} instead")
    return labels


def order_of(y: Any) -> list[Any] | None:
    """Return the categories of an ordered Categorical of pandas; None: y is something else."""
    if hasattr(y, "iloc") and getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
        y = y.iloc[:, 0]
    kind: Any = getattr(y, "dtype", None)
    return list(kind.categories) if getattr(kind, "ordered", False) is True else None


def is_path(X: object) -> bool:
    """Whether X names a file."""
    return isinstance(X, (str, PathLike))


def is_whole(X: object) -> bool:
    """Whether X brings its labels and queries along: a Dataset, a tuple, files."""
    if isinstance(X, list) and X:
        return all(map(is_path, X))
    return is_path(X) or isinstance(X, (Dataset, tuple)) or (
        hasattr(X, "__arrow_c_stream__") and not hasattr(X, "iloc"))


def need_labels(X: object, y: object, owner: object) -> None:
    """Raise ValueError, with scikit-learn's words, if y is missing."""
    if isinstance(X, Dataset) and y is None and not X.has_labels:
        raise ValueError("the Dataset has no labels: give y when making it")
    if y is None and not is_whole(X):
        raise ValueError(f"this {type(owner).__name__} requires y to be passed, but the target y "
                         "is None")


def queries_of_group(group: object, qid: object) -> Array:
    """Return a query id per row, from the sizes of consecutive queries."""
    if qid is not None:
        raise TypeError("give the queries as qid or as group, not both")
    sizes = np.asarray(group)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or np.any(sizes < 1):
        raise ValueError("group must have one whole number above 0 per query: its rows")
    return np.repeat(np.arange(sizes.size, dtype=np.int64), sizes)


def used_rows(sample_weight: object) -> Array | None:
    """Return the rows whose weight is not 0; None: all."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight)
    if weights.ndim != 1 or weights.dtype.kind not in "biuf" or np.all(weights != 0):
        return None
    if not np.any(weights != 0):
        raise ValueError("all sample weights are 0, one above 0 is expected")
    return np.flatnonzero(weights != 0)


def weights_of_queries(query_weight: object, qid: object, rows: Array) -> object:
    """Return the weights of the queries that are left, in the order of their first rows."""
    if query_weight is None:
        return None
    if qid is None:
        raise ValueError("query_weight needs qid if some sample weights are 0")
    ids = list(np.asarray(qid))
    weights = dict(zip(dict.fromkeys(ids), np.asarray(query_weight).tolist(), strict=False))
    if len(weights) != len(set(ids)):
        raise ValueError(f"query_weight has {len(weights)} values, but X has {len(set(ids))} "
                         "queries")
    return np.array([weights[i] for i in dict.fromkeys(ids[r] for r in rows)])


def check_set(name: str, data: Dataset, train: Dataset) -> None:
    """Raise ValueError unless an evaluation set has the queries and features of training."""
    if train.has_queries and not data.has_queries:
        raise ValueError(f"the evaluation set {name!r} has no queries, but the training data have: "
                         "give eval_set=(X, y, qid)")
    if data.features != train.features:
        raise ValueError(f"the evaluation set {name!r} has {data.features} features, but the "
                         f"training data have {train.features}")


def take_rows(values: object, rows: Array) -> Any:
    """Return some rows of a table or of an array with one item per row."""
    if values is None:
        return None
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "tocsr"):
        return values.tocsr()[rows]
    if hasattr(getattr(values, "dtype", None), "categories"):
        return values[rows]  # type: ignore[index]
    return np.asarray(values)[rows]


def _is_set(item: object) -> bool:
    return is_path(item) or isinstance(item, (Dataset, tuple))


def named_sets(eval_set: object, names: Sequence[str] | None) -> list[tuple[str, Any]]:
    """Return the names and contents of the evaluation sets, the one that selects rounds first."""
    if eval_set is None:
        return []
    if isinstance(eval_set, Mapping):
        if names is not None:
            raise TypeError("eval_names is for a list of sets; the keys of eval_set are its names")
        return [(str(name), item) for name, item in eval_set.items()]
    if isinstance(eval_set, list) or isinstance(eval_set, tuple) and all(map(_is_set, eval_set)):
        items = list(eval_set)
    else:
        items = [eval_set]
    usual = ["valid", *(f"valid_{i}" for i in range(2, len(items) + 1))]
    given = usual[:len(items)] if names is None else [str(name) for name in names]
    if len(given) != len(items):
        raise ValueError(f"eval_names has {len(given)} names, but eval_set has {len(items)} sets")
    if len(set(given)) != len(given) or {"round", "train"} & set(given):
        raise ValueError("names of evaluation sets must be different, and not 'round' or 'train'")
    return list(zip(given, items))


def model_from(source: object, what: str) -> Model:
    """Return a model from a file, the content of one, a model or a fitted estimator."""
    if is_path(source):
        return Model.read(fspath(source))  # type: ignore[call-overload]
    if isinstance(source, (bytes, bytearray, memoryview)):
        return Model.from_bytes(source)
    model = source if isinstance(source, Model) else getattr(source, "model_", None)
    if not isinstance(model, Model):
        raise TypeError(f"{what}: expected a path, bytes, or a fitted estimator, found "
                        f"{type(source).__name__}")
    return model


def _as_scores(values: object, data: Dataset, what: str) -> Array | None:
    if values is None:
        return None
    scores = np.asarray(values, dtype=np.float64)
    if scores.shape != (data.rows,):
        raise ValueError(f"{what} has shape {scores.shape}, one score per row is expected: "
                         f"({data.rows},)")
    return np.ascontiguousarray(data._to_core(scores))


# ---- functions of the user

def _takes_data(function: Callable[..., Any]) -> bool:
    """Whether a function has a third positional parameter."""
    try:
        positional = [p for p in inspect.signature(function).parameters.values()
                      if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        return False
    return len(positional) >= 3


def objective_for(function: Callable[..., Any], data: Dataset) -> Objective:
    """Return an objective for ``_core.Training`` from a function of labels and scores."""
    if not callable(function):
        hint = "; to choose a training method use method=..., see gradus.methods()"
        raise TypeError(f"objective must be a function of labels and scores, not {function!r}"
                        f"{hint if isinstance(function, str) else ''}")
    labels = np.array(data.labels)
    more = (data,) if _takes_data(function) else ()

    def derivative(values: object, name: str) -> Array:
        array = np.asarray(values, dtype=np.float32)
        if array.shape != (data.rows,):
            raise ValueError(f"the objective's {name} have shape {array.shape}, expected "
                             f"({data.rows},)")
        return np.ascontiguousarray(data._to_core(array))

    def objective(scores: memoryview, gradients: memoryview,
                  hessians: memoryview) -> tuple[Array, Array]:
        found = function(labels, data._to_input(np.asarray(scores)), *more)
        if not isinstance(found, (tuple, list, np.ndarray)) or len(found) != 2:
            raise TypeError("the objective must return two arrays, gradients and hessians, not "
                            + _summary(found))
        return derivative(found[0], "gradients"), derivative(found[1], "hessians")
    return objective


def metric_for(function: Callable[..., Any], sets: Iterable[Dataset]) -> Callable[..., float]:
    """Return a metric for ``_core.Training`` from a function of labels and scores."""
    by_core = {id(data._core): data for data in sets}
    third = _takes_data(function)
    name = getattr(function, "__name__", type(function).__name__)

    def metric(core: _core.Dataset, scores: Any) -> float:
        data = by_core.get(id(core))
        if data is None:  # a sample of the data, from which training chooses a transform
            data = Dataset._wrap(core)
        more = (data,) if third else ()
        found = function(np.array(data.labels), data._to_input(np.asarray(scores)), *more)
        try:
            value = float(found)
        except (TypeError, ValueError):
            raise TypeError(f"the metric {name} must return a number, not "
                            f"{_summary(found)}") from None
        if math.isnan(value):
            raise ValueError(f"the metric {name} is NaN; it must be a number for any scores, also "
                             "for equal ones")
        return value
    return metric


def _summary(value: object) -> str:
    """What a function has returned, in few words."""
    if value is None:
        return "None"
    shape = getattr(value, "shape", None)
    if shape:
        return f"an array of shape {shape}"
    kind = type(value).__name__
    return f"{kind} of {len(value)} items" if isinstance(value, (tuple, list)) else repr(kind)


# ---- the loop

class Run:
    """One training, from the arguments of ``_core.Training`` to the model.

    Parameters
    ----------
    train : Dataset
        Training data.
    sets : list of (str, Dataset)
        Evaluation sets, the one that selects rounds first.
    options : dict
        Options of training.
    callbacks : callable, or sequence of callables
        Called after each round.
    """

    def __init__(self, train: Dataset, sets: list[tuple[str, Dataset]], options: dict[str, object],
                 callbacks: Callback | Sequence[Callback]) -> None:
        self.train = train
        self.sets = sets
        self.options = options
        self.callbacks = [callbacks] if callable(callbacks) else list(callbacks)
        self.curves: dict[str, dict[int, float]] = {name: {} for name, _ in sets[1:]}
        self.checkpoint: bytes | None = None
        self.metric_name = ""  # of a metric of the user
        for callback in self.callbacks:
            if not callable(callback):
                raise TypeError(f"callbacks: expected functions, found {type(callback).__name__}")

    def fit(self, *, start: object, resume: object, initial: object, initial_valid: object,
            objective: Callable[..., Any] | None, metric: Callable[..., Any] | None, threads: int,
            max_memory: int, device: str | None = None, comm: object = None) -> Model:
        """Train; on an exception `checkpoint` has the rounds so far, if the method can resume."""
        valid = self.sets[0][1] if self.sets else None
        if initial_valid is not None and valid is None:
            raise ValueError("initial_valid needs eval_set")
        if start is not None and resume is not None:
            raise TypeError("give init_model or resume_from, not both")
        begun = start if resume is None else resume
        model = None if begun is None else model_from(
            begun, "init_model" if resume is None else "resume_from")
        self.metric_name = getattr(metric, "__name__", "metric") if metric else ""
        every = [self.train, *(data for _, data in self.sets)]
        notes: list[str] = []
        try:
            training = _core.Training(
                self.train._core, valid._core if valid else None, self.options, start=model,
                resume=resume is not None, initial=_as_scores(initial, self.train, "initial"),
                initial_valid=_as_scores(initial_valid, valid, "initial_valid") if valid else None,
                others=[data._core for _, data in self.sets[1:]],
                objective=objective_for(objective, self.train) if objective is not None else None,
                metric=metric_for(metric, every) if metric else None, threads=threads,
                max_memory=max_memory, notes=notes, progress=self._phase(), device=device,
                collectives=None if comm is None else Collectives(comm))
            self._steps(training)
            trained = training.finish()
        finally:
            for callback in self.callbacks:
                getattr(callback, "close", _nothing)()
        report_notes(notes)
        return trained

    def _phase(self) -> Callable[[str, float], object] | None:
        shown = [callback.phase for callback in self.callbacks if hasattr(callback, "phase")]
        if not shown:
            return None

        def phase(what: str, fraction: float) -> None:
            for function in shown:
                function(what, fraction)
        return phase

    def _steps(self, training: _core.Training) -> None:
        started = time.monotonic()
        method = str(self.options.get("method", ""))
        names = list(self.curves)
        done = False
        try:
            while not done:
                done = training.step()
                if names or self.callbacks:
                    self._report(TrainingState(training, done, names, started, method,
                                               self.metric_name))
        except StopTraining:
            pass
        except BaseException:
            self.checkpoint = _checkpoint(training)
            raise

    def _report(self, state: TrainingState) -> None:
        for name, value in state.others.items():
            if not math.isnan(value):
                self.curves[name][state.round] = value
        for callback in self.callbacks:
            callback(state)


def _nothing() -> None:
    return


def _checkpoint(training: _core.Training) -> bytes | None:
    """The rounds so far; None if the method, or this state, cannot be resumed."""
    try:
        return training.checkpoint().to_bytes()
    except _core.Error:
        return None
