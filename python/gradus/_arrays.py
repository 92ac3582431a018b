# SPDX-License-Identifier: Apache-2.0
"""Features, labels and weights as the float32 arrays of the library.

Arrays that already have its layout are passed on without copying; all others are converted once.
Messages name rows and columns by their positions, from 0.
"""
from __future__ import annotations

import decimal
import numbers
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from gradus import _core, _notes

Array = npt.NDArray[Any]

_BLOCK = 1 << 16  # items checked at a time, so that temporary arrays stay in the cache


@dataclass
class Features:
    """The features of all rows: dense `values`, or the three arrays of a CSR matrix."""

    rows: int
    features: int
    values: Array | None = None  # float32, rows x features; the items of a row are contiguous
    row_starts: Array | None = None  # uint64
    columns: Array | None = None  # uint32
    entries: Array | None = None  # float32
    names: list[str] | None = None

    def arguments(self) -> dict[str, Any]:
        """Arguments of `_core.Dataset.from_arrays`."""
        given: dict[str, Any] = {"rows": self.rows, "features": self.features}
        if self.values is None:
            given.update(row_starts=self.row_starts, columns=self.columns, entries=self.entries)
            return given
        stride = max(self.values.strides[0] // 4, self.features)
        given.update(values=_flat(self.values, stride), stride=stride)
        return given


@dataclass
class Chosen:
    """A table without the columns that are not features, and those columns by role."""

    features: Features
    columns: dict[str, object] = field(default_factory=dict)


def _flat(values: Array, stride: int) -> Array:
    """The memory of rows that are `stride` items apart, as an array of one dimension."""
    if values.flags.c_contiguous:
        return values.reshape(-1)
    items = (values.shape[0] - 1) * stride + values.shape[1]
    return np.lib.stride_tricks.as_strided(values, (items,), (4,), writeable=False)


# ---- tables


def choose(X: object, roles: Mapping[str, object], names: Sequence[str] | None,
           optional: bool) -> Chosen:
    """Converts a table, of which `roles` names columns that are not features ("query": "qid").

    A column is named by its name in a DataFrame, by its index in an array. optional: a column that
    a DataFrame does not have is ignored.
    """
    wanted = {role: word for role, word in roles.items() if word is not None}
    if is_frame(X):
        chosen = _choose_frame(X, wanted, optional)
    elif is_sparse(X):
        chosen = _choose_sparse(X, wanted)
    else:
        chosen = _choose_array(as_table(X), wanted)
    if names is not None:
        chosen.features.names = _given_names(names, chosen.features.features)
    return chosen


def _given_names(names: Sequence[str], features: int) -> list[str]:
    given = list(names)
    for index, name in enumerate(given):
        if not isinstance(name, str):
            raise TypeError(f"feature_names[{index}] is {name!r}, expected str")
    if len(given) != features:
        raise ValueError(f"feature_names has {len(given)} names, but X has {features} features")
    return given


def as_table(X: object) -> Array:
    """X as an array of two dimensions."""
    array = X if isinstance(X, np.ndarray) else np.asarray(X)
    if isinstance(array, np.matrix):
        array = np.asarray(array)
    if array.ndim != 2:
        raise ValueError(_wrong_dimensions(array))
    _check_size(array.shape)
    return array


def _wrong_dimensions(array: Array) -> str:
    if array.ndim > 2:
        return f"Found array with dim {array.ndim}. X is expected to have 2 dimensions."
    kind = "scalar" if array.ndim == 0 else "1D"
    return (
        f"Expected 2D array, got {kind} array instead:\narray={array}.\n"
        "Reshape your data either using array.reshape(-1, 1) if your data has a single feature "
        "or array.reshape(1, -1) if it contains a single sample."
    )


def _check_size(shape: tuple[int, ...], removed: int = 0) -> None:
    """Raises scikit-learn's errors for tables without rows or features."""
    for count, name in ((shape[0], "sample"), (shape[1] - removed, "feature")):
        if count < 1:
            raise ValueError(
                f"Found array with {max(count, 0)} {name}(s) (shape={tuple(shape)}) "
                "while a minimum of 1 is required."
            )


def masked(array: object) -> Array | None:
    """Where the values of a masked array are missing; None: nowhere."""
    if not isinstance(array, np.ma.MaskedArray):
        return None
    mask: Array = np.ma.getmaskarray(array)  # type: ignore[no-untyped-call]
    return mask if mask.any() else None


def is_frame(X: object) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def is_sparse(X: object) -> bool:
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def _column_index(word: object, width: int, role: str) -> int:
    if isinstance(word, str):
        raise ValueError(
            f"{role}={word!r} names a column, but X has no column names: give the index of the "
            "column, or a DataFrame"
        )
    if isinstance(word, bool) or not isinstance(word, (int, np.integer)):
        raise TypeError(f"{role} must be the index of a column of X, not {type(word).__name__}")
    index = int(word) + (width if word < 0 else 0)
    if not 0 <= index < width:
        raise ValueError(f"{role}={word} is not a column of X, which has {width} columns")
    return index


def _kept(width: int, removed: Sequence[int], shape: tuple[int, ...]) -> slice | list[int]:
    """The columns that remain: a slice if possible, which needs no copy."""
    _check_size(shape, len(set(removed)))
    kept = [column for column in range(width) if column not in set(removed)]
    if kept[-1] - kept[0] + 1 == len(kept):
        return slice(kept[0], kept[-1] + 1)
    return kept


def _choose_array(array: Array, roles: dict[str, object]) -> Chosen:
    width = array.shape[1]
    found = {role: _column_index(word, width, role) for role, word in roles.items()}
    columns: dict[str, object] = {role: array[:, index] for role, index in found.items()}
    positions: Array | None = None
    if found:
        kept = _kept(width, list(found.values()), array.shape)
        positions = np.arange(width)[kept]
        array = array[:, kept]
    values = dense(array, positions=positions)
    return Chosen(Features(values.shape[0], values.shape[1], values=values), columns)


# ---- dense values


def dense(array: Array, names: Sequence[str] | None = None,
          positions: Array | None = None) -> Array:
    """Float32 values of an array of two dimensions, the items of each row contiguous."""
    what = _Place(names, positions)
    mask = masked(array)
    plain = np.asarray(array)
    if plain.dtype == object:
        with np.errstate(over="ignore"):
            values = _numbers_of(plain, what).astype(np.float32)
    elif is_borrowable(plain):
        values = plain
    else:
        check_type(plain.dtype, plain, what)
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.array(plain, dtype=np.float32, order="C")
    if mask is not None:
        values = np.array(values, order="C") if values is plain else values
        values[mask] = np.nan
    _check_infinite(values, plain, what)
    return values


def is_borrowable(array: Array) -> bool:
    """Whether the library can use the memory of the array."""
    rows, features = array.shape
    if array.dtype != np.float32 or not array.dtype.isnative or not array.flags.aligned:
        return False
    if features > 1 and array.strides[1] != 4:
        return False
    return rows == 1 or (array.strides[0] >= 4 * features and array.strides[0] % 4 == 0)


@dataclass
class _Place:
    """Names the position of a value: "row 3, column 2 ('bm25')"."""

    names: Sequence[str] | None = None  # of the columns
    positions: Array | None = None  # columns of the user's array
    name: str = "X"
    first_row: int = 0

    def at(self, row: int, column: int | None = None) -> str:
        text = f"row {row + self.first_row}"
        if column is None:
            return text
        position = int(self.positions[column]) if self.positions is not None else column
        text += f", column {position}"
        return f"{text} ({self.names[column]!r})" if self.names is not None else text


def check_type(dtype: np.dtype[Any], array: Array, what: _Place) -> None:
    """Raises an error unless values of the type are numbers."""
    if dtype.kind in "biuf":
        return
    if dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {what.name} has dtype {dtype}")
    place = what.at(0, 0 if array.ndim > 1 else None)
    if dtype.names is not None:
        raise TypeError(f"{what.name} is a structured array, expected numbers: pass a DataFrame")
    if dtype.kind in "US":
        raise TypeError(f"{what.name} has text, {array.flat[0].item()!r} in {place}; expected "
                        "numbers")
    raise TypeError(f"{what.name} has dtype {dtype} ({array.flat[0]} in {place}); expected numbers")


def _is_missing(kind: type) -> bool:
    return kind is type(None) or kind.__name__ in ("NAType", "NaTType")


def _is_number(kind: type) -> bool:
    return issubclass(kind, (numbers.Real, np.bool_, decimal.Decimal))


def _numbers_of(array: Array, what: _Place) -> Array:
    """Float64 values of an array of Python objects; None and NA are missing."""
    items = array.ravel().tolist()
    kinds = set(map(type, items))
    if any(issubclass(kind, (complex, np.complexfloating)) for kind in kinds):
        raise ValueError(f"Complex data not supported: {what.name} has complex numbers")
    wrong = {kind for kind in kinds if not (_is_number(kind) or _is_missing(kind))}
    if wrong:
        at = next(index for index, item in enumerate(items) if type(item) in wrong)
        raise TypeError(_not_a_number(items[at], what, np.unravel_index(at, array.shape)))
    if any(_is_missing(kind) for kind in kinds):
        items = [np.nan if _is_missing(type(item)) else item for item in items]
    try:
        return np.array(items, dtype=np.float64).reshape(array.shape)
    except OverflowError:
        return np.array([_float(item) for item in items]).reshape(array.shape)


def _float(item: Any) -> float:
    try:
        return float(item)
    except OverflowError:
        return np.inf if item > 0 else -np.inf


def _not_a_number(item: object, what: _Place, at: Sequence[Any]) -> str:
    place = what.at(*(int(index) for index in at))
    if isinstance(item, (str, bytes)):
        return f"{what.name} has text, {item!r:.60} in {place}; expected numbers"
    return (
        f"{what.name} has {item!r:.60} in {place}: float() argument must be a string or a real "
        f"number, not {type(item).__name__!r}"
    )


def _check_infinite(values: Array, source: Array, what: _Place) -> None:
    """Raises an error for the first value that is infinite as float32, as file readers do."""
    rows, features = values.shape
    step = max(1, _BLOCK // max(features, 1))
    for first in range(0, rows, step):
        infinite = np.isinf(values[first:first + step])
        if infinite.any():
            row, column = (int(index) for index in np.argwhere(infinite)[0])
            row += first
            raise ValueError(_too_large(source[row, column], what, what.at(row, column)))


def _too_large(value: object, what: _Place, place: str) -> str:
    if isinstance(value, (float, np.floating)) and np.isinf(value):
        return f"{what.name} has {value} in {place}; expected finite numbers or NaN (missing)"
    return f"{what.name} has {value} in {place}, which is too large for float32 (infinity)"


# ---- sparse values


def _choose_sparse(X: Any, roles: dict[str, object]) -> Chosen:
    if X.ndim != 2:
        raise ValueError(f"Found array with dim {X.ndim}. X is expected to have 2 dimensions.")
    _check_size(X.shape)
    check_type(X.dtype, np.zeros((1, 1), X.dtype), _Place())
    width = X.shape[1]
    found = {role: _column_index(word, width, role) for role, word in roles.items()}
    columns: dict[str, object] = {}
    if found:
        by_column = X.tocsc()
        columns = {role: by_column[:, [index]].toarray().ravel() for role, index in found.items()}
        kept = np.arange(width)[_kept(width, list(found.values()), X.shape)]
        X = by_column[:, kept]
    return Chosen(_sparse(X), columns)


def _sparse(X: Any) -> Features:
    matrix = X.tocsr()
    _check_offsets(matrix)
    if not matrix.has_canonical_format:  # indices unsorted or repeated
        matrix = matrix.copy()
        matrix.sum_duplicates()
    count = int(matrix.indptr[-1])
    entries = np.asarray(matrix.data[:count])
    source = entries
    if entries.dtype != np.float32 or not entries.dtype.isnative:
        with np.errstate(over="ignore", invalid="ignore"):
            entries = entries.astype(np.float32)
    columns = np.asarray(matrix.indices[:count])
    _check_columns(columns, matrix.shape[1])
    columns = columns.view(np.uint32) if columns.dtype == np.int32 else columns.astype(np.uint32)
    _check_infinite_entries(entries, source, matrix)
    rows, features = matrix.shape
    return Features(rows, features, row_starts=matrix.indptr.astype(np.uint64),
                    columns=np.ascontiguousarray(columns), entries=np.ascontiguousarray(entries))


def _check_offsets(matrix: Any) -> None:
    """Raises an error for offsets that would read outside of the arrays."""
    starts = matrix.indptr
    if (len(starts) != matrix.shape[0] + 1 or starts[0] != 0 or bool((np.diff(starts) < 0).any())
            or starts[-1] > min(len(matrix.indices), len(matrix.data))):
        raise ValueError("X is not a valid CSR matrix: indptr must rise from 0 to the number of "
                         "entries")


def _check_columns(columns: Array, features: int) -> None:
    if columns.size and not 0 <= int(columns.min()) <= int(columns.max()) < features:
        raise ValueError(f"X is not a valid CSR matrix: indices must be from 0 to {features - 1}")


def _check_infinite_entries(entries: Array, source: Array, matrix: Any) -> None:
    for first in range(0, len(entries), _BLOCK):
        infinite = np.isinf(entries[first:first + _BLOCK])
        if infinite.any():
            at = first + int(np.argmax(infinite))
            row = int(np.searchsorted(matrix.indptr, at, side="right")) - 1
            what = _Place()
            place = what.at(row, int(matrix.indices[at]))
            raise ValueError(_too_large(source[at], what, place))


# ---- pandas


def _choose_frame(frame: Any, roles: dict[str, object], optional: bool) -> Chosen:
    labels = list(frame.columns)
    found: dict[str, int] = {}
    for role, word in roles.items():
        index = _frame_column(labels, word, role, optional)
        if index is not None:
            found[role] = index
    columns: dict[str, object] = {role: frame.iloc[:, at] for role, at in found.items()}
    _check_size(frame.shape)
    kept = _kept(len(labels), list(found.values()), frame.shape) if found else slice(None)
    positions = np.arange(len(labels))[kept]
    kept_labels = [labels[at] for at in positions]
    named = all(isinstance(label, str) for label in kept_labels)
    values = _frame_values(frame, [str(label) for label in kept_labels], positions)
    names = kept_labels if named else None
    return Chosen(Features(values.shape[0], values.shape[1], values=values, names=names), columns)


def _frame_column(labels: list[Any], word: object, role: str, optional: bool) -> int | None:
    found = [at for at, label in enumerate(labels) if label == word]
    if len(found) > 1:
        raise ValueError(f"{role}={word!r}: X has {len(found)} columns of that name")
    if found:
        return found[0]
    if isinstance(word, (int, np.integer)) and not isinstance(word, bool):
        if not optional or _has_index(labels, int(word)):
            return _column_index(word, len(labels), role)
    if optional:
        return None
    texts = [str(label) for label in labels]
    nearest = _core.suggest(str(word), texts)
    hint = f"; did you mean {nearest!r}?" if nearest else ""
    raise ValueError(f"{role}={word!r} is not a column of X{hint}")


def _has_index(labels: list[Any], index: int) -> bool:
    """Whether a number that is no label is the index of a column; labels may be numbers, too."""
    named = not all(isinstance(label, (int, np.integer)) for label in labels)
    return -len(labels) <= index < (len(labels) if named else 0)


def _frame_values(frame: Any, names: list[str], positions: Array) -> Array:
    """Float32 values of columns of a DataFrame: its own memory if they are one block of float32."""
    kinds = set(frame.dtypes)
    if len(kinds) == 1 and len(names) == frame.shape[1]:
        (kind,) = kinds
        if isinstance(kind, np.dtype) and kind.kind in "biufc":
            return dense(frame.to_numpy(), names, positions)
    every = [column for _, column in frame.items()]  # much faster than iloc
    columns = [_series_numbers(every[at], _Place([name], positions[i:i + 1]))
               for i, (name, at) in enumerate(zip(names, positions.tolist()))]
    block = _common_block(columns)
    if block is not None:
        return dense(block, names, positions)
    values = _interleaved(columns)
    what = _Place(names, positions)
    try:
        _check_infinite(values, values, what)
    except ValueError:
        row, column_at = (int(index) for index in np.argwhere(np.isinf(values))[0])
        raise ValueError(_too_large(columns[column_at][row], what,
                                    what.at(row, column_at))) from None
    return values


def _interleaved(columns: list[Array]) -> Array:
    """Rows of float32 from columns, some rows at a time to stay in the cache."""
    rows = len(columns[0])
    values = np.empty((rows, len(columns)), np.float32)
    step = max(1, _BLOCK // len(columns))
    with np.errstate(over="ignore", invalid="ignore"):
        for first in range(0, rows, step):
            for at, column in enumerate(columns):
                values[first:first + step, at] = column[first:first + step]
    return values


def _common_block(columns: list[Array]) -> Array | None:
    """The rows of which float32 columns are views, if their items are adjacent; otherwise None."""
    first, stride = columns[0], columns[0].strides[0]
    address, owner = first.ctypes.data, _owner(first)
    for at, column in enumerate(columns):
        if (column.dtype != np.float32 or column.strides[0] != stride
                or column.ctypes.data != address + 4 * at or _owner(column) is not owner):
            return None
    if stride < 4 * len(columns):
        return None
    shape = (len(first), len(columns))
    return np.lib.stride_tricks.as_strided(first, shape, (stride, 4), writeable=False)


def _owner(array: Array) -> object:
    """The object whose memory an array uses."""
    owner: Any = array
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    return owner


def _series_numbers(series: Any, what: _Place) -> Array:
    """The numbers of a pandas Series or extension array, NaN where they are missing."""
    pandas = sys.modules["pandas"]
    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        return _category_numbers(series, what)
    if isinstance(dtype, np.dtype):
        array: Array = np.asarray(series.to_numpy())
        if array.dtype == object:
            return _column_numbers(array, what)
        _check_column_type(array.dtype, array, what)
        return array
    if pandas.api.types.is_numeric_dtype(dtype) or pandas.api.types.is_bool_dtype(dtype):
        if pandas.api.types.is_complex_dtype(dtype):
            raise ValueError(f"Complex data not supported: {what.name} has dtype {dtype}")
        exact = np.float32 if str(dtype) in ("Float32", "boolean") else np.float64
        if isinstance(dtype, pandas.SparseDtype):
            return np.asarray(series, dtype=exact)
        return np.asarray(series.to_numpy(dtype=exact, na_value=np.nan))
    return _column_numbers(np.asarray(series, dtype=object), what)


def _category_numbers(series: Any, what: _Place) -> Array:
    category = series.array if hasattr(series, "array") else series
    values = category.categories.to_numpy()
    if values.dtype == object or values.dtype.kind not in "biuf":
        place = what.at(0, 0) if what.names is not None else ""
        column = place.partition(", ")[2] or what.name
        shown = repr(values[0]) if len(values) else "no values"
        raise TypeError(f"{column} is categorical with categories that are not numbers ({shown}); "
                        "encode it as numbers, such as its codes")
    table = np.append(values.astype(np.float64), np.nan)  # code -1: missing
    return np.asarray(table[np.asarray(category.codes)])


def _column_numbers(array: Array, what: _Place) -> Array:
    table = array.reshape(-1, 1) if what.names is not None else array
    return _numbers_of(table, what).reshape(-1)


def _check_column_type(dtype: np.dtype[Any], array: Array, what: _Place) -> None:
    shaped = array.reshape(-1, 1) if what.names is not None else array
    check_type(dtype, shaped, what)


# ---- one number per row


def vector(values: object, rows: int, name: str, of: str = "rows") -> Array:
    """Float32 numbers, one per row; the range of values is not checked."""
    what = _Place(name=name)
    if _is_pandas_column(values):
        array = _series_numbers(values, what)
    else:
        array = _as_vector(values, name)
        mask = masked(array)
        if mask is not None:
            array = np.array(array, dtype=np.float64)
            array[mask] = np.nan
        if array.dtype == object:
            array = _numbers_of(array, what)
        elif array.size:
            check_type(array.dtype, array, what)
    if len(array) != rows:
        raise ValueError(f"{name} has {len(array)} values, but X has {rows} {of}")
    with np.errstate(over="ignore", invalid="ignore"):
        numbers_ = np.ascontiguousarray(array, dtype=np.float32)
    return numbers_ if numbers_.dtype.isnative else numbers_.astype(np.float32)


def labels(values: object, rows: int) -> Array:
    """Labels: finite float32 numbers."""
    array = vector(values, rows, "y")
    bad = ~np.isfinite(array)
    if bad.any():
        row = int(np.argmax(bad))
        found = "NaN" if np.isnan(array[row]) else "infinity or a value too large for float32"
        raise ValueError(f"Input y contains {found} in row {row}; labels must be finite numbers")
    return array


def weights(values: object, rows: int, name: str = "weight", of: str = "rows") -> Array:
    """Weights: finite float32 numbers >= 0."""
    array = vector(values, rows, name, of)
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        place = {"rows": "row", "queries": "query"}[of]
        raise ValueError(f"{name} has {array[row]} in {place} {row}; expected finite numbers >= 0")
    return array


def _is_pandas_column(values: object) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(
        values, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray))


def _as_vector(values: object, name: str) -> Array:
    if is_frame(values):
        values = values.to_numpy()  # type: ignore[attr-defined]
    array = values if isinstance(values, np.ndarray) else np.asarray(values)
    if isinstance(array, np.matrix):
        array = np.asarray(array)
    if array.ndim == 2 and array.shape[1] == 1:
        _warn_of_column(name)
        return array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} should be a 1d array, got an array of shape {array.shape} "
                         "instead.")
    return array


def _warn_of_column(name: str) -> None:
    exceptions = sys.modules.get("sklearn.exceptions")
    category: type[Warning] = _notes.GradusWarning
    if exceptions is not None:
        category = exceptions.DataConversionWarning
    _notes.warn(
        f"A column-vector {name} was passed when a 1d array was expected. Please change the shape "
        f"of {name} to (n_samples,), for example using ravel().", category)
