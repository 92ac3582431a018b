# SPDX-License-Identifier: Apache-2.0
"""Explanations of scores: explain, permutation_importance, partial_dependence."""
from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core, _html
from ._notes import collected, warn
from ._operations import operation_options
from ._tables import need_pandas, significant, text_table
from .data import Dataset, as_dataset
from ._threads import resolve as thread_count
from .evaluation import data_for, labelled, metric_text, need_model

Floats = npt.NDArray[np.float64]


# ---- names and rows

def feature_labels(model: _core.Model, data: Dataset | None = None) -> list[str]:
    """Names of the features, or "feature ID" of those that have none."""
    info = model.info()
    count = int(info["features"])
    names = model.feature_names()
    first = int(info["first_id"])
    if data is not None:
        count = max(count, data.features)
        names = data._core.feature_names() or names
        first = data._core.first_id
    given = list(names or [])
    return [given[i] if i < len(given) and given[i] else f"feature {i + first}"
            for i in range(count)]


def find_feature(data: Dataset, labels: Sequence[str], feature: int | str) -> int:
    """Return the column of a feature given by its number from 0, or by its name or id as text."""
    if isinstance(feature, str):
        return labels.index(feature) if feature in labels else data._core.find_feature(feature)
    index = operator.index(feature)
    if not 0 <= index < len(labels):
        raise ValueError(f"feature {index}: expected a column from 0 to {len(labels) - 1}")
    return index


def _row_numbers(rows: Any, count: int) -> npt.NDArray[np.int64]:
    """Row numbers from a number, a slice, a mask or a list of numbers."""
    if isinstance(rows, slice):
        return np.arange(count, dtype=np.int64)[rows]
    given = np.atleast_1d(np.asarray(rows))
    if given.dtype == np.bool_:
        if given.shape != (count,):
            raise ValueError(f"rows: expected a mask of {count} rows, found {given.shape}")
        return np.flatnonzero(given).astype(np.int64)
    if given.size and given.dtype.kind not in "iu":
        raise TypeError(f"rows: expected row numbers, found {given.dtype}")
    if given.ndim != 1:
        raise ValueError(f"rows: expected one dimension, found an array of shape {given.shape}")
    numbers = given.astype(np.int64)
    bad = np.flatnonzero((numbers < -count) | (numbers >= count))
    if bad.size:
        raise ValueError(f"rows: {int(numbers[bad[0]])} is not a row of the data, which has "
                         f"{count}")
    return np.where(numbers < 0, numbers + count, numbers)


def _core_rows(data: Dataset) -> npt.NDArray[np.uint64]:
    """The row of the library's dataset for each input row."""
    rows = np.arange(data.rows, dtype=np.uint64)
    return np.ascontiguousarray(data._to_input(rows), dtype=np.uint64)


def _query_of(data: Dataset, core_row: int) -> tuple[int, int, int]:
    """The query of a row, its first row and the row after its last."""
    starts = np.asarray(data._core.array("query_starts"))
    query = int(np.searchsorted(starts, core_row, side="right")) - 1
    return query, int(starts[query]), int(starts[query + 1])


# ---- the result

class Explanation:
    """Contributions of features to scores, made by `explain`.

    The contributions of a row (Shapley values) add up to its value minus that of the reference:
    ``base + contributions.sum(axis=1) == value``. The attributes ``values``, ``base_values``,
    ``data`` and ``feature_names`` are those of ``shap.Explanation``, so that plots of shap accept
    an explanation of one target. ``x[3]`` is the explanation of one row, ``x[:10]`` of several.

    Attributes
    ----------
    rows : numpy.ndarray
        Numbers of the rows explained.
    value, base : numpy.ndarray
        Scores of the rows and of their references; with several targets one column each.
    contributions : numpy.ndarray
        Rows x features; with several targets rows x features x targets.
    errors : numpy.ndarray or None
        Standard errors of sampled contributions; None: they are exact.
    data : numpy.ndarray
        Feature values of the rows; NaN for features that the model does not use.
    references : numpy.ndarray or None
        Feature values of the references, or their means; None: the training mean.
    reference_rows : numpy.ndarray
        Row number of the reference document; -1: several.
    feature_names : list of str
        Names, or ``"feature ID"``.
    targets : list of str
        What is explained: ``["score"]``, or outputs of the learner.
    against : str
        ``"mean"``, ``"query"`` or ``"document"``.
    exact : bool
        False: sampled, with standard errors.
    """

    def __init__(self, *, rows: npt.NDArray[np.int64], value: Floats, base: Floats,
                 features: npt.NDArray[np.int64], compact: Floats, errors: Floats | None,
                 values: npt.NDArray[np.float32], references: npt.NDArray[np.float32] | None,
                 reference_rows: npt.NDArray[np.int64], feature_names: list[str],
                 targets: list[str], against: str, exact: bool, single: bool = False) -> None:
        self.rows = rows
        self.feature_names = feature_names
        self.targets = targets
        self.against = against
        self.exact = exact
        self.reference_rows = reference_rows
        self._value, self._base = value, base  # rows x targets
        self._features = features  # columns that the model uses
        self._compact, self._errors = compact, errors  # rows x targets x used features
        self._values, self._references = values, references  # rows x used features
        self._single = single

    # -- full width

    def _wide(self, compact: Floats) -> Any:
        count = len(self.feature_names)
        wide = np.zeros((len(compact), count, len(self.targets)))
        wide[:, self._features, :] = compact.transpose(0, 2, 1)
        return self._first(wide[:, :, 0] if len(self.targets) == 1 else wide)

    def _narrow(self, values: npt.NDArray[np.float32]) -> Any:
        wide = np.full((len(values), len(self.feature_names)), np.nan, dtype=np.float32)
        wide[:, self._features] = values
        return self._first(wide)

    def _first(self, array: Any) -> Any:
        return array[0] if self._single else array

    def _of_targets(self, array: Floats) -> Any:
        return self._first(array[:, 0] if len(self.targets) == 1 else array)

    @property
    def contributions(self) -> Any:
        return self._wide(self._compact)

    @property
    def values(self) -> Any:
        """The same as contributions, as shap calls them."""
        return self.contributions

    @property
    def errors(self) -> Any:
        return None if self._errors is None else self._wide(self._errors)

    @property
    def value(self) -> Any:
        return self._of_targets(self._value)

    @property
    def base(self) -> Any:
        return self._of_targets(self._base)

    @property
    def base_values(self) -> Any:
        """The same as base, as shap calls it."""
        return self.base

    @property
    def data(self) -> Any:
        return self._narrow(self._values)

    @property
    def display_data(self) -> Any:
        """The same as data, for shap's plots."""
        return self.data

    @property
    def references(self) -> Any:
        return None if self._references is None else self._narrow(self._references)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of contributions."""
        width = (len(self.feature_names),) + ((len(self.targets),) if len(self.targets) > 1 else ())
        return width if self._single else (len(self.rows),) + width

    def __len__(self) -> int:
        return self.shape[0]

    # -- parts

    def __getitem__(self, index: Any) -> Explanation:
        if self._single:
            raise TypeError("this is the explanation of one row")
        chosen = _row_numbers(index, len(self.rows))
        return Explanation(
            rows=self.rows[chosen], value=self._value[chosen], base=self._base[chosen],
            features=self._features, compact=self._compact[chosen],
            errors=None if self._errors is None else self._errors[chosen],
            values=self._values[chosen],
            references=None if self._references is None else self._references[chosen],
            reference_rows=self.reference_rows[chosen], feature_names=self.feature_names,
            targets=self.targets, against=self.against, exact=self.exact,
            single=isinstance(index, (int, np.integer)))

    def top(self, row: int = 0, count: int = 10, target: int = 0) -> list[dict[str, Any]]:
        """Features that contribute most to a row, largest first.

        Parameters
        ----------
        row : int
            Position in this explanation.
        count : int
            Maximum number of features.
        target : int
            Position in `targets`.

        Returns
        -------
        list of dict
            ``feature`` (column), ``name``, ``value``, ``reference`` (NaN: the training mean),
            ``contribution`` and ``error`` (NaN: exact).
        """
        at = int(_row_numbers(row, len(self.rows))[0])
        parts = self._compact[at, target]
        order = [i for i in np.argsort(-np.abs(parts), kind="stable") if parts[i] != 0.0]
        return [{
            "feature": int(self._features[i]), "name": self.feature_names[self._features[i]],
            "value": float(self._values[at, i]),
            "reference": math.nan if self._references is None else float(self._references[at, i]),
            "contribution": float(parts[i]),
            "error": math.nan if self._errors is None else float(self._errors[at, target, i]),
        } for i in order[:count]]

    def importance(self, target: int = 0) -> Floats:
        """Return the mean absolute contribution of each feature over the rows explained.

        Parameters
        ----------
        target : int
            Output of the model, if several are explained.

        Returns
        -------
        numpy.ndarray
            float64, one per feature.
        """
        wide = np.zeros(len(self.feature_names))
        if len(self.rows):
            wide[self._features] = np.abs(self._compact[:, target]).mean(axis=0)
        return wide

    def steps(self, row: int = 0, count: int = 10,
              target: int = 0) -> tuple[list[tuple[str, float]], float, float]:
        """Return what a waterfall shows.

        Parameters
        ----------
        row : int
            Position among the rows explained.
        count : int
            Number of features; the others are added up.
        target : int
            Output of the model, if several are explained.

        Returns
        -------
        tuple
            The largest contributions as ("name = value", contribution), and the sum of the
            others; the base; the value.
        """
        shown = self.top(row, count, target)
        steps = [(f"{part['name']} = {part['value']:.4g}", part["contribution"]) for part in shown]
        at = int(_row_numbers(row, len(self.rows))[0])
        base, value = float(self._base[at, target]), float(self._value[at, target])
        others = int(np.count_nonzero(self._compact[at, target])) - len(shown)
        if others > 0:
            rest = value - base - sum(part["contribution"] for part in shown)
            steps.append((f"{others} other feature{'s' if others > 1 else ''}", rest))
        return steps, base, value

    # -- output

    @property
    def frame(self) -> Any:
        """Contributions as a pandas DataFrame: one row per row, one column per feature that the
        model uses; with several targets, one row per row and target."""
        pandas = need_pandas("Explanation.frame", "Explanation.contributions")
        names = [self.feature_names[f] for f in self._features]
        if len(self.targets) == 1:
            return pandas.DataFrame(self._compact[:, 0, :], columns=names,
                                    index=pandas.Index(self.rows, name="row"))
        index = pandas.MultiIndex.from_product([self.rows, self.targets], names=["row", "target"])
        return pandas.DataFrame(self._compact.reshape(-1, len(names)), columns=names, index=index)

    def base_name(self, row: int = 0) -> str:
        """Return what the base of a row is, in words.

        Parameters
        ----------
        row : int
            Position among the rows explained.

        Returns
        -------
        str
            Such as "row 22".
        """
        if self.against == "query":
            return "mean of the other documents"
        if self.against == "document":
            return f"row {int(self.reference_rows[row])}"
        return "mean" if self.exact else "mean of random rows"

    def _title(self) -> str:
        against = {"mean": "the mean", "query": "the other documents of the query",
                   "document": "one document"}[self.against]
        how = "" if self.exact else ", sampled"
        what = self.targets[0] if len(self.targets) == 1 else f"{len(self.targets)} outputs"
        return f"Contributions to the {what}, against {against}{how}"

    def _many(self) -> tuple[list[str], list[float]]:
        sizes = self.importance()
        order = [i for i in np.argsort(-sizes, kind="stable")[:10] if sizes[i] > 0]
        return [self.feature_names[i] for i in order], [float(sizes[i]) for i in order]

    def _row_text(self) -> str:
        steps, base, value = self.steps()
        rows = [[self.base_name(), f"{base:.4f}"]]
        rows += [[name, f"{change:+.4f}"] for name, change in steps]
        rows.append([f"{self.targets[0]} of row {int(self.rows[0])}", f"{value:.4f}"])
        return text_table(["", "contribution"], rows)

    def __repr__(self) -> str:
        if len(self.rows) == 1:
            return f"{self._title()}\n{self._row_text()}"
        names, sizes = self._many()
        body = text_table(["feature", "mean |contribution|"],
                          [[n, significant(s)] for n, s in zip(names, sizes)])
        return f"{self._title()}: {len(self.rows)} rows\n{body}"

    def _repr_html_(self) -> str:
        if len(self.rows) == 1:
            steps, base, value = self.steps()
            chart = _html.waterfall_svg(steps, base, value, base_name=self.base_name(),
                                        value_name=f"{self.targets[0]} of row {int(self.rows[0])}")
            return _html.fragment(_html.head(self._title()), chart)
        names, sizes = self._many()
        return _html.fragment(_html.head(f"{self._title()}: {len(self.rows)} rows"),
                              _html.bars_svg(names, sizes, title="mean |contribution|"))


# ---- explain

def _against(data: Dataset, against: Any, rows: npt.NDArray[np.int64] | None,
             core_rows: npt.NDArray[np.uint64]) -> tuple[str, npt.NDArray[np.int64] | None]:
    """The option against, and the rows to explain: by default those of a document's query."""
    if isinstance(against, str):
        return against, rows
    if isinstance(against, bool) or not isinstance(against, (int, np.integer)):
        raise TypeError('against: expected "mean", "query", the id of a document or a row number, '
                        f"found {against!r}")
    number = int(_row_numbers(int(against), data.rows)[0])
    row = int(core_rows[number])
    query, first, end = _query_of(data, row)
    inside = (core_rows >= first) & (core_rows < end)
    if rows is None:
        rows = np.flatnonzero(inside).astype(np.int64)
    elif not inside[rows].all():
        other = int(rows[~inside[rows]][0])
        raise ValueError(f"against: row {number} and row {other} are of different queries")
    names = data._core.document_names()
    return (names[row] if names and names[row] else str(row - first + 1)), rows


def explain(ranker: Any, X: Any, *, against: str | int = "mean", rows: Any = None,
            output: str | int | None = None, qid: Any = None, query: Any = None,
            threads: int | None = None, **options: Any) -> Explanation:
    """Divide scores among the features.

    Parameters
    ----------
    ranker : fitted estimator, or path of a model file
        What gave the scores.
    X : Dataset, or what `gradus.as_dataset` converts to one
        Rows to explain; with ``against="query"`` also those to compare with.
    against : str or int
        Reference: ``"mean"`` (of the training data), ``"query"`` (the mean over the other documents
        of the query), or one document of the query, by its row number (int) or its id or position
        in the query (str): why is this document above that one?
    rows : int, slice, mask or list of int, optional
        Rows to explain; default: all, or those of the query of the document.
    output : str or int, optional
        What to explain: ``"score"`` (default), ``"all"`` outputs of the learner, or one by its
        number from 1.
    qid, query : optional
        Queries of X, as for `Ranker.predict`.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.
    **options
        ``orders``, ``background``, ``seed``: of the sampling that models other than trees and
        linear ones need; see ``gradus.parameters("explain")``.

    Returns
    -------
    Explanation

    Notes
    -----
    Sums of trees, linear models and ensembles of them are explained exactly; others by sampling,
    with standard errors.
    """
    model = need_model(ranker, "explain")
    if not isinstance(X, Dataset) and qid is None and query is None:
        query = getattr(ranker, "query", None)
    data = as_dataset(X, qid=qid, query=query, need_labels=False)
    core_rows = _core_rows(data)
    chosen = None if rows is None else _row_numbers(rows, data.rows)
    reference, chosen = _against(data, against, chosen, core_rows)
    numbers = np.arange(data.rows, dtype=np.int64) if chosen is None else chosen
    if not len(numbers):
        raise ValueError("rows: expected at least one row, found none")
    explainer = _core.Explainer(model, operation_options(
        "explain", {"against": reference, "output": output, **options}))
    with collected() as notes:
        result = explainer.run(data._core, np.ascontiguousarray(core_rows[numbers]),
                               threads=thread_count(threads), notes=notes)
    if result["zero_means"]:
        warn("the model stores no means of its features: the reference is 0 in their place")
    found = _explanation(result, numbers, core_rows, feature_labels(model, data))
    if not isinstance(against, str) and np.any(found.reference_rows != against % data.rows):
        raise ValueError(f"against: another document of the query has the id {reference!r} of row "
                         f"{against}")
    return found


def _explanation(result: dict[str, Any], numbers: npt.NDArray[np.int64],
                 core_rows: npt.NDArray[np.uint64], names: list[str]) -> Explanation:
    features = np.frombuffer(result["features"], dtype=np.uint64).astype(np.int64)
    targets = [str(t) for t in result["targets"]]
    r, t, f = len(numbers), len(targets), len(features)

    def array(member: str, kind: Any, *shape: int) -> Any:
        content = result[member]
        return None if content is None else np.frombuffer(content, dtype=kind).reshape(shape)

    back = np.empty(len(core_rows), dtype=np.int64)  # input row of each row of the dataset
    back[core_rows] = np.arange(len(core_rows))
    reference = array("reference", np.int64, r)
    return Explanation(
        rows=numbers, value=array("value", np.float64, r, t), base=array("base", np.float64, r, t),
        features=features, compact=array("contributions", np.float64, r, t, f),
        errors=array("errors", np.float64, r, t, f), values=array("values", np.float32, r, f),
        references=array("references", np.float32, r, f),
        reference_rows=np.where(reference < 0, -1, back[np.maximum(reference, 0)]),
        feature_names=names, targets=targets, against=str(result["against"]),
        exact=bool(result["exact"]))


# ---- what a whole model depends on

class PermutationImportance:
    """How much a metric decreases if a feature is permuted, made by `permutation_importance`.

    Attributes
    ----------
    importance, low, high : numpy.ndarray
        Of each feature: mean decrease of the metric over queries (increase of an error), and its
        95% confidence interval.
    feature_names : list of str
        Names, or ``"feature ID"``.
    metric : str
        The metric.
    """

    def __init__(self, values: Floats, feature_names: list[str], metric: str) -> None:
        self.importance = values[:, 0].copy()
        self.low = values[:, 1].copy()
        self.high = values[:, 2].copy()
        self.feature_names = feature_names
        self.metric = metric

    def order(self) -> list[int]:
        """Features by importance, most important first."""
        return [int(i) for i in np.argsort(-self.importance, kind="stable")]

    @property
    def frame(self) -> Any:
        """A pandas DataFrame, most important feature first."""
        pandas = need_pandas("PermutationImportance.frame", "importance, low and high")
        order = self.order()
        return pandas.DataFrame({
            "feature": [self.feature_names[i] for i in order], "importance": self.importance[order],
            "low": self.low[order], "high": self.high[order]})

    def _cells(self) -> list[list[str]]:
        return [[self.feature_names[i], f"{self.importance[i]:+.4f}",
                 "" if math.isnan(self.low[i]) else f"{self.low[i]:+.4f} to {self.high[i]:+.4f}"]
                for i in self.order()[:20] if self.importance[i] != 0.0]

    def __repr__(self) -> str:
        return (f"decrease of {self.metric} if a feature is permuted\n"
                + text_table(["feature", "decrease", "95% interval"], self._cells()))

    def _repr_html_(self) -> str:
        return _html.fragment(
            _html.head(f"Decrease of {self.metric} if a feature is permuted"),
            _html.table(["feature", "decrease", "95% interval"], self._cells(), styles=["text"]))


def permutation_importance(ranker: Any, data: Any, metric: str = "ndcg@10", *, repeats: int = 5,
                           seed: int = 1, threads: int | None = None,
                           **options: Any) -> PermutationImportance:
    """Measure how much a metric depends on each feature.

    Parameters
    ----------
    ranker : fitted estimator, or path of a model file
        The model.
    data : Dataset, or what `gradus.as_dataset` converts to one
        Held-out rows with labels and queries.
    metric : str
        The metric.
    repeats : int
        Permutations per feature.
    seed : int
        Seed of the permutations.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.
    **options
        ``convention`` and its switches, as for `evaluate`.

    Returns
    -------
    PermutationImportance
    """
    model = need_model(ranker, "permutation_importance")
    given = labelled(ranker, data)
    content = model.permutation_importance(
        given._core, operation_options("evaluate", {"metric": metric_text(metric), **options}),
        repeats, seed,
        threads=thread_count(threads))
    values = np.frombuffer(content, dtype=np.float64).reshape(-1, 3)
    return PermutationImportance(values, feature_labels(model, given)[:len(values)], metric)


class PartialDependence:
    """How scores depend on a feature, made by `partial_dependence`.

    Attributes
    ----------
    feature : int
        Column of the feature.
    name : str
        Its name, or ``"feature ID"``.
    value : numpy.ndarray
        Values given to all rows.
    score : numpy.ndarray
        Mean score over rows at each value.
    effect, low, high : numpy.ndarray
        Mean over queries of the change of the query's mean score, and its 95% confidence interval.
    """

    def __init__(self, points: Floats, feature: int, name: str) -> None:
        self.feature = feature
        self.name = name
        self.value, self.score, self.effect, self.low, self.high = (
            points[:, i].copy() for i in range(5))

    @property
    def frame(self) -> Any:
        """The points as a pandas DataFrame."""
        pandas = need_pandas("PartialDependence.frame", "value, score, effect, low and high")
        return pandas.DataFrame({"value": self.value, "score": self.score, "effect": self.effect,
                                 "low": self.low, "high": self.high})

    def _cells(self) -> list[list[str]]:
        return [[f"{v:.6g}", f"{s:.4f}", f"{e:+.4f}",
                 "" if math.isnan(a) else f"{a:+.4f} to {b:+.4f}"]
                for v, s, e, a, b in zip(self.value, self.score, self.effect, self.low, self.high)]

    def __repr__(self) -> str:
        return (f"partial dependence of the score on {self.name}\n"
                + text_table(["value", "mean score", "effect", "95% interval"], self._cells(), ()))

    def _repr_html_(self) -> str:
        return _html.fragment(
            _html.head(f"Partial dependence of the score on {self.name}"),
            _html.table(["value", "mean score", "effect", "95% interval"], self._cells()))


def partial_dependence(ranker: Any, data: Any, feature: int | str, points: int = 20, *,
                       threads: int | None = None) -> PartialDependence:
    """Compute how scores depend on a feature: the mean score if all rows had the same value.

    Parameters
    ----------
    ranker : fitted estimator, or path of a model file
        The model.
    data : Dataset, or what `gradus.as_dataset` converts to one
        Rows; labels are not used.
    feature : int or str
        Column from 0 (int), or name or id (str).
    points : int
        Maximum number of values, at equally spaced quantiles of the data.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.

    Returns
    -------
    PartialDependence
    """
    model = need_model(ranker, "partial_dependence")
    given = data_for(data, ranker, need_labels=False)
    labels = feature_labels(model, given)
    column = find_feature(given, labels, feature)
    content = model.partial_dependence(given._core, column, points, threads=thread_count(threads))
    return PartialDependence(np.frombuffer(content, dtype=np.float64).reshape(-1, 5), column,
                             labels[column])
