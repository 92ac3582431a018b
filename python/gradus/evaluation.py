# SPDX-License-Identifier: Apache-2.0
"""Metrics of rankings: evaluate, Evaluation, evaluate_run, scores_of.

Metric values depend on a convention (gains, ties, queries without relevant documents), so every
result names its own.
"""
from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _core, _html
from ._notes import collected, warn
from ._operations import operation_options
from ._tables import need_pandas, significant, text_table
from ._threads import resolve as thread_count
from .data import Dataset, as_dataset

if TYPE_CHECKING:
    from .comparison import Comparison

Scores: TypeAlias = npt.NDArray[np.float64]
System: TypeAlias = Any  # a fitted estimator, scores, a function of a Dataset, or text


def model_of(system: object) -> _core.Model | None:
    """The model of a fitted estimator, or None if the object has none."""
    if isinstance(system, _core.Model):
        return system
    model = getattr(system, "model_", None)
    return model if isinstance(model, _core.Model) else None


def need_model(system: object, what: str) -> _core.Model:
    """The model of a fitted estimator or of a model file; TypeError or ValueError without one."""
    if isinstance(system, (str, os.PathLike)):
        return _core.Model.read(os.fspath(system))
    model = model_of(system)
    if model is None and hasattr(system, "fit"):
        raise ValueError(f"{what}: this {type(system).__name__} is not fitted; call fit first")
    if model is None:
        raise TypeError(f"{what}: expected a fitted estimator or the path of a model file, found "
                        f"{type(system).__name__}")
    return model


def labelled(system: Any, data: Any) -> Dataset:
    """Data with labels as the model of a system has them: grades of the classes of a classifier."""
    return data_for(data if encoded_classes(system) is None else system._labelled(data), system)


def encoded_classes(system: object) -> npt.NDArray[Any] | None:
    """The classes of a classifier whose model has their numbers instead; None: it has no such."""
    encoded = getattr(system, "_encoded", None)
    classes = None if encoded is None else encoded()
    return None if classes is None else classes.values


def need_grades(system: object, what: str) -> None:
    """Raise ValueError for a classifier of classes that its model does not have."""
    if encoded_classes(system) is not None:
        raise ValueError(f"{what}: the model has numbers from 0 for the classes of this "
                         f"{type(system).__name__}; train it with whole numbers from 0 as classes")


def checked_scores(values: object, rows: int, name: str) -> Scores:
    """Scores as float64; TypeError or ValueError unless there is one number per row."""
    scores = np.asarray(values)
    if scores.dtype.kind not in "biuf":
        raise TypeError(f"{name}: expected numbers, one per row, found "
                        f"{type(values).__name__} of type {scores.dtype}")
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.shape != (rows,):
        raise ValueError(f"{name}: expected {rows} scores, one per row of the data, found an array "
                         f"of shape {scores.shape}")
    return np.ascontiguousarray(scores, dtype=np.float64)


def data_for(data: object, *systems: Any, need_labels: bool = True) -> Dataset:
    """Return data as a Dataset that the systems can score.

    Arrays and tables have the query column of the estimators, which is not a feature. A note says
    if all rows become one query although a model was trained with several, and arrays with
    other features than those of the training data are refused.
    """
    rankers = [s for s in systems
               if model_of(s) is not None and not isinstance(s, (str, _core.Model))]
    columns = {repr(s.query): s.query for s in rankers if getattr(s, "query", None) is not None}
    if len(columns) > 1:
        raise ValueError("the estimators have different query columns: " + ", ".join(columns)
                         + "; make a Dataset of the data first (gradus.as_dataset)")
    from_file = isinstance(data, (str, os.PathLike))
    if columns and not from_file and not isinstance(data, Dataset):
        given = as_dataset(data, query=next(iter(columns.values())), need_labels=need_labels)
    else:
        given = as_dataset(data, need_labels=need_labels)
    for ranker in rankers:
        facts = model_of(ranker).info()  # type: ignore[union-attr]
        if not from_file and given.features != facts["features"]:
            raise ValueError(f"the data have {given.features} features, but the "
                             f"{type(ranker).__name__} was trained with {facts['features']}")
        if not given.has_queries and facts["train_queries"] > 1:
            warn("the data have no queries, so all rows are one query; the model was trained with "
                 f"{facts['train_queries']:,} queries")
            break
    return given


def scores_of(system: System, data: Dataset, *, grades: bool = False, seed: int = 1,
              threads: int | None = None, name: str = "scores") -> Scores:
    """Return scores of a system for the rows of data, in input order.

    Parameters
    ----------
    system : fitted estimator, array, function or str
        A fitted estimator, of gradus or another package (with ``predict(X)``); an array of one
        score per row; a function that takes a `Dataset` and returns such an array; or text: the
        path of a model, of a file of scores or of a TREC run, ``"feature:3"`` or ``"random"``.
    data : Dataset
        The rows to score.
    grades : bool
        Predicted grades of estimators instead of their scores; of an `OrdinalClassifier` whose
        classes are not grades, such as text, their numbers from 0 in ``classes_``.
    seed : int
        Seed of ``"random"``.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.
    name : str
        What the system is called in messages.

    Returns
    -------
    numpy.ndarray
        float64, one per row.
    """
    model = model_of(system)
    used = thread_count(threads)
    if model is None and isinstance(system, (str, os.PathLike)):
        what = os.fspath(system)
        if grades and os.path.exists(what) and _core.is_model_file(what):
            model = _core.Model.read(what)
    if model is not None:
        out = np.empty(data.rows, dtype=np.float64)
        with collected() as notes:
            if grades:
                model.grades(data._core, out, threads=used, notes=notes)
            else:
                model.score(data._core, out, threads=used, notes=notes)
        return np.asarray(data._to_input(out), dtype=np.float64)
    if isinstance(system, (str, os.PathLike)):
        out = np.empty(data.rows, dtype=np.float64)
        with collected() as notes:
            _core.scores(data._core, what, out, seed, threads=used, notes=notes)
        return np.asarray(data._to_input(out), dtype=np.float64)
    if hasattr(system, "predict"):
        if type(system).__module__.split(".")[0] == "gradus":
            raise ValueError(f"{name}: this {type(system).__name__} is not fitted; call fit first")
        return checked_scores(system.predict(data.X), data.rows, name)
    if callable(system) and not hasattr(system, "__array__"):
        return checked_scores(system(data), data.rows, name)
    return checked_scores(system, data.rows, name)


def _name_of(system: System, index: int) -> str:
    model = model_of(system)
    if model is not None:
        return str(model.info()["method"])
    if isinstance(system, (str, os.PathLike)):
        text = os.fspath(system)
        return os.path.basename(text) if os.path.exists(text) else str(text)
    name = getattr(system, "__name__", "")
    return name if name and name != "<lambda>" else f"system {index + 1}"


def _is_scores(systems: object) -> bool:
    """A list of numbers is one system, a list of anything else several."""
    if isinstance(systems, (list, tuple)):
        return bool(systems) and all(isinstance(item, (int, float, np.number)) for item in systems)
    return True


def named_systems(systems: object) -> dict[str, System]:
    """Return systems by name, from a mapping, a list or one system. Names of lists are unique."""
    if isinstance(systems, Mapping):
        for name in systems:
            if not isinstance(name, str):
                raise TypeError(f"systems: names are text, found {name!r}")
        named = dict(systems)
    else:
        items = [systems] if _is_scores(systems) else list(systems)  # type: ignore[call-overload]
        named = {}
        for i, system in enumerate(items):
            first = name = _name_of(system, i)
            count = 1
            while name in named:
                count += 1
                name = f"{first} {count}"
            named[name] = system
    if not named:
        raise ValueError("systems: expected at least one system, found none")
    return named


def metric_text(metrics: str | Sequence[str] | None) -> str | None:
    """Metrics as the library takes them: comma-separated."""
    if metrics is None or isinstance(metrics, str):
        return metrics
    names = list(metrics)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"metrics: expected text such as 'ndcg@10,map' or a list of names, "
                            f"found {name!r}")
    return ",".join(names)


class Evaluation(Mapping[str, Mapping[str, float]]):
    """Metrics of one or several systems, made by `evaluate` and `evaluate_run`.

    ``e["a", "ndcg@10"]`` is a mean, ``e["a"]`` the means of a system by metric.

    Attributes
    ----------
    systems : list of str
        Names of the systems.
    metrics : list of str
        Names of the metrics, such as ``"ndcg@10"``.
    means : dict of dict
        Mean over queries by system and metric, of row metrics such as ``"rmse"`` over all rows; NaN
        if no query has a value.
    by_query : dict of dict of numpy.ndarray
        Value of each query by system and metric; NaN: the query is left out.
    queries : list of str
        Ids of the queries, or numbers from 1 if they have no ids.
    counted, empty, short_lists : dict of dict of int
        Queries in the mean; queries without a relevant document, or without a pair to order;
        queries with fewer documents than the metric's cutoff.
    convention : str
        Convention, with the switches that were overridden.
    switches : str
        All switches of the convention.
    lower_is_better : dict of bool
        True for errors and risks, by metric.
    """

    def __init__(self, results: Mapping[str, Mapping[str, Any]],
                 queries: Sequence[str] | None = None) -> None:
        first = next(iter(results.values()))
        self.systems = list(results)
        self.metrics = [str(r["metric"]) for r in first["results"]]
        self.convention = str(first["convention"])
        self.switches = str(first["switches"])
        self.lower_is_better = {m: bool(r["lower_is_better"])
                                for m, r in zip(self.metrics, first["results"])}
        self._geometric = {m: bool(r["geometric"]) for m, r in zip(self.metrics, first["results"])}
        self.means = self._by_metric(results, "mean")
        self.counted = self._by_metric(results, "counted")
        self.empty = self._by_metric(results, "empty")
        self.short_lists = self._by_metric(results, "short_lists")
        self.by_query: dict[str, dict[str, Scores]] = {
            s: {m: np.frombuffer(r["by_query"], dtype=np.float64)
                for m, r in zip(self.metrics, result["results"])} for s, result in results.items()}
        count = len(self.by_query[self.systems[0]][self.metrics[0]])
        names = first["query_names"] or queries
        self.queries = [str(n) for n in names] if names else [str(q + 1) for q in range(count)]

    def _by_metric(self, results: Mapping[str, Mapping[str, Any]],
                   member: str) -> dict[str, dict[str, Any]]:
        return {s: {m: r[member] for m, r in zip(self.metrics, result["results"])}
                for s, result in results.items()}

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            if len(key) != 2:
                raise KeyError(f"expected [system] or [system, metric], found {key!r}")
            return self._find(self._find(self.means, key[0], "system"), key[1], "metric")
        return self._find(self.means, key, "system")

    @staticmethod
    def _find(items: Mapping[str, Any], name: object, what: str) -> Any:
        if name not in items:
            raise KeyError(f"no {what} {name!r}: {', '.join(items)}")
        return items[str(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.systems)

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def frame(self) -> Any:
        """Means as a pandas DataFrame: one row per system, one column per metric."""
        pandas = need_pandas("Evaluation.frame", "Evaluation.means")
        frame = pandas.DataFrame.from_dict(self.means, orient="index", columns=self.metrics)
        frame.index.name = "system"
        return frame

    @property
    def query_frame(self) -> Any:
        """Values of each query as a pandas DataFrame: columns by (system, metric)."""
        pandas = need_pandas("Evaluation.query_frame", "Evaluation.by_query")
        columns = {(s, m): self.by_query[s][m] for s in self.systems for m in self.metrics}
        frame = pandas.DataFrame(columns, index=pandas.Index(self.queries, name="query"))
        frame.columns.names = ["system", "metric"]
        return frame

    def best(self, metric: str | None = None) -> str:
        """Return the name of the best system.

        Parameters
        ----------
        metric : str, optional
            Default: the first metric.

        Returns
        -------
        str
            Its name.
        """
        used = self.metrics[0] if metric is None else metric
        sign = -1.0 if self._find(self.lower_is_better, used, "metric") else 1.0
        means = {s: sign * float(self.means[s][used]) for s in self.systems}
        finite = {s: v for s, v in means.items() if not math.isnan(v)} or means
        return max(finite, key=finite.__getitem__)

    def compare(self, test: str = "randomization", baseline: str | None = None,
                metric: str | None = None, **options: Any) -> Comparison:
        """Test whether the systems differ; see `gradus.compare`."""
        from .comparison import compare
        return compare(self, test, baseline, metric, **options)

    def notes(self) -> list[str]:
        """What to know of the means: queries left out, or counted in a special way."""
        lines = []
        count = len(self.queries)
        for what, members in (("no relevant document", self.empty),
                              ("fewer documents than the cutoff", self.short_lists)):
            by_count: dict[int, list[str]] = {}
            for m in self.metrics:
                most = max(int(members[s][m]) for s in self.systems)
                if most > 0:
                    by_count.setdefault(most, []).append(m)
            for most, metrics in by_count.items():
                verb = "has" if most == 1 else "have"
                left_out = {count - int(self.counted[self.systems[0]][m]) for m in metrics}
                outcome = "left out" if what[0] == "n" and left_out == {most} else ""
                lines.append(f"{most} of {count} queries {verb} {what} ({', '.join(metrics)})"
                             + (f": {outcome}" if outcome else ""))
        return lines

    def _rows(self) -> list[list[str]]:
        return [[s] + [significant(self.means[s][m]) or "none" for m in self.metrics]
                for s in self.systems]

    def _footer(self) -> list[str]:
        lower = [m for m in self.metrics if self.lower_is_better[m]]
        better = f"; lower is better: {', '.join(lower)}" if lower else ""
        return [f"convention {self.convention}, {len(self.queries)} queries{better}"] + self.notes()

    def __repr__(self) -> str:
        return "\n".join([text_table(["system"] + self.metrics, self._rows())] + self._footer())

    def _repr_html_(self) -> str:
        marks = {}
        if len(self.systems) > 1:
            for c, m in enumerate(self.metrics):
                best = self.means[self.best(m)][m]
                marks.update({(r, c + 1): "best" for r, s in enumerate(self.systems)
                              if self.means[s][m] == best})
        return _html.fragment(
            _html.table(["system"] + self.metrics, self._rows(), styles=["text"], marks=marks),
            *map(_html.quiet, self._footer()))


def evaluate(data: Any, systems: Any, metrics: str | Sequence[str] = "ndcg@10", *,
             convention: str | None = None, grades: bool = False, threads: int | None = None,
             **options: Any) -> Evaluation:
    """Evaluate rankings.

    Parameters
    ----------
    data : Dataset, or what `gradus.as_dataset` converts to one
        Rows with labels and queries, such as a path or a tuple ``(X, y, qid)``.
    systems : dict, list or one system
        What to evaluate, by name: fitted estimators, arrays of scores in the order of the data,
        functions of a `Dataset`, or text (a model or scores file, ``"feature:3"``, ``"random"``).
    metrics : str or list of str
        Metrics with cutoffs, such as ``"ndcg@10,err@20"``; `gradus.metrics` lists them.
    convention : str, optional
        Tool to reproduce, such as ``"letor4"`` or ``"lightgbm"``; `gradus.conventions` lists them.
        Default: ``"gradus"``.
    grades : bool
        Evaluate the grades that estimators predict instead of their scores, for ``"accuracy"``,
        ``"kappa"`` and the like.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.
    **options
        Switches of the convention and parameters of metrics, such as ``ties="expected"``,
        ``gain="linear"``, ``empty="skip"``, ``relevant=2``; see ``gradus.parameters("evaluate")``.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> data = gradus.synth.web(queries=20)
    >>> e = gradus.evaluate(data, {"a": "feature:3", "b": "random"}, "ndcg@10,err@20")
    >>> e["a", "ndcg@10"] > e["b", "ndcg@10"]
    True
    """
    seed = options.pop("seed", 1)
    chosen = operation_options("evaluate", {"metric": metric_text(metrics),
                                            "convention": convention, **options})
    results = {}
    named = named_systems(systems)
    if all(encoded_classes(system) is None for system in named.values()):
        data = data_for(data, *named.values())
    for name, system in named.items():
        given = labelled(system, data)
        scores = scores_of(system, given, grades=grades, seed=seed, threads=threads,
                           name=f"system {name!r}")
        with collected() as notes:
            ordered = np.ascontiguousarray(given._to_core(scores))
            results[name] = _core.evaluate(given._core, ordered, chosen,
                                           threads=thread_count(threads), notes=notes)
    return Evaluation(results)


def evaluate_run(qrels: str | os.PathLike[str], runs: Any,
                 metrics: str | Sequence[str] = "ndcg@10", *, convention: str | None = None,
                 threads: int | None = None, **options: Any) -> Evaluation:
    """Evaluate TREC runs against relevance judgements.

    Parameters
    ----------
    qrels : path
        TREC judgements.
    runs : path, list of paths, or dict
        TREC runs, by name.
    metrics, convention, threads, **options
        As for `evaluate`; ``complete=True`` averages over all judged topics.

    Returns
    -------
    Evaluation
    """
    chosen = operation_options("evaluate", {"metric": metric_text(metrics),
                                            "convention": convention, **options})
    results = {}
    for name, run in named_systems(runs).items():
        if not isinstance(run, (str, os.PathLike)):
            raise TypeError(f"run {name!r}: expected a path, found {type(run).__name__}")
        with collected() as notes:
            results[name] = _core.evaluate_run(os.fspath(qrels), os.fspath(run), chosen,
                                               threads=thread_count(threads), notes=notes)
    return Evaluation(results)


# ---- grades and files

class Confusion:
    """Labels against predicted grades, made by `confusion`.

    Attributes
    ----------
    grades : numpy.ndarray
        The distinct grades, ascending. Of classes that are not grades, such as text, these are
        their numbers from 0.
    names : list of str
        The grades, or the classes, as text.
    counts : numpy.ndarray
        Total weight of the rows with label ``grades[i]`` and prediction ``grades[k]`` at [i, k].
    """

    def __init__(self, grades: Scores, counts: Scores, classes: Sequence[object] | None = None
                 ) -> None:
        self.grades = grades
        self.names = [_core.label_text(float(g)) if classes is None else str(classes[int(g)])
                      for g in grades]
        self.counts = counts.reshape(len(grades), len(grades))

    @property
    def accuracy(self) -> float:
        """Fraction of rows whose predicted grade is the label."""
        total = float(self.counts.sum())
        return float(np.trace(self.counts)) / total if total > 0 else math.nan

    @property
    def frame(self) -> Any:
        """The matrix as a pandas DataFrame."""
        pandas = need_pandas("Confusion.frame", "Confusion.counts")
        return pandas.DataFrame(self.counts, index=pandas.Index(self.names, name="label"),
                                columns=pandas.Index(self.names, name="predicted"))

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        return ["label"] + self.names, [[name] + [f"{v:g}" for v in row]
                                        for name, row in zip(self.names, self.counts)]

    def __repr__(self) -> str:
        return text_table(*self._cells()) + f"\ncolumns: predicted; accuracy {self.accuracy:.4f}"

    def _repr_html_(self) -> str:
        marks = {(i, i + 1): "best" for i in range(len(self.grades))}
        return _html.fragment(_html.table(*self._cells(), styles=["text"], marks=marks),
                              _html.quiet(f"columns: predicted; accuracy {self.accuracy:.4f}"))


def confusion(data: Any, system: System, *, threads: int | None = None) -> Confusion:
    """Return the confusion matrix of labels and predicted grades.

    Parameters
    ----------
    data : Dataset, or what `gradus.as_dataset` converts to one
        Rows with labels.
    system : fitted estimator, array, function or str
        An estimator that predicts grades, or the grades, as for `scores_of`.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.

    Returns
    -------
    Confusion
    """
    given = labelled(system, data)
    predicted = scores_of(system, given, grades=True, threads=threads, name="confusion")
    grades, counts = _core.confusion(given._core, np.ascontiguousarray(given._to_core(predicted)))
    classes = encoded_classes(system)
    return Confusion(np.frombuffer(grades, dtype=np.float64),
                     np.frombuffer(counts, dtype=np.float64),
                     None if classes is None else classes.tolist())


def write_scores(data: Any, system: System, path: str | os.PathLike[str], *,
                 run: str | None = None, threads: int | None = None) -> None:
    """Write scores to a file, one per line in the order of the data, or as a TREC run.

    Parameters
    ----------
    data : Dataset, or what `gradus.as_dataset` converts to one
        The rows.
    system : fitted estimator, array, function or str
        As for `scores_of`.
    path : path
        The file.
    run : str, optional
        Name of the run: writes a TREC run, for data with query and document ids.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.
    """
    given = data_for(data, system, need_labels=False)
    scores = scores_of(system, given, threads=threads)
    _core.scores_write(given._core, np.ascontiguousarray(given._to_core(scores)), os.fspath(path),
                       run)
