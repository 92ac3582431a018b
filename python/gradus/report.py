# SPDX-License-Identifier: Apache-2.0
"""HTML reports and the experiments of the papers: report, reproduce."""
from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from typing import Any

from . import _core, _html
from ._notes import collected
from ._operations import operation_options
from ._tables import text_table
from ._threads import resolve as thread_count
from .data import Dataset
from .evaluation import data_for, metric_text, model_of, named_systems, need_grades


def _is_run(system: object) -> bool:
    return (isinstance(system, (str, os.PathLike))
            and os.fspath(system).endswith((".json", ".jsonl")))


def _as_system(name: str, system: Any) -> tuple[str, _core.Model | None, str | None]:
    model = model_of(system)
    if model is not None:
        return name, model, None
    if isinstance(system, (str, os.PathLike)):
        path = os.fspath(system)
        if os.path.exists(path) and _core.is_model_file(path):
            return name, _core.Model.read(path), None
        return path, None, None
    if hasattr(system, "fit"):
        raise ValueError(f"system {name!r}: this {type(system).__name__} is not fitted; call fit "
                         "first")
    raise TypeError(f"system {name!r}: expected a fitted estimator, a path or a method such as "
                    f"'feature:3', found {type(system).__name__}; write scores to a file first")


def _as_sets(data: Any, systems: list[Any]) -> list[tuple[str, Dataset | None]]:
    if data is None:
        return []
    if isinstance(data, Mapping):
        return [(str(name), data_for(given, *systems)) for name, given in data.items()]
    if isinstance(data, list):
        return [pair for item in data for pair in _as_sets(item, systems)]
    if isinstance(data, (str, os.PathLike)):
        return [(os.fspath(data), None)]
    return [("data", data_for(data, *systems))]


def _split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    evaluation: dict[str, Any] = {}
    comparison: dict[str, Any] = {}
    for name, value in options.items():
        known = _core.param_find("evaluate", name) is not None
        (evaluation if known else comparison)[name] = value
    return evaluation, comparison


def report(systems: Any, path: str | os.PathLike[str] = "report.html", *, data: Any = None,
           title: str | None = None, metrics: Any = None, seed: int = 1,
           progress: Callable[[str, float], object] | None = None, threads: int | None = None,
           **options: Any) -> str:
    """Write an HTML page on models, comparisons and tuning runs.

    The page is one file that needs no network. It shows how each model was trained, its learning
    curve and the importance of features; with data also means with confidence intervals, tests of
    every pair, the values of each query and the calibration.

    Parameters
    ----------
    systems : dict, list or one system
        Fitted estimators, paths of models, of scores files or of JSON files of tuning and
        comparison runs (journals), and methods such as ``"feature:3"``; at most 8.
    path : path
        The page to write.
    data : data, dict or list, optional
        Data to evaluate on, by name: what `gradus.as_dataset` accepts.
    title : str, optional
        Title of the page.
    metrics : str or list of str, optional
        As for `evaluate`.
    seed : int
        Seed of the method ``"random"``.
    progress : function, optional
        Called with what is being done and the fraction done.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.
    **options
        Of `evaluate` (``convention``, ``ties``, ...) and of `compare` (``test``, ...).

    Returns
    -------
    str
        The path.
    """
    if not _core.report_available():
        raise RuntimeError("this build of gradus cannot write reports: it was built without "
                           "Chart.js")
    named = named_systems(systems)
    runs = [os.fspath(system) for system in named.values() if _is_run(system)]
    shown = [_as_system(name, system) for name, system in named.items() if not _is_run(system)]
    evaluation, comparison = _split_options(options)
    for name, system in named.items():
        if data is not None:
            need_grades(system, f"report: system {name!r}")
    sets = _as_sets(data, list(named.values()))
    measures = operation_options("evaluate", {"metric": metric_text(metrics), **evaluation})
    with collected() as notes:
        _core.report(os.fspath(path), shown, [(n, None if d is None else d._core) for n, d in sets],
                     runs, title=title, evaluate=measures,
                     compare=operation_options("compare", comparison), seed=seed,
                     threads=thread_count(threads), notes=notes, progress=progress)
    return os.fspath(path)


class Reproduction:
    """Result of an experiment, made by `reproduce`.

    Attributes
    ----------
    name : str
        The experiment.
    tables, figures, claims : list of dict
        What it found, beside the published values.
    notes : list of str
        Notes on the run.
    json : dict
        All of it.
    """

    def __init__(self, content: str) -> None:
        self.json: dict[str, Any] = json.loads(content)
        self.name = str(self.json.get("name") or self.json.get("experiment") or "")
        self.tables: list[dict[str, Any]] = self.json.get("tables", [])
        self.figures: list[dict[str, Any]] = self.json.get("figures", [])
        self.claims: list[dict[str, Any]] = self.json.get("claims", [])
        self.notes: list[str] = self.json.get("notes", [])

    @staticmethod
    def _cells(table: Mapping[str, Any]) -> list[list[str]]:
        digits = int(table.get("digits", 4))

        def shown(value: Any) -> str:
            return "" if value is None or math.isnan(value) else f"{value:.{digits}f}"

        return [[str(c["row"]), str(c["column"]), shown(c.get("ours")), shown(c.get("paper")),
                 str(c.get("verdict") or "")] for c in table.get("cells", [])]

    @staticmethod
    def _rule(table: Mapping[str, Any]) -> list[str]:
        return [f"Rule: {table['criterion']}."] if table.get("criterion") else []

    _HEADER = ["row", "column", "gradus", "paper", "verdict"]

    def _lines(self) -> list[str]:
        """Claims, figures and notes."""
        lines = [f"{c.get('verdict') or ('confirmed' if c['held'] else 'not confirmed')}: "
                 f"{c['claim']} ({c['found']})" for c in self.claims]
        lines += [f"figure {i} (gradus.plot.figure): {figure['title']}"
                  for i, figure in enumerate(self.figures)]
        return lines + self.notes

    def __repr__(self) -> str:
        parts = [self.name]
        for table in self.tables:
            parts += ["", str(table["title"]),
                      text_table(self._HEADER, self._cells(table), (0, 1, 4)),
                      *self._rule(table)]
        return "\n".join(parts + ([""] if self.claims else []) + self._lines())

    def _repr_html_(self) -> str:
        parts = [_html.head(self.name)]
        for table in self.tables:
            parts += [_html.head(table["title"]),
                      _html.table(self._HEADER, self._cells(table),
                                  styles=["text", "text", "", "", "text"]),
                      *map(_html.quiet, self._rule(table))]
        return _html.fragment(*parts, *map(_html.quiet, self._lines()))


def reproduce(name: str, *, progress: Callable[[str, float], object] | None = None,
              threads: int | None = None, **options: Any) -> Reproduction:
    """Reproduce an experiment of the papers.

    Parameters
    ----------
    name : str
        The experiment; `gradus.experiments` lists them with the time that they take.
    progress : function, optional
        Called with what is being done and the fraction done.
    threads : int, optional
        Number of threads; default: `gradus.get_threads`.
    **options
        ``data`` (folder of data sets), ``journal``, ``scale`` (0.001 to 1: size of a trial run),
        ``seed``.

    Returns
    -------
    Reproduction
    """
    chosen = operation_options("reproduce", options)
    with collected() as notes:
        content = _core.reproduce(name, chosen, threads=thread_count(threads), notes=notes,
                                  progress=progress)
    return Reproduction(content)
