# SPDX-License-Identifier: Apache-2.0
"""Summaries of datasets, shown as text and, in notebooks, as tables."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any


class Summary:
    """Named values, as attributes and by `as_dict`."""

    _title = ""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}") \
                from None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._values})

    def as_dict(self) -> dict[str, Any]:
        """Return all values."""
        return dict(self._values)

    def _lines(self) -> list[tuple[str, str]]:
        return [(name.replace("_", " "), str(value)) for name, value in self._values.items()]

    def __repr__(self) -> str:
        lines = self._lines()
        width = max(len(name) for name, _ in lines)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in lines)

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th style='text-align:left'>{escape(name)}</th>"
                       f"<td style='text-align:left'>{escape(value)}</td></tr>"
                       for name, value in self._lines())
        return f"<table><caption>{escape(self._title)}</caption>{rows}</table>"


class Description(Summary):
    """Summary of a dataset, from `Dataset.describe`.

    Its attributes are the members of the library's ``gradus_description``: ``rows``, ``features``,
    ``queries``, ``label_values``, ``label_rows``, ``missing``, ``constant_features``,
    ``duplicate_features`` and others. Features are numbered from 0.
    """

    _title = "Dataset"

    def __init__(self, values: Mapping[str, Any], names: Sequence[str] | None) -> None:
        super().__init__(values)
        self._names = names

    def _lines(self) -> list[tuple[str, str]]:
        d = self._values
        lines = [("rows", f"{d['rows']:,}"),
                 ("features", f"{d['features']:,}" + (" (sparse)" if d["sparse"] else ""))]
        if d["has_queries"]:
            lines.append(("queries", f"{d['queries']:,}"))
            lines.append(("documents per query", f"{d['documents_min']:,} to "
                          f"{d['documents_max']:,}, median {d['documents_median']:g}"))
        else:
            lines.append(("queries", "none"))
        lines.append(("labels", self._labels()))
        if d["has_queries"]:
            lines.append(("queries without label above 0", f"{d['queries_without_relevant']:,}"))
            lines.append(("queries with one label", f"{d['queries_with_one_label']:,}"))
        lines.append(("missing values", f"{d['missing']:,}"))
        lines.append(("density", f"{d['density']:.1%}"))
        lines.append(("constant features", self._features(d["constant_features"])))
        lines.append(("duplicate features", self._features(d["duplicate_features"])))
        return lines

    def _labels(self) -> str:
        d = self._values
        values, rows = d["label_values"], d["label_rows"]
        if values is None or len(values) > 10:
            return (f"{d['labels']:,} values from {d['label_min']:g} to {d['label_max']:g}, mean "
                    f"{d['label_mean']:.4g}")
        return ", ".join(f"{value:g}: {count:,} ({count / d['rows']:.1%})"
                         for value, count in zip(values, rows))

    def _features(self, features: Sequence[int] | None) -> str:
        if not features:
            return "none"
        first = self._values["first_id"]
        shown = [self._names[f] if self._names else str(f + first) for f in features[:10]]
        more = f" and {len(features) - 10:,} more" if len(features) > 10 else ""
        return f"{len(features):,}: {', '.join(shown)}{more}"


class Overlap(Summary):
    """Leakage between two datasets, from `Dataset.overlap`.

    Attributes: ``queries`` (ids in both), ``query_first`` (their positions in the first), ``rows``
    (rows of the second with the features of a row of the first), ``labelled_rows`` (those with the
    same label, too), ``only_first_features`` and ``only_second_features`` (features with non-zero
    values in one of them only).
    """

    _title = "Overlap of two datasets"

    def _lines(self) -> list[tuple[str, str]]:
        d = self._values
        return [("queries in both", f"{d['queries']:,}"),
                ("rows of the second with the features of a row of the first", f"{d['rows']:,}"),
                ("and the same label", f"{d['labelled_rows']:,}"),
                ("features used in the first only", f"{d['only_first']:,}"),
                ("features used in the second only", f"{d['only_second']:,}")]
