# SPDX-License-Identifier: Apache-2.0
"""Search for the best method and settings: tune, Tuning."""
from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core, _html
from ._operations import operation_options
from ._parameters import key_of, parameters, typed
from ._search import search
from ._tables import need_pandas, p_text, significant, text_table

if TYPE_CHECKING:
    from .ranker import Ranker

PLACE_COLUMNS = ("method", "valid", "error", "test", "test_low", "test_high", "p", "p_adjusted",
                 "prob_best", "contender", "rounds", "bytes", "trials", "seconds", "settings",
                 "failed")
TRIAL_COLUMNS = ("method", "valid", "error", "rounds", "part", "seconds", "settings", "failed")


# ---- parameters from text

def params_from_settings(settings: str) -> dict[str, Any]:
    """Keyword arguments from text such as "leaves=31 learning-rate=0.1"."""
    known = {p.name: p for p in parameters("train")}
    given = {}
    for word in settings.split():
        name, _, text = word.partition("=")
        given[key_of(name)] = typed(known[name], text) if name in known else text
    return given


# ---- arguments

def _method_text(methods: str | Sequence[str]) -> str:
    return methods if isinstance(methods, str) else ",".join(methods)


def _range_text(name: str, values: object) -> str:
    if isinstance(values, (str, int, float)):
        return f"{keyword_option(name)}={values}"
    items = list(values) if isinstance(values, (list, tuple, set, range)) else [values]
    if isinstance(values, tuple) and len(items) in (2, 3) and all(
            isinstance(v, (int, float)) for v in items[:2]):
        scale = f":{items[2]}" if len(items) == 3 else ""
        return f"{keyword_option(name)}={items[0]}..{items[1]}{scale}"
    return f"{keyword_option(name)}={'|'.join(str(v) for v in items)}"


def keyword_option(name: str) -> str:
    """A keyword argument as an option."""
    return name.rstrip("_").replace("_", "-")


def _space_text(space: str | Mapping[str, object] | None) -> str | None:
    """The search space as the library takes it. In a mapping, a tuple (low, high) or (low, high,
    "log") is a range, a list are alternatives, anything else is fixed."""
    if space is None or isinstance(space, str):
        return space
    return ", ".join(_range_text(name, values) for name, values in space.items())


# ---- results

class Tuning:
    """Result of a search, made by `tune`.

    Attributes
    ----------
    places : list of dict
        The leaderboard, best method first: each method with its best settings, the mean metric on
        validation data (``valid``, with its standard ``error``) and on test data (``test``, with
        the 95% interval ``test_low`` to ``test_high``), and the p-value of a paired t test against
        the first (``p``; ``p_adjusted`` by Holm's correction). ``prob_best`` is the probability of
        being the best method, by a bootstrap over queries; ``contender`` marks the methods that
        the best is not clearly better than: the fewest whose probabilities add up to 0.95. If only
        the first is marked, the winner is clear. NaN: not available.
    trials : list of dict
        All settings tried, best first; those stopped early (``part`` > 1) come last.
    best_params : dict
        Keyword arguments for `Ranker` that train the best model.
    best : Ranker or None
        The best settings trained again on all data; None if ``refit="none"``.
    metric, convention : str
        What settings were selected by.
    lower_is_better : bool
        Whether the metric is an error.
    folds : int
        Number of folds; 1 with validation data.
    journal : str or None
        File that finished trials are recorded in.
    out_of_time : bool
        Whether the time budget was used up.
    best_on : str
        Queries that ``prob_best`` is of: ``"test"``, or ``"validation"`` without test data; empty
        if it is not available.
    verdict : str
        Whether there is a clear winner, in a sentence; empty if ``prob_best`` is not available.
    """

    def __init__(self, result: Mapping[str, Any], journal: str | None) -> None:
        facts = result["facts"]
        self.places: list[dict[str, Any]] = [dict(p) for p in result["places"]]
        self.trials: list[dict[str, Any]] = [dict(t) for t in result["trials"]]
        self.metric = str(facts["metric"])
        self.convention = str(facts["convention"])
        self.lower_is_better = bool(facts["lower_is_better"])
        self.folds = int(facts["folds"])
        self.out_of_time = bool(facts["out_of_time"])
        self.refit_queries = int(facts["refit_queries"])
        self.best_on = str(facts["best_on"])
        self._best_queries = int(facts["best_queries"])
        self.journal = journal
        self._model: _core.Model | None = result["model"]
        self._best: Ranker | None = None
        self.best_params = self._best_params()

    def _best_params(self) -> dict[str, Any]:
        if self._model is not None:
            from .postprocessing import ranker_from
            return ranker_from(self._model).recipe_.parameters
        return {"method": self.places[0]["method"],
                **params_from_settings(self.places[0]["settings"])}

    @property
    def best(self) -> Ranker | None:
        """The best settings trained again; None if ``refit="none"``."""
        if self._best is None and self._model is not None:
            from .postprocessing import ranker_from
            self._best = ranker_from(self._model)
        return self._best

    @property
    def frame(self) -> Any:
        """The leaderboard as a pandas DataFrame."""
        pandas = need_pandas("Tuning.frame", "Tuning.places")
        return pandas.DataFrame(self.places).reindex(columns=list(PLACE_COLUMNS))

    @property
    def trial_frame(self) -> Any:
        """The trials as a pandas DataFrame."""
        pandas = need_pandas("Tuning.trial_frame", "Tuning.trials")
        return pandas.DataFrame(self.trials).reindex(columns=list(TRIAL_COLUMNS))

    def _tested(self) -> bool:
        return any(not math.isnan(place["test"]) for place in self.places)

    @property
    def verdict(self) -> str:
        """Whether there is a clear winner; empty if that is unknown."""
        if not self.best_on:
            return ""
        first = self.places[0]
        others = [place["method"] for place in self.places[1:] if place["contender"]]
        names = ", ".join(others[:-1]) + (" and " if len(others) > 1 else "") + "".join(others[-1:])
        queries = "query" if self._best_queries == 1 else "queries"
        selected = " (which also selected the settings)" if self.best_on == "validation" else ""
        chance = (f"{100 * first['prob_best']:.1f}% of 10,000 bootstrap resamples of the "
                  f"{self._best_queries:,} {self.best_on} {queries}{selected}")
        if not others:
            return f"Clear winner: {first['method']} is the best in {chance}."
        if first["contender"]:
            text = (f"{first['method']} is the best in {chance} and is not clearly better than "
                    f"{names}")
        else:
            verb = "is" if len(others) == 1 else "are"
            text = (f"{first['method']}, the best on validation data, is the best in only "
                    f"{chance}; {names} {verb} the best more often")
        return (f"No clear winner: {text}. Combine them rather than choose one: train each and "
                "average them with gradus.ensemble.")

    def _header(self) -> list[str]:
        tested = ["test", "95% interval", "p (Holm)"] if self._tested() else []
        judged = ["P(best)"] if self.best_on else []
        return ["method", "valid", "+-"] + tested + judged + ["rounds", "trials", "seconds"]

    def _cells(self) -> list[list[str]]:
        rows = []
        for place in self.places:
            row = [place["method"], significant(place["valid"]), significant(place["error"])]
            if self._tested():
                interval = ("" if math.isnan(place["test_low"])
                            else f"{place['test_low']:.4f} to {place['test_high']:.4f}")
                row += [significant(place["test"]), interval, p_text(place["p_adjusted"])]
            if self.best_on:
                row += [significant(place["prob_best"], 3)]
            row += [significant(place["rounds"], 0), str(place["trials"]),
                    f"{place['seconds']:.1f}"]
            rows.append(row)
        return rows

    def _settings(self) -> list[list[str]]:
        return [[place["method"], f"failed: {place['failed']}" if place["failed"]
                 else place["settings"] or "the defaults"] for place in self.places]

    def _footer(self) -> list[str]:
        better = "lower" if self.lower_is_better else "higher"
        folds = "validation data" if self.folds == 1 else f"{self.folds} folds"
        lines = [f"{self.metric}, convention {self.convention}, {better} is better; {folds}"]
        if self.verdict:
            lines.append(self.verdict)
        if self.out_of_time:
            lines.append("the time budget was used up")
        if self._model is not None:
            lines.append(f"best: {self.places[0]['method']}, trained again on "
                         f"{self.refit_queries} queries")
        return lines

    def __repr__(self) -> str:
        return "\n".join([text_table(self._header(), self._cells()), "",
                          text_table(["method", "best settings"], self._settings(), (0, 1)), ""]
                         + self._footer())

    def _repr_html_(self) -> str:
        best = _html.table(["method", "best settings"], self._settings(), styles=["text", "long"])
        return _html.fragment(_html.table(self._header(), self._cells(), styles=["text"]), "<br>",
                              best, *map(_html.quiet, self._footer()))


def tune(data: Any, methods: str | Sequence[str] = "all", folds: int | None = None, *,
         valid: Any = None, test: Any = None, journal: str | os.PathLike[str] | None = None,
         budget: int | str | None = None, space: str | Mapping[str, object] | None = None,
         metric: str | None = None, progress: bool | None = None,
         callbacks: Sequence[Callable[[Mapping[str, Any]], object]] = (),
         threads: int | None = None, **options: Any) -> Tuning:
    """Search for the best method and settings.

    Parameters
    ----------
    data : Dataset, or what `gradus.as_dataset` converts to one
        Training data.
    methods : str or list of str
        Methods to tune, or ``"all"``: all but ``"calibrated"``, which is slow.
    folds : int, optional
        Split the data by query into N parts for cross-validation; default: 5, or none if
        validation data are given.
    valid, test : data, optional
        Validation data, that select the settings; test data, not used by the search.
    journal : path, optional
        File in which finished trials are recorded, and from which an interrupted search resumes.
    budget : int or str, optional
        Settings to try per method (default 9), or a total time such as ``"10min"``.
    space : dict or str, optional
        What to try: ``{"leaves": (8, 256, "log"), "cost": ["absolute", "oerr"], "rounds": 500}``: a
        tuple is a range, a list are alternatives. Default: the ranges of each method.
    metric : str, optional
        Metric that selects settings and rounds; default: ``"ndcg@10"``.
    progress : bool, optional
        Show the progress; default: in terminals and notebooks.
    callbacks : sequence of functions
        Called after each training run with its state: a dictionary with ``done``, ``planned``,
        ``method``, ``settings``, ``fold``, ``valid``, ``best_method``, ``best_settings``, ``best``
        and others. An exception ends the search.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.
    **options
        Further options, such as ``convention``, ``search="random"``, ``refit="all"``, ``seed``; see
        ``gradus.parameters("tune")``.

    Returns
    -------
    Tuning

    Notes
    -----
    The result depends neither on the number of threads nor on interruptions, unless the budget is a
    time. Ctrl-C ends the search; the journal keeps the finished trials.
    """
    used = (0 if valid is not None else 5) if folds is None else folds
    path = None if journal is None else os.fspath(journal)
    chosen = operation_options("tune", {
        "method": _method_text(methods), "folds": used, "journal": path, "budget": budget,
        "space": _space_text(space), "metric": metric, **options})
    result = search(_core.tune, "tune", (data, valid, test), chosen, journal=path,
                    progress=progress, callbacks=callbacks, threads=threads)
    return Tuning(result, path)
