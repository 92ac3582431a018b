# SPDX-License-Identifier: Apache-2.0
"""A producer of Arrow C streams in pure Python, and DuckDB as another, through its C interface."""
from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_void_p, cast, pointer
from typing import Any

import numpy as np


class Schema(ctypes.Structure):
    """struct ArrowSchema."""


class Array(ctypes.Structure):
    """struct ArrowArray."""


class Stream(ctypes.Structure):
    """struct ArrowArrayStream."""


RELEASE = ctypes.CFUNCTYPE(None, c_void_p)
GET = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)
ERROR = ctypes.CFUNCTYPE(c_void_p, c_void_p)

Schema._fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p),
                   ("flags", c_int64), ("n_children", c_int64),
                   ("children", POINTER(POINTER(Schema))), ("dictionary", POINTER(Schema)),
                   ("release", c_void_p), ("private_data", c_void_p)]
Array._fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64),
                  ("n_buffers", c_int64), ("n_children", c_int64), ("buffers", POINTER(c_void_p)),
                  ("children", POINTER(POINTER(Array))), ("dictionary", POINTER(Array)),
                  ("release", c_void_p), ("private_data", c_void_p)]
Stream._fields_ = [("get_schema", GET), ("get_next", GET), ("get_last_error", ERROR),
                   ("release", c_void_p), ("private_data", c_void_p)]

NULLABLE = 2
FORMATS = {"f4": b"f", "f8": b"g", "f2": b"e", "i1": b"c", "u1": b"C", "i2": b"s", "u2": b"S",
           "i4": b"i", "u4": b"I", "i8": b"l", "u8": b"L"}


class Producer:
    """Makes a stream from functions that fill in the schema and the next batch.

    The object has `__arrow_c_stream__`; `released` counts streams that the consumer has released.
    """

    def __init__(self) -> None:
        self.released = 0
        self.kept: list[Any] = []
        self.error = b""

    def fill_schema(self, schema: Schema) -> None:
        raise NotImplementedError

    def fill_next(self, array: Array) -> bool:
        """False at the end."""
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        stream = Stream()
        stream.get_schema = GET(self._guard(lambda at: self.fill_schema(
            cast(at, POINTER(Schema)).contents)))
        stream.get_next = GET(self._guard(lambda at: self._next(cast(at, POINTER(Array)).contents)))
        stream.get_last_error = ERROR(lambda _: cast(c_char_p(self.error), c_void_p).value)
        release = RELEASE(self._release)
        stream.release = cast(release, c_void_p).value
        self.kept += [stream, stream.get_schema, stream.get_next, stream.get_last_error, release]
        return _capsule(ctypes.addressof(stream), b"arrow_array_stream")

    def _guard(self, function: Callable[[Any], object]) -> Callable[[Any, Any], int]:
        def call(_: Any, out: Any) -> int:
            try:
                function(out)
            except Exception as error:
                self.error = str(error).encode()
                return 5  # EIO
            return 0
        return call

    def _next(self, array: Array) -> None:
        if not self.fill_next(array):
            array.release = None

    def _release(self, at: Any) -> None:
        self.released += 1
        cast(at, POINTER(Stream)).contents.release = None


def _capsule(address: int, name: bytes) -> Any:
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
    kept_names.append(ctypes.create_string_buffer(name))
    return new(address, kept_names[-1], None)


kept_names: list[Any] = []  # a capsule does not copy its name


# ---- batches of Python lists and arrays


def _bits(truth: Sequence[bool]) -> np.ndarray:
    return np.packbits(np.asarray(truth, bool), bitorder="little")


class Batches(Producer):
    """A table of named columns: numpy arrays, masked arrays (null), lists of str or None."""

    def __init__(self, columns: dict[str, Any], rows_per_batch: int = 7,
                 fail_at: int | None = None) -> None:
        super().__init__()
        self.columns = columns
        self.rows = len(next(iter(columns.values())))
        self.step = rows_per_batch
        self.at = 0
        self.fail_at = fail_at

    def fill_schema(self, schema: Schema) -> None:
        children = [self._column_schema(name, column) for name, column in self.columns.items()]
        _set_schema(schema, b"+s", b"", children, self.kept)

    def _column_schema(self, name: str, column: Any) -> Schema:
        child = Schema()
        _set_schema(child, _format(column), name.encode(), [], self.kept)
        return child

    def fill_next(self, array: Array) -> bool:
        if self.fail_at is not None and self.at >= self.fail_at:
            raise OSError("the disk is on strike")
        if self.at >= self.rows:
            return False
        part = slice(self.at, min(self.at + self.step, self.rows))
        children = [self._column(column[part]) for column in self.columns.values()]
        _set_array(array, part.stop - part.start, 0, [None], children, self.kept)
        self.at = part.stop
        return True

    def _column(self, column: Any) -> Array:
        array = Array()
        if isinstance(column, list):
            present = [item is not None for item in column]
            texts = [(item or "").encode() for item in column]
            offsets = np.cumsum([0] + [len(text) for text in texts]).astype(np.int32)
            data = np.frombuffer(b"".join(texts) + b" ", np.uint8)
            buffers = [_bits(present), offsets, data]
        else:
            present = ~np.ma.getmaskarray(column)
            data = np.ma.getdata(column)
            data = _bits(data) if data.dtype == bool else np.ascontiguousarray(data)
            buffers = [_bits(present), data]
        _set_array(array, len(column), len(column) - int(np.sum(present)), buffers, [], self.kept)
        return array


def _format(column: Any) -> bytes:
    if isinstance(column, list):
        return b"u"
    kind = np.ma.getdata(column).dtype
    return b"b" if kind == bool else FORMATS[kind.str[1:]]


@RELEASE
def _release_schema(at: Any) -> None:
    cast(at, POINTER(Schema)).contents.release = None


@RELEASE
def _release_array(at: Any) -> None:
    cast(at, POINTER(Array)).contents.release = None


def _set_schema(schema: Schema, kind: bytes, name: bytes, children: list[Schema],
                kept: list[Any]) -> None:
    pointers = (POINTER(Schema) * max(1, len(children)))(*map(pointer, children))
    schema.format, schema.name, schema.flags = kind, name, NULLABLE
    schema.n_children = len(children)
    schema.children = cast(pointers, POINTER(POINTER(Schema)))
    schema.release = cast(_release_schema, c_void_p).value
    kept += [children, pointers, kind, name]


def _set_array(array: Array, length: int, nulls: int, buffers: list[Any], children: list[Array],
               kept: list[Any]) -> None:
    addresses = [None if one is None else one.ctypes.data for one in buffers]
    pointers = (POINTER(Array) * max(1, len(children)))(*map(pointer, children))
    places = (c_void_p * len(buffers))(*addresses)
    array.length, array.null_count, array.offset = length, nulls, 0
    array.n_buffers, array.n_children = len(buffers), len(children)
    array.buffers = cast(places, POINTER(c_void_p))
    array.children = cast(pointers, POINTER(POINTER(Array)))
    array.release = cast(_release_array, c_void_p).value
    kept += [buffers, children, pointers, places]


# ---- DuckDB


class Duck:
    """A connection to DuckDB in memory."""

    def __init__(self, library: str) -> None:
        self.lib = ctypes.CDLL(library)
        self.lib.duckdb_query_arrow_error.restype = c_char_p
        self.database, self.connection = c_void_p(), c_void_p()
        assert self.lib.duckdb_open(None, byref(self.database)) == 0
        assert self.lib.duckdb_connect(self.database, byref(self.connection)) == 0

    def run(self, query: str) -> None:
        DuckResult(self, query).close()

    def close(self) -> None:
        self.lib.duckdb_disconnect(byref(self.connection))
        self.lib.duckdb_close(byref(self.database))


class DuckResult(Producer):
    """The result of a query as an Arrow stream."""

    def __init__(self, duck: Duck, query: str) -> None:
        super().__init__()
        self.lib = duck.lib
        self.result = c_void_p()
        if self.lib.duckdb_query_arrow(duck.connection, query.encode(), byref(self.result)) != 0:
            message = self.lib.duckdb_query_arrow_error(self.result).decode()
            self.close()
            raise RuntimeError(message)

    def fill_schema(self, schema: Schema) -> None:
        place = pointer(schema)
        assert self.lib.duckdb_query_arrow_schema(self.result, byref(place)) == 0

    def fill_next(self, array: Array) -> bool:
        array.release = None
        place = pointer(array)
        assert self.lib.duckdb_query_arrow_array(self.result, byref(place)) == 0
        return bool(array.release) and array.length > 0

    def _release(self, at: Any) -> None:
        super()._release(at)
        self.close()

    def close(self) -> None:
        if self.result:
            self.lib.duckdb_destroy_arrow(byref(self.result))
