# SPDX-License-Identifier: Apache-2.0
"""Automatic training: from data to an ensemble of the best methods."""
from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core, _html
from ._operations import operation_options
from ._search import search
from ._tables import need_pandas, p_text, significant, text_table

if TYPE_CHECKING:
    from .ranker import Ranker

MEMBER_COLUMNS = ("method", "family", "weight", "value", "error", "settings", "chosen", "seconds",
                  "failed")


class Interval(NamedTuple):
    """A mean over queries with its 95% confidence interval; NaN: not measured."""
    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        if math.isnan(self.low):
            return significant(self.mean)
        return f"{self.mean:.4f} [{self.low:.4f}, {self.high:.4f}]"


class Automatic:
    """Result of automatic training, made by `auto`.

    Attributes
    ----------
    best : Ranker
        The ensemble; or the best single model, if the ensemble is worse by more than a standard
        error (``fell_back``).
    expected : Interval
        Estimate of the metric on new queries, from held-out queries: members were selected on other
        queries than those they are evaluated on.
    single : Interval
        The same for the best single model; ``best_single`` names it.
    difference, p : float
        Ensemble minus single model, and the p-value of a paired t test over held-out queries.
    test, single_test : Interval
        On the test data; NaN without.
    test_difference, test_p : float
        The same comparison on the test data.
    best_single : str
        Method and settings that are best on their own.
    single_model : Ranker or None
        That setting trained on all data; None unless there are test data, or it is a member.
    trials : list of dict
        All settings tried: members of the ensemble first, by ``weight``; then the others, best
        first.
        ``value`` and ``error`` are the mean of the metric over held-out queries and its standard
        error.
    warnings : list of str
        What is odd about the data.
    metric, convention : str
        What settings and members were selected by.
    members, folds, held_queries : int
        Number of members, of models trained per setting, and of held-out queries.
    max_rounds : int
        Rounds after which every training stopped, by the option or because time required it; 0: no
        limit.
    skipped : list of str
        Methods that the budget was not enough for.
    repeat : dict
        Arguments of `auto`, besides the data, that give the same model again, whatever the time.
    """

    def __init__(self, result: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        facts = result["facts"]
        self.trials: list[dict[str, Any]] = [dict(m) for m in result["members"]]
        self.warnings: list[str] = list(result["warnings"])
        self.metric = str(facts["metric"])
        self.convention = str(facts["convention"])
        self.lower_is_better = bool(facts["lower_is_better"])
        self.members = int(facts["members"])
        self.folds = int(facts["folds"])
        self.max_rounds = int(facts["max_rounds"])
        self.held_queries = int(facts["held_queries"])
        self.probabilities = bool(facts["probabilities"])
        self.out_of_time = bool(facts["out_of_time"])
        self.expected = Interval(*facts["expected"])
        self.single = Interval(*facts["single"])
        self.test = Interval(*facts["test"])
        self.single_test = Interval(*facts["single_test"])
        self.difference, self.p = float(facts["difference"]), float(facts["p"])
        self.test_difference, self.test_p = float(facts["test_difference"]), float(facts["test_p"])
        self.best_single = f"{facts['single_method']} {facts['single_settings']}".rstrip()
        self.seconds = float(facts["search_seconds"]) + float(facts["refit_seconds"])
        self.fell_back = bool(facts["fell_back"])
        self.skipped = str(facts["skipped"]).split(",") if facts["skipped"] else []
        self.repeat: dict[str, Any] = {**given, "budget": int(facts["trials"]),
                                       "methods": str(facts["methods"]).split(",")}
        if facts["repeat_folds"]:
            self.repeat["folds"] = int(facts["repeat_folds"])
        if self.max_rounds:
            self.repeat["max_rounds"] = self.max_rounds
        from .postprocessing import ranker_from
        self.best: Ranker = ranker_from(result["model"])
        self.single_model: Ranker | None = (ranker_from(result["single"]) if result["single"]
                                            else None)

    @property
    def frame(self) -> Any:
        """The trials as a pandas DataFrame."""
        pandas = need_pandas("Automatic.frame", "Automatic.trials")
        return pandas.DataFrame(self.trials).reindex(columns=list(MEMBER_COLUMNS))

    def _cells(self) -> list[list[str]]:
        return [[m["method"], f"{m['weight']:.3f}", significant(m["value"]),
                 significant(m["error"]), m["settings"] or "defaults", m["chosen"]]
                for m in self.trials[:self.members]]

    def _header(self) -> list[str]:
        return ["member", "weight", self.metric, "+-", "settings", "chosen from the data"]

    def _footer(self) -> list[str]:
        better = "lower" if self.lower_is_better else "higher"
        lines = [f"warning: {text}" for text in self.warnings]
        lines += [f"{self.metric}, convention {self.convention}, {better} is better; "
                  f"{len(self.trials)} settings, {self.folds} models each",
                  f"expected on new queries: {self.expected} "
                  f"({self.held_queries} held-out queries)",
                  f"best single model: {self.best_single}, {self.single}"]
        if self.skipped:
            lines.append(f"not tried: {', '.join(self.skipped)}")
        if self.members > 1 or self.fell_back:
            lines.append(f"difference: {self.difference:+.4f}, p {p_text(self.p)}")
        if not math.isnan(self.test.mean):
            lines.append(f"on the test data: {self.test}; best single model {self.single_test}, "
                         f"p {p_text(self.test_p)}")
        return lines

    def __repr__(self) -> str:
        return "\n".join([text_table(self._header(), self._cells(), (0, 4, 5)), ""]
                         + self._footer())

    def _repr_html_(self) -> str:
        return _html.fragment(_html.table(self._header(), self._cells(),
                                          styles=["text", "", "", "", "long", "long"]),
                              *map(_html.quiet, self._footer()))


def auto(data: Any, *, valid: Any = None, test: Any = None, budget: int | str | None = None,
         methods: str | Sequence[str] | None = None, metric: str | None = None,
         probabilities: bool = False, journal: str | os.PathLike[str] | None = None,
         progress: bool | None = None,
         callbacks: Sequence[Callable[[Mapping[str, Any]], object]] = (),
         threads: int | None = None, **options: Any) -> Automatic:
    """Train an ensemble of the best methods, and estimate what to expect of it.

    Parameters
    ----------
    data : Dataset, or what `gradus.as_dataset` converts to one
        Training data with query ids.
    valid : data, optional
        More training data.
    test : data, optional
        Test data, to evaluate the finished model.
    budget : int or str, optional
        Settings to try (default 40), or a total time such as ``"10min"``.
    methods : str or list of str, optional
        Methods to try, in this order; default: those that rank well in reasonable time.
    metric : str, optional
        Metric that selects rounds, settings and members; default: ``"ndcg@10"``.
    probabilities : bool
        Use only methods that estimate grade probabilities, and average these.
    journal : path, optional
        File in which finished trials are recorded, and from which an interrupted search resumes.
    progress : bool, optional
        Show the progress; default: in terminals and notebooks.
    callbacks : sequence of functions
        Called after each trial with its state, as in `tune`. An exception ends the search.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.
    **options
        Further options, such as ``convention``, ``members``, ``max_rounds``, ``seed``; see
        ``gradus.parameters("auto")``.

    Returns
    -------
    Automatic

    Notes
    -----
    With a number as the budget, the result depends neither on the number of threads nor on
    interruptions; ``Automatic.repeat`` has the number if the budget was a time.
    """
    path = None if journal is None else os.fspath(journal)
    if methods is not None and not methods:
        raise ValueError("methods is empty: name at least one, or leave it out")
    names = ",".join(methods) if methods is not None and not isinstance(methods, str) else methods
    chosen = operation_options("auto", {
        "budget": budget, "methods": names, "metric": metric, "probabilities": probabilities,
        "journal": path, **options})
    result = search(_core.auto, "auto", (data, valid, test), chosen, journal=path,
                    progress=progress, callbacks=callbacks, threads=threads)
    given = {"metric": metric, "probabilities": probabilities or None, **options}
    return Automatic(result, {k: v for k, v in given.items() if v is not None})
