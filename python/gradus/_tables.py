# SPDX-License-Identifier: Apache-2.0
"""Tables that print as aligned text, as HTML in notebooks, and convert to pandas."""
from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from . import _html


def need_pandas(what: str, instead: str) -> Any:
    """The module pandas, or an ImportError that says what else to use."""
    try:
        import pandas  # type: ignore[import]
    except ImportError:
        raise ImportError(f"{what} needs pandas, which is not installed (pip install pandas); "
                          f"{instead} has the same values") from None
    return pandas


def significant(value: float, digits: int = 4) -> str:
    """A number for text: fixed decimals, "" for NaN."""
    return _html.number(value, digits)


def p_text(p: float) -> str:
    """A p-value: three decimals, "<.001" below."""
    if math.isnan(p):
        return ""
    return "<.001" if p < 0.0005 else f"{p:.3f}"


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], text: Sequence[int] = (0,),
               width: int = 100) -> str:
    """Aligned columns: those in `text` to the left, numbers to the right. The last column wraps if
    it is text and the line would be longer than `width`."""
    cells = [list(header)] + [list(row) for row in rows]
    widths = [max(len(row[c]) for row in cells) for c in range(len(header))]
    last = len(header) - 1
    indent = sum(widths[:last]) + 2 * last
    if last in text:
        widths[last] = max(20, min(widths[last], width - indent))
    lines = []
    for row in cells:
        parts = textwrap.wrap(row[last], widths[last]) or [""] if last in text else [row[last]]
        start = [row[c].ljust(widths[c]) if c in text else row[c].rjust(widths[c])
                 for c in range(last)]
        end = parts[0] if last in text else parts[0].rjust(widths[last])
        lines.append("  ".join(start + [end]).rstrip())
        lines += [" " * indent + part for part in parts[1:]]
    return "\n".join(lines)


class Table(Sequence[Mapping[str, Any]]):
    """A list of rows, each a mapping from column names to values.

    Shown as a table by `print` and in notebooks; `frame` is a pandas DataFrame.
    """

    def __init__(self, title: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]], *,
                 note: str = "") -> None:
        self.title = title
        self.columns = list(columns)
        self._rows = [dict(row) for row in rows]
        self._note = note

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Any]: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Mapping[str, Any]]: ...

    def __getitem__(self, index: int | slice) -> Mapping[str, Any] | Sequence[Mapping[str, Any]]:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self._rows)

    def names(self) -> list[Any]:
        """The values of the first column."""
        return [row[self.columns[0]] for row in self._rows]

    @property
    def frame(self) -> Any:
        """The table as a pandas DataFrame."""
        pandas = need_pandas("Table.frame", "list(table)")
        return pandas.DataFrame(self._rows, columns=self.columns)

    def _cells(self) -> list[list[str]]:
        return [[cell_text(row[name]) for name in self.columns] for row in self._rows]

    def _text_columns(self) -> list[int]:
        return [c for c, name in enumerate(self.columns)
                if not all(isinstance(row[name], (int, float)) for row in self._rows)]

    def __repr__(self) -> str:
        body = text_table(self.columns, self._cells(), self._text_columns())
        return "\n".join(filter(None, (self.title, body, self._note)))

    def _repr_html_(self) -> str:
        texts = self._text_columns()
        cells = self._cells()
        styles = ["" if c not in texts else "long" if max(len(row[c]) for row in cells) > 24
                  else "text" for c in range(len(self.columns))]
        return _html.fragment(_html.head(self.title),
                              _html.table(self.columns, cells, styles=styles),
                              _html.quiet(self._note))


def cell_text(value: object) -> str:
    """The text of one cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(str(item) for item in value)
    return str(value)
