# SPDX-License-Identifier: Apache-2.0
"""Query ids of rows: offsets of contiguous queries, or ids by which the library groups the rows."""
from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradus import _notes
from gradus._arrays import Array, masked

_EXACT = {2: 1 << 11, 4: 1 << 24, 8: 1 << 53}  # whole numbers that floats of n bytes represent


@dataclass
class Queries:
    """Either `starts`, with names, or one id per row in `row_ids` or `row_names`."""

    count: int
    starts: Array | None = None  # uint64, count + 1
    names: list[str] | None = None
    row_ids: Array | None = None  # int64
    row_names: list[str] | None = None

    def arguments(self) -> dict[str, Any]:
        """Arguments of `_core.Dataset.from_arrays`."""
        if self.starts is not None:
            return {"query_starts": self.starts, "query_names": self.names}
        return {"row_query_ids": self.row_ids, "row_query_names": self.row_names}


def from_sizes(group: object, rows: int) -> Queries:
    """Queries from their numbers of rows, in order, as LightGBM and XGBoost have them."""
    sizes = np.asarray(group)
    if sizes.ndim != 1 or (sizes.size and sizes.dtype.kind not in "iu"):
        raise TypeError("group must be a list of whole numbers, the number of rows of each query")
    if sizes.size and int(sizes.min()) < 1:
        at = int(np.argmax(sizes < 1))
        raise ValueError(f"group[{at}] is {sizes[at]}; every query needs at least 1 row")
    starts = np.zeros(len(sizes) + 1, np.uint64)
    starts[1:] = np.cumsum(sizes.astype(np.int64))
    if int(starts[-1]) != rows:
        raise ValueError(f"group sums to {int(starts[-1])} rows, but X has {rows} rows")
    return Queries(len(sizes), starts=starts)


def from_ids(qid: object, rows: int, name: str = "qid") -> Queries:
    """Queries from one id per row, in any order."""
    ids, categories = _ids(qid, name)
    if ids.ndim == 2 and ids.shape[1] == 1:
        ids = ids[:, 0]
    if ids.ndim != 1:
        raise ValueError(f"{name} should be a 1d array, got an array of shape {ids.shape} instead")
    if len(ids) != rows:
        raise ValueError(f"{name} has {len(ids)} values, but X has {rows} rows")
    ids = _checked(ids, name)
    changes = np.flatnonzero(np.asarray(ids[1:] != ids[:-1], dtype=bool)) + 1
    heads = np.concatenate((np.zeros(1, np.int64), changes))
    if ids.dtype.kind == "i":
        return _grouped_numbers(ids, heads, categories)
    runs = ids[heads]
    distinct = _distinct(runs) if runs.dtype.kind in "US" else None
    if distinct is not None and len(distinct[0]) < len(runs):
        return _grouped_repeats(runs, *distinct, heads, rows, name)
    return _grouped_text(runs.tolist(), heads, rows, name)


def _ids(qid: object, name: str) -> tuple[Array, list[str] | None]:
    """An array of ids; those of a Categorical are codes, and the names of its categories."""
    pandas = sys.modules.get("pandas")
    mask = masked(qid)
    if mask is not None:
        raise ValueError(_missing(int(np.argmax(mask)), name))
    if pandas is None or not isinstance(
            qid, (pandas.Series, pandas.Index, pandas.DataFrame,
                  pandas.api.extensions.ExtensionArray)):
        return (qid if isinstance(qid, np.ndarray) else np.asarray(qid)), None
    column: Any = qid.iloc[:, 0] if isinstance(qid, pandas.DataFrame) else qid
    absent = np.asarray(pandas.isna(column))
    if absent.any():
        raise ValueError(_missing(int(np.argmax(absent)), name))
    column = column.array if hasattr(column, "array") else column
    if isinstance(column, pandas.Categorical):
        categories = np.asarray(column.categories)
        every = np.arange(len(categories))
        items = _checked(categories, f"categories of {name}").tolist()
        return np.asarray(column.codes), list(_texts(items, every, name).values())
    if pandas.api.types.is_integer_dtype(column.dtype):
        unsigned = pandas.api.types.is_unsigned_integer_dtype(column.dtype)
        return np.asarray(column.astype("uint64" if unsigned else "int64")), None
    return np.asarray(column), None


def _missing(row: int, name: str) -> str:
    return f"{name} is missing in row {row}; every row needs a query id"


def _checked(ids: Array, name: str) -> Array:
    """Ids as int64, text, bytes or objects."""
    kind = ids.dtype.kind
    if kind == "f":
        return _whole(ids, name)
    if kind == "u" and ids.size and int(ids.max()) > np.iinfo(np.int64).max:
        return ids.astype(object)
    if kind in "iu":
        return ids.astype(np.int64, copy=False)
    if kind == "O":
        return _checked_objects(ids, name)
    if kind not in "US":
        raise TypeError(f"{name} has dtype {ids.dtype}; query ids must be whole numbers or text")
    return ids


def _checked_objects(ids: Array, name: str) -> Array:
    kinds = set(map(type, ids.tolist()))
    absent = {kind for kind in kinds
              if kind is type(None) or kind.__name__ in ("NAType", "NaTType")}
    if absent:
        raise ValueError(_missing(next(row for row, item in enumerate(ids.tolist())
                                       if type(item) in absent), name))
    if kinds and all(issubclass(kind, (int, float, np.number)) and kind is not bool
                     for kind in kinds):
        floats = any(issubclass(kind, (float, np.floating)) for kind in kinds)
        if floats:
            return _whole(ids.astype(np.float64), name)
        try:
            return ids.astype(np.int64)
        except OverflowError:
            return ids
    texts = {kind for kind in kinds if issubclass(kind, (str, bytes))}
    if texts != kinds:
        row = next(row for row, item in enumerate(ids.tolist()) if type(item) not in texts)
        item = ids[row]
        if isinstance(item, float) and item != item:
            raise ValueError(_missing(row, name))
        raise TypeError(f"{name} has {item!r:.60} ({type(item).__name__}) in row {row}; query ids "
                        "must all be whole numbers or all be text")
    return ids


def _whole(ids: Array, name: str) -> Array:
    """Whole numbers that are stored as floats, as in a column of X."""
    bad = ~np.isfinite(ids)
    if bad.any():
        row = int(np.argmax(bad))
        if np.isnan(ids[row]):
            raise ValueError(_missing(row, name))
        raise ValueError(f"{name} has {ids[row]} in row {row}; expected whole numbers or text")
    bad = ids != np.floor(ids)
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(f"{name} has {ids[row]} in row {row}; expected whole numbers or text")
    exact = _EXACT.get(ids.dtype.itemsize, 1 << 53)
    large = np.abs(ids) > exact
    if large.any():
        row = int(np.argmax(large))
        if np.abs(ids[row]) >= 2.0**63:
            raise ValueError(f"{name} has {ids[row]} in row {row}, which is too large")
        _notes.warn(f"{name} has {ids[row]} in row {row}: {ids.dtype} does not represent all whole "
                    f"numbers above {exact}, so different queries may have become equal")
    return ids.astype(np.int64)


def _lengths(heads: Array, rows: int) -> Array:
    return np.diff(np.append(heads, rows))


def _starts(heads: Array, rows: int) -> Array:
    return np.append(heads, rows).astype(np.uint64)


def _grouped_numbers(ids: Array, heads: Array, categories: list[str] | None) -> Queries:
    """heads: the first row of each run of equal ids."""
    runs = ids[heads]
    ordered = np.sort(runs)
    distinct = int((ordered[1:] != ordered[:-1]).sum()) + 1
    named = runs.tolist()
    if distinct == len(runs):
        names = [categories[i] for i in named] if categories else list(map(str, named))
        return Queries(distinct, starts=_starts(heads, len(ids)), names=names)
    if categories is None:
        return Queries(distinct, row_ids=np.ascontiguousarray(ids))
    texts = np.array(categories, dtype=object)
    return Queries(distinct, row_names=texts[ids].tolist())


def _texts(items: list[Any], rows: Array, name: str) -> dict[Any, str]:
    """The text of each distinct id, in order of first appearance."""
    texts = dict.fromkeys(items)
    for item in texts:
        text = item.decode("utf-8", "surrogateescape") if isinstance(item, bytes) else str(item)
        if not text or "\0" in text:
            row = rows[items.index(item)]
            raise ValueError(f"{name} has {text!r} in row {row}; query ids must not be empty or "
                             "contain NUL")
        texts[item] = text
    return texts  # type: ignore[return-value]


def _grouped_text(items: list[Any], heads: Array, rows: int, name: str) -> Queries:
    """items: the id of each run of equal ids."""
    texts = _texts(items, heads, name)
    distinct = len(set(texts.values()))
    is_text = all(item is text for item, text in texts.items())
    names = items if is_text else list(map(texts.__getitem__, items))
    if distinct == len(names):
        return Queries(distinct, starts=_starts(heads, rows), names=names)
    if len(names) < rows:
        names = np.repeat(np.array(names, dtype=object), _lengths(heads, rows)).tolist()
    return Queries(distinct, row_names=names)


def _distinct(runs: Array) -> tuple[Array, Array] | None:
    """Positions of distinct texts, and the number of each text among them, by 64-bit hashes.

    None if two texts have the same hash.
    """
    width = runs.dtype.itemsize
    item = np.uint8 if runs.dtype.kind == "S" else np.uint32
    letters = np.ascontiguousarray(runs, runs.dtype.newbyteorder("=")).view(item)
    hashes = np.zeros(len(runs), np.uint64)
    for column in letters.reshape(len(runs), width // np.dtype(item).itemsize).T:
        hashes = (hashes ^ column) * np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(29)
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    return (first, inverse) if bool((runs[first][inverse] == runs).all()) else None


def _grouped_repeats(runs: Array, first: Array, inverse: Array, heads: Array, rows: int,
                     name: str) -> Queries:
    texts = list(_texts(runs[first].tolist(), heads[first], name).values())
    names = np.array(texts, dtype=object)[inverse]
    if len(names) < rows:
        names = np.repeat(names, _lengths(heads, rows))
    return Queries(len(texts), row_names=names.tolist())


def document_names(document: object, rows: int) -> list[str]:
    """Document ids as text; None and missing ones are empty."""
    names = ["" if item is None or item != item else
             item.decode("utf-8", "surrogateescape") if isinstance(item, bytes) else str(item)
             for item in np.asarray(document, dtype=object).tolist()]
    if len(names) != rows:
        raise ValueError(f"document has {len(names)} values, but X has {rows} rows")
    return names


def row_ids(names: Sequence[str] | None, starts: Array) -> Array:
    """One id per row, from the names of contiguous queries: int64 if all are, else str objects."""
    sizes = np.diff(starts.astype(np.int64))
    if names is None:
        return np.repeat(np.arange(len(sizes)), sizes)
    whole = _as_integers(names)
    if whole is not None:
        return np.repeat(whole, sizes)
    texts = np.empty(len(names), dtype=object)
    texts[:] = names
    return np.repeat(texts, sizes)


def _as_integers(names: Sequence[str]) -> Array | None:
    """The names as int64, if str() of these gives them back."""
    try:
        numbers = [int(name) for name in names]
        if any(str(number) != name for number, name in zip(numbers, names)):
            return None
        return np.array(numbers, dtype=np.int64)
    except (ValueError, OverflowError):
        return None
