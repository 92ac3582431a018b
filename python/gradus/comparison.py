# SPDX-License-Identifier: Apache-2.0
"""Significance tests of differences between systems: compare, Comparison."""
from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np

from . import _core, _html
from ._operations import operation_options
from ._tables import need_pandas, p_text, significant, text_table
from ._threads import resolve as thread_count
from .evaluation import Evaluation

COLUMNS = ("a", "b", "mean_a", "mean_b", "difference", "low", "high", "statistic", "df", "p",
           "p_adjusted", "queries", "wins", "ties", "losses")


def _short(value: float) -> str:
    """.0123, as statistics are usually printed."""
    text = f"{abs(value):.4f}"
    return ("-" if value < 0 else "") + (text[1:] if text.startswith("0") else text)


def _p_words(p: float) -> str:
    return "p < .001" if p < 0.0005 else f"p = {f'{p:.3f}'.removeprefix('0')}"


class Comparison(Sequence[Mapping[str, Any]]):
    """Paired comparisons of systems over queries, made by `compare`.

    A sequence of rows, one per pair of systems: dictionaries with ``a``, ``b`` (names), ``mean_a``,
    ``mean_b``, ``difference`` (mean_b - mean_a), ``low`` and ``high`` (its confidence interval),
    ``statistic``, ``df``, ``p``, ``p_adjusted`` (Holm's correction over all rows), ``queries``,
    ``wins``, ``ties``, ``losses`` (queries where b is better, equal, worse). NaN: not available.

    Attributes
    ----------
    rows : list of dict
        The rows.
    metric : str
        The metric compared.
    lower_is_better : bool
        Whether the metric is an error.
    test : str
        Significance test.
    confidence : float
        Level of the intervals.
    sided : int
        1 or 2.
    convention : str
        Convention of the metric.
    differences : dict of numpy.ndarray
        Difference b - a of each query by (a, b); NaN: a query without a value.
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]], evaluation: Evaluation, metric: str,
                 test: str, confidence: float, sided: int) -> None:
        self.rows = [dict(row) for row in rows]
        self.metric = metric
        self.lower_is_better = evaluation.lower_is_better[metric]
        self.test = test
        self.confidence = confidence
        self.sided = sided
        self.convention = evaluation.convention
        self.queries = evaluation.queries
        values = evaluation.by_query
        self.differences = {
            (row["a"], row["b"]): values[row["b"]][metric] - values[row["a"]][metric]
            for row in self.rows}

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Any]: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Mapping[str, Any]]: ...

    @overload
    def __getitem__(self, index: tuple[str, str]) -> Mapping[str, Any]: ...

    def __getitem__(self, index: Any) -> Any:
        """A row by its position, or by the names (a, b) in this order."""
        if not isinstance(index, tuple):
            return self.rows[index]
        for row in self.rows:
            if (row["a"], row["b"]) == index:
                return row
        raise KeyError(f"no comparison {index!r}: "
                       + ", ".join(str((row["a"], row["b"])) for row in self.rows))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.rows)

    @property
    def frame(self) -> Any:
        """The rows as a pandas DataFrame."""
        pandas = need_pandas("Comparison.frame", "Comparison.rows")
        return pandas.DataFrame(self.rows, columns=list(COLUMNS))

    def changes(self, index: int = 0, count: int = 5) -> list[tuple[str, float]]:
        """Return the queries with the largest differences.

        Parameters
        ----------
        index : int
            Row of the comparison.
        count : int
            Number of queries.

        Returns
        -------
        list of tuple
            (query, b - a), the largest absolute difference first.
        """
        row = self.rows[index]
        values = self.differences[row["a"], row["b"]]
        order = np.argsort(-np.abs(np.nan_to_num(values)), kind="stable")[:count]
        return [(self.queries[q], float(values[q])) for q in order if not math.isnan(values[q])]

    def _sentence(self, row: Mapping[str, Any]) -> str:
        better = row["difference"] < 0 if self.lower_is_better else row["difference"] > 0
        if row["difference"] == 0:
            text = f"{row['b']} equals {row['a']} on average"
        else:
            word = "better" if better else "worse"
            text = f"{row['b']} is {word} than {row['a']} by {_short(abs(row['difference']))}"
        if not math.isnan(row["low"]) and row["difference"] != 0:
            ends = (row["low"], row["high"])
            low, high = ends if row["difference"] > 0 else (-ends[1], -ends[0])
            text += f" [{_short(low)}, {_short(high)}]"
        if math.isnan(row["p"]):
            return text + ": too few queries for a test"
        text += f", {_p_words(row['p'])}"
        if len(self.rows) > 1:
            text += f" (Holm-adjusted {_p_words(row['p_adjusted'])[2:].removeprefix('= ')})"
        if row["p_adjusted"] >= 1.0 - self.confidence and row["difference"] != 0:
            text += ": not significant"
        return text

    def sentences(self) -> list[str]:
        """Each row in words. Intervals are of the difference in favour of the system named."""
        return [self._sentence(row) for row in self.rows]

    def _cells(self) -> list[list[str]]:
        cells = []
        for row in self.rows:
            interval = ("" if math.isnan(row["low"])
                        else f"{row['low']:+.4f} to {row['high']:+.4f}")
            cells.append([row["a"], row["b"], significant(row["mean_a"]),
                          significant(row["mean_b"]), f"{row['difference']:+.4f}", interval,
                          p_text(row["p"]), p_text(row["p_adjusted"]),
                          f"{row['wins']}/{row['ties']}/{row['losses']}"])
        return cells

    def _header(self) -> list[str]:
        return ["a", "b", "mean a", "mean b", "b - a", f"{self.confidence:.0%} interval", "p",
                "p (Holm)", "W/T/L"]

    def _footer(self) -> str:
        better = "lower" if self.lower_is_better else "higher"
        sided = ", one-sided: is b better" if self.sided == 1 else ""
        return (f"{self.metric}, convention {self.convention}, {better} is better; test: "
                f"{self.test}{sided}; W/T/L: queries where b wins, ties and loses")

    def __repr__(self) -> str:
        return "\n".join([text_table(self._header(), self._cells(), (0, 1)), self._footer()]
                         + self.sentences())

    def _marks(self) -> dict[tuple[int, int], str]:
        marks = {}
        for r, row in enumerate(self.rows):
            if row["p_adjusted"] < 1.0 - self.confidence:
                better = (row["difference"] < 0) == self.lower_is_better
                marks[r, 4] = "good best" if better else "bad best"
        return marks

    def _repr_html_(self) -> str:
        return _html.fragment(
            _html.table(self._header(), self._cells(), styles=["text", "text"],
                        marks=self._marks()),
            *(f"<p>{_html.escape(s)}.</p>" for s in self.sentences()), _html.quiet(self._footer()))


def _signed(row: dict[str, Any], lower: bool) -> dict[str, Any]:
    """Tests assume that larger is better: restores the sign of values that were negated."""
    if lower:
        row["mean_a"], row["mean_b"] = -row["mean_a"], -row["mean_b"]
        row["difference"], row["statistic"] = -row["difference"], -row["statistic"]
        row["low"], row["high"] = -row["high"], -row["low"]
    return row


def _pick_metric(evaluation: Evaluation, metric: str | None) -> str:
    used = evaluation.metrics[0] if metric is None else metric
    if used not in evaluation.metrics:
        raise ValueError(f"metric {used!r} was not evaluated: {', '.join(evaluation.metrics)}")
    if evaluation._geometric[used]:
        raise ValueError(f"{used} is a geometric mean, but the tests compare arithmetic means; use "
                         "map")
    return used


def _order(evaluation: Evaluation, baseline: str | None) -> list[str]:
    names = list(evaluation.systems)
    if len(names) < 2:
        raise ValueError(f"a comparison needs at least 2 systems, found {len(names)}")
    if baseline is None:
        return names
    if baseline not in names:
        raise ValueError(f"baseline {baseline!r} was not evaluated: {', '.join(names)}")
    return [baseline] + [name for name in names if name != baseline]


def compare(evaluation: Evaluation, test: str = "randomization", baseline: str | None = None,
            metric: str | None = None, *, threads: int | None = None,
            **options: Any) -> Comparison:
    """Test whether systems differ, query by query.

    Parameters
    ----------
    evaluation : Evaluation
        From `evaluate` or `evaluate_run`, with at least two systems.
    test : str
        ``"randomization"`` (of signs), ``"t"`` (paired), ``"welch"``, ``"wilcoxon"`` or
        ``"bootstrap"``; `gradus.significance_tests` describes
        them.
    baseline : str, optional
        Compare the others with this system only; default: every pair.
    metric : str, optional
        Which metric of the evaluation; default: the first.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.
    **options
        ``sided`` (2, or 1: is b better?), ``confidence`` (0.95), ``resamples`` (10000),
        ``seed`` (1).

    Returns
    -------
    Comparison

    Examples
    --------
    >>> data = gradus.synth.web(queries=20)
    >>> e = gradus.evaluate(data, {"a": "feature:3", "b": "random"})
    >>> c = gradus.compare(e, test="t")
    >>> c[0]["difference"] < 0
    True
    """
    if not isinstance(evaluation, Evaluation):
        raise TypeError("compare: expected an Evaluation made by gradus.evaluate, found "
                        f"{type(evaluation).__name__}")
    used = _pick_metric(evaluation, metric)
    names = _order(evaluation, baseline)
    lower = evaluation.lower_is_better[used]
    values = [np.ascontiguousarray(-evaluation.by_query[s][used] if lower
                                   else evaluation.by_query[s][used]) for s in names]
    rows = [_signed(dict(row), lower) for row in
            _core.compare(values, operation_options("compare", {"test": test, **options}),
                          threads=thread_count(threads))]
    if baseline is not None:
        rows = [row for row in rows if row["a"] == 0]
        p = np.array([row["p"] for row in rows], dtype=np.float64)
        for row, adjusted in zip(rows, np.frombuffer(_core.adjust_p(p), dtype=np.float64)):
            row["p_adjusted"] = float(adjusted)
    for row in rows:
        row["a"], row["b"] = names[row["a"]], names[row["b"]]
    return Comparison(rows, evaluation, used, test, float(options.get("confidence") or 0.95),
                      int(options.get("sided") or 2))
