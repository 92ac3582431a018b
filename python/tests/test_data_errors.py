# SPDX-License-Identifier: Apache-2.0
"""Bad input: the type of the exception, and a message that names the row and the column."""
from __future__ import annotations

import warnings
from datetime import datetime
from typing import Any

import numpy as np
import pandas
import pytest
from scipy import sparse

import gradus
from gradus.data import as_dataset

X = np.arange(12, dtype=np.float32).reshape(4, 3)
Y = [0, 1, 2, 1]
Q = [1, 1, 2, 2]


def changed(value: object, kind: Any = "f8", row: int = 2, column: int = 1) -> np.ndarray:
    array = X.astype(kind)
    array[row, column] = value
    return array


def frame(value: object = None, **columns: Any) -> pandas.DataFrame:
    table = pandas.DataFrame(X, columns=["a", "bm25", "c"])
    if value is not None:
        table = table.astype({"bm25": object})
        table.iloc[2, 1] = value
    for name, column in columns.items():
        table[name] = column
    return table


def csr(**changes: Any) -> Any:
    matrix = sparse.csr_matrix(X)
    for name, value in changes.items():
        setattr(matrix, name, value)
    return matrix


# X, exception, message
TABLES: list[tuple[Any, type[Exception], str]] = [
    (np.empty((0, 3)), ValueError, r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is req"),
    (np.empty((4, 0)), ValueError, r"0 feature\(s\) \(shape=\(4, 0\)\) while a minimum of 1 is"),
    (sparse.csr_matrix((4, 0)), ValueError, r"0 feature\(s\) \(shape=\(4, 0\)\)"),
    (sparse.csr_matrix((0, 3)), ValueError, r"0 sample\(s\) \(shape=\(0, 3\)\)"),
    (pandas.DataFrame(index=range(4)), ValueError, r"0 feature\(s\)"),
    ([], ValueError, "Expected 2D array, got 1D array"),
    (X[0], ValueError, "Expected 2D array, got 1D array instead(.|\n)*Reshape your data"),
    (pandas.Series(X[0]), ValueError, "Reshape your data"),
    (5, ValueError, "Expected 2D array, got scalar array"),
    (X.reshape(2, 2, 3), ValueError, "Found array with dim 3"),
    ([[1, 2], [3]], ValueError, "inhomogeneous"),
    (X + 1j, ValueError, "Complex data not supported"),
    (changed(1j, object), ValueError, "Complex data not supported"),
    (frame(c=[1j] * 4), ValueError, "Complex data not supported"),
    (sparse.csr_matrix(X + 1j), ValueError, "Complex data not supported"),
    (changed(np.inf), ValueError, "X has inf in row 2, column 1"),
    (changed(-np.inf, "f4"), ValueError, "X has -inf in row 2, column 1"),
    (np.asfortranarray(changed(np.inf, "f4")), ValueError, "X has inf in row 2, column 1"),
    (changed(1e39), ValueError, r"X has 1e\+39 in row 2, column 1, which is too large for float32"),
    (changed(10**400, object), ValueError, "row 2, column 1"),
    (changed(1e39, object), ValueError, "X has 1e.39 in row 2, column 1, which is too large"),
    (sparse.csr_matrix(changed(np.inf)), ValueError, "X has inf in row 2, column 1"),
    (sparse.csc_matrix(changed(-1e39)), ValueError, r"X has -1e\+39 in row 2, column 1"),
    (pandas.DataFrame(changed(1e39), columns=["a", "bm25", "c"]), ValueError,
     r"X has 1e\+39 in row 2, column 1 \('bm25'\)"),
    (frame(1e39), ValueError, r"row 2, column 1 \('bm25'\), which is too large"),
    (frame(c=np.array([1, np.inf, 2, 3])), ValueError, r"X has inf in row 1, column 2 \('c'\)"),
    (changed("high", object), TypeError, "X has text, 'high' in row 2, column 1"),
    (changed("1.5", object), TypeError, "X has text, '1.5' in row 2, column 1"),
    (changed({"a": 1}, object), TypeError,
     "row 2, column 1: float.. argument must be a string or a real number, not 'dict'"),
    (X.astype("U"), TypeError, "X has text, '0.0' in row 0, column 0"),
    (X.astype("S"), TypeError, "X has text, b'0.0' in row 0, column 0"),
    (X.astype("i8").astype("M8[s]"), TypeError, r"dtype datetime64\[s\]"),
    (np.zeros(4, [("a", "f4")]).reshape(4, 1), TypeError, "structured array"),
    (frame("high"), TypeError, r"X has text, 'high' in row 2, column 1 \('bm25'\)"),
    (frame(c=pandas.Series(list("abcd"), dtype="string")), TypeError,
     r"X has text, 'a' in row 0, column 2 \('c'\)"),
    (frame(c=[datetime(2020, 1, 1)] * 4), TypeError, r"column 2 \('c'\)"),
    (frame(c=pandas.Categorical(list("abca"))), TypeError,
     r"column 2 \('c'\) is categorical with categories that are not numbers \('a'\)"),
    (csr(indptr=np.array([0, 9, 3, 6, 9], np.int32)), ValueError, "not a valid CSR matrix"),
    (csr(indices=np.array([1, 2, 0, 1, 7, 0, 1, 2, 0, 1, 2], np.int32)), ValueError,
     "indices must be from 0 to 2"),
    (csr(indices=np.array([1, 2, 0, 1, -7, 0, 1, 2, 0, 1, 2], np.int32)), ValueError,
     "indices must be from 0 to 2"),
    (csr(indices=np.array([1, 2, 0, 1, -7, 0, 1, 2, 0, 1, 2])), ValueError, "from 0 to 2"),
    ({"a": 1}, ValueError, "Expected 2D array, got scalar"),
    (None, ValueError, "Expected 2D array, got scalar"),
    ((X,), ValueError, r"a tuple of 1 items; expected \(X, y\)"),
]


@pytest.mark.parametrize("number", range(len(TABLES)))
def test_bad_features(number: int) -> None:
    table, error, message = TABLES[number]
    y = None if isinstance(table, tuple) else Y
    with pytest.raises(error, match=message):
        as_dataset(table, y, None)


# y, exception, message
BAD_LABELS: list[tuple[Any, type[Exception], str]] = [
    ([0, 1, np.nan, 1], ValueError, "Input y contains NaN in row 2"),
    ([0, 1, 2, None], ValueError, "Input y contains NaN in row 3"),
    ([0, -np.inf, 2, 1], ValueError, "Input y contains infinity.* in row 1"),
    ([0, 1e39, 2, 1], ValueError, "too large for float32 in row 1"),
    (np.ma.masked_array(Y, [0, 1, 0, 0]), ValueError, "NaN in row 1"),
    (pandas.Series([0, 1, 2, None], dtype="Int64"), ValueError, "NaN in row 3"),
    (["a", "b", "a", "b"], TypeError, "y has text, 'a' in row 0"),
    (np.array([1, 2, "x", 3], dtype=object), TypeError, "y has text, 'x' in row 2"),
    (pandas.Series([1, 2, "x", 3]), TypeError, "y has text, 'x' in row 2"),
    (pandas.Categorical(list("abab")), TypeError, "y is categorical with categories that are not"),
    (np.array(Y) + 1j, ValueError, "Complex data not supported"),
    ([0, 1, 2], ValueError, "y has 3 values, but X has 4 rows"),
    ([], ValueError, "y has 0 values, but X has 4 rows"),
    (np.zeros((4, 2)), ValueError, r"y should be a 1d array, got an array of shape \(4, 2\)"),
    (3, ValueError, "y should be a 1d array"),
    (None, ValueError, "requires y to be passed, but the target y is None"),
    (np.array(Y, dtype="M8[s]"), TypeError, "y has dtype datetime64"),
]


@pytest.mark.parametrize("number", range(len(BAD_LABELS)))
def test_bad_labels(number: int) -> None:
    y, error, message = BAD_LABELS[number]
    with pytest.raises(error, match=message):
        as_dataset(X, y, Q)


# qid, exception, message
BAD_QUERIES: list[tuple[Any, type[Exception], str]] = [
    ([1, 1, np.nan, 2], ValueError, "qid is missing in row 2"),
    (["a", "a", None, "b"], ValueError, "qid is missing in row 2"),
    (np.array(["a", "a", np.nan, "b"], dtype=object), ValueError, "qid is missing in row 2"),
    (pandas.Series(["a", None, "a", "b"]), ValueError, "qid is missing in row 1"),
    (pandas.Series([1, 1, 2, None], dtype="Int64"), ValueError, "qid is missing in row 3"),
    (pandas.Categorical(["a", None, "a", "b"]), ValueError, "qid is missing in row 1"),
    (np.ma.masked_array(Q, [0, 0, 0, 1]), ValueError, "qid is missing in row 3"),
    (np.array(["a", pandas.NA, "a", "b"], dtype=object), ValueError, "qid is missing in row 1"),
    ([1, 1, 2.5, 2], ValueError, "qid has 2.5 in row 2; expected whole numbers or text"),
    ([1, 1, np.inf, 2], ValueError, "qid has inf in row 2"),
    ([1, 1, 1e19, 2], ValueError, r"qid has 1e\+19 in row 2, which is too large"),
    ([True, True, False, False], TypeError, "qid has dtype bool"),
    (np.array([1, "a", 2, 2], dtype=object), TypeError, r"qid has 1 \(int\) in row 0"),
    (np.array(["a", "a", (1, 2), 2], dtype=object), TypeError,
     r"qid has \(1, 2\) \(tuple\) in row 2"),
    (["a", "a", "", "b"], ValueError, "qid has '' in row 2"),
    (np.array(["a", "a\0b", "c", "b"], dtype=object), ValueError, "qid has 'a.x00b' in row 1"),
    (np.array(Q, dtype="M8[s]"), TypeError, "qid has dtype datetime64"),
    ([1, 1, 2], ValueError, "qid has 3 values, but X has 4 rows"),
    (np.zeros((4, 2)), ValueError, r"qid should be a 1d array, got an array of shape \(4, 2\)"),
    (7, ValueError, "qid should be a 1d array"),
]


@pytest.mark.parametrize("number", range(len(BAD_QUERIES)))
def test_bad_queries(number: int) -> None:
    qid, error, message = BAD_QUERIES[number]
    with pytest.raises(error, match=message):
        as_dataset(X, Y, qid)


# other arguments, exception, message
OTHERS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"group": [2, 3]}, ValueError, "group sums to 5 rows, but X has 4 rows"),
    ({"group": [4, 0]}, ValueError, r"group\[1\] is 0; every query needs at least 1 row"),
    ({"group": [2.0, 2.0]}, TypeError, "group must be a list of whole numbers"),
    ({"group": [4], "qid": Q}, ValueError, "qid and group exclude each other"),
    ({"weight": [1, 2, -1, 1]}, ValueError, "weight has -1.0 in row 2"),
    ({"weight": [1, 2, 1, np.nan]}, ValueError, "weight has nan in row 3"),
    ({"weight": [1, 2]}, ValueError, "weight has 2 values, but X has 4 rows"),
    ({"qid": Q, "query_weight": [1, 2, 3]}, ValueError,
     "query_weight has 3 values, but X has 2 queries"),
    ({"qid": [1, 2, 1, 2], "query_weight": [1, -1]}, ValueError,
     "query_weight has -1.0 in query 1"),
    ({"query": 5}, ValueError, "query=5 is not a column of X, which has 3 columns"),
    ({"query": "qid"}, ValueError, "query='qid' names a column, but X has no column names"),
    ({"query": 1.5}, TypeError, "query must be the index of a column of X, not float"),
    ({"X": X[:, :1], "query": 0}, ValueError, r"0 feature\(s\)"),
    ({"query": 0, "qid": Q}, ValueError, "query names a column of X, so qid must be None"),
    ({"label": 0}, ValueError, "label names a column of X, so y must be None"),
    ({"X": frame(), "query": "bm2"}, ValueError,
     "query='bm2' is not a column of X; did you mean 'bm25'"),
    ({"X": frame(), "weight": "w"}, ValueError, "weight='w' is not a column of X"),
    ({"feature_names": ["a"]}, ValueError, "feature_names has 1 names, but X has 3 features"),
    ({"feature_names": ["a", 2, "c"]}, TypeError, r"feature_names\[1\] is 2, expected str"),
    ({"document": ["a"]}, ValueError, "document has 1 values, but X has 4 rows"),
    ({"X": "a.csv", "y": None, "query": -1}, TypeError, "query must be the name of a column"),
    ({"threads": -1}, ValueError, "threads is -1"),
    ({"threads": 1.5}, TypeError, "float"),
    ({"X": gradus.Dataset(X, Y)}, TypeError, "y must be None if X is a Dataset"),
]


@pytest.mark.parametrize("number", range(len(OTHERS)))
def test_other_arguments(number: int) -> None:
    arguments, error, message = OTHERS[number]
    with pytest.raises(error, match=message):
        as_dataset(**{"X": X, "y": Y, **arguments})


def test_files_that_are_wrong(tmp_path: Any) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("1 qid:1 1:2\n0 qid:1 1:abc\n")
    with pytest.raises(ValueError, match=r"bad.txt:2:\d+: expected a"):
        gradus.read(path)
    with pytest.raises(OSError, match="none.txt"):
        gradus.read(tmp_path / "none.txt")
    with pytest.raises(ValueError, match="label_colum"):
        gradus.read(path, label_colum="y")
    for bad in (5, None, b"a.txt", [5]):
        with pytest.raises(TypeError, match="path must be"):
            gradus.read(bad)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="list of paths is empty"):
        gradus.read([])
    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        gradus.from_arrow(X)


def test_wrong_arguments_of_methods() -> None:
    data = gradus.Dataset(X, Y, Q)
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: data.subset([2]), ValueError, "query 2 does not exist; expected 0 to 1"),
        (lambda: data.subset([-1]), ValueError, "query -1 does not exist"),
        (lambda: data.subset([]), ValueError, "queries is empty"),
        (lambda: data.subset(["x"]), ValueError, "x"),
        (lambda: data.subset([0.5]), TypeError, "dtype float64"),
        (lambda: data.subset([True]), ValueError, r"shape \(1,\), expected one bool per query"),
        (lambda: data.split([0.5, -1]), ValueError, "fractions"),
        (lambda: data.split(), ValueError, "too few"),
        (lambda: data.split(folds=3), ValueError, "too few"),
        (lambda: data.transform("nothing"), ValueError, "nothing"),
        (lambda: data.write("/nonexistent/x.txt"), OSError, "nonexistent"),
    ]
    for call, error, message in cases:
        with pytest.raises(error, match=message):
            call()


def test_warnings() -> None:
    large = [2.0**25, 2.0**25, 1, 1]
    with pytest.warns(gradus.GradusWarning, match="does not represent all whole numbers") as record:
        as_dataset(X, Y, np.array(large, np.float32))
    assert record[0].filename == __file__  # names the caller, not the package
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        as_dataset(X, Y, [1, 2, 1, 2])
        with pytest.warns(UserWarning, match="column-vector y"):
            as_dataset(X, np.array(Y)[:, None], Q)


def test_masked_arrays_are_not_changed() -> None:
    array = np.ma.masked_array(X.copy(), X == 4)
    as_dataset(array, Y, Q)
    assert array.data[1, 1] == 4
