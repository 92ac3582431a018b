# SPDX-License-Identifier: Apache-2.0
"""What the library offers, as tables: methods, metrics, conventions, parameters and others."""
from __future__ import annotations

from typing import Any

from . import _core
from ._parameters import key_of
from ._tables import Table, cell_text


def _entries(catalogue: str, title: str) -> Table:
    rows = [{"name": name, "summary": summary, "details": details}
            for name, summary, details in _core.catalogue(catalogue)]
    return Table(title, ["name", "summary"], rows)


def methods() -> Table:
    """Return the ranking methods, for `Ranker`, and those that need no training."""
    return _entries("methods", "Ranking methods")


def metrics() -> Table:
    """Return the metrics, for `evaluate`; a cutoff follows '@', as in ``"ndcg@10"``."""
    return _entries("metrics", "Metrics")


def conventions() -> Table:
    """Return the conventions of metrics, for `evaluate`."""
    return _entries("conventions", "Conventions for metrics")


def learners() -> Table:
    """Return the learners that methods are built of."""
    return _entries("learners", "Learners")


def objectives() -> Table:
    """Return the objectives of training."""
    return _entries("objectives", "Objectives")


def costs() -> Table:
    """Return the costs of misranking grades."""
    return _entries("costs", "Costs")


def significance_tests() -> Table:
    """Return the significance tests, for `compare`."""
    return _entries("tests", "Significance tests")


def export_formats() -> Table:
    """Return the formats that models can be exported to."""
    summaries = {name: summary for name, summary, details in _core.catalogue("formats")}
    rows = [{**row, "summary": summaries.get(row["name"], "")} for row in _core.formats()]
    columns = ["name", "extension", "used_by", "tolerance", "summary"]
    return Table("Formats of models", columns, rows,
                 note="tolerance: largest relative difference of scores; 0: bit-equal")


def import_formats() -> Table:
    """Return the formats of other tools that models can be read from."""
    return _entries("importers", "Formats of models that can be read")


def experiments() -> Table:
    """Return the experiments of the papers, for `reproduce`."""
    return Table("Experiments", ["name", "takes", "needs", "summary"], _core.experiments())


def parameters(operation: str = "train") -> Table:
    """Return the options of an operation, as keyword arguments.

    Parameters
    ----------
    operation : str
        ``"train"`` (of `Ranker`), ``"evaluate"``, ``"compare"``, ``"tune"``, ``"calibrate"``,
        ``"ensemble"``, ``"explain"``, ``"read"``, ``"export"`` and others.
    """
    rows: list[dict[str, Any]] = []
    for row in _core.params(operation):
        values = row["choices"] or _range(row)
        shown = f" ({cell_text(values)})" if values else ""
        rows.append({**row, "name": key_of(row["name"]), "values": values,
                     "default": "by rule" if row["rule"] else row["initial"],
                     "description": row["help"] + shown})
    return Table(f"Options of {operation}", ["name", "default", "description"], rows)


def _range(row: dict[str, Any]) -> str:
    low, high = row["low"], row["high"]
    if row["kind"] not in ("count", "real") or low is None:
        return ""
    if high is None or high > 1e15:
        return f"{low:g} or more"
    return f"{low:g} to {high:g}"
