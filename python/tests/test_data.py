# SPDX-License-Identifier: Apache-2.0
"""Datasets from arrays: every type, layout and container gives the same data."""
from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import gradus
from gradus.data import as_dataset, check_features

ROWS, FEATURES = 40, 5
BASE = (np.arange(ROWS * FEATURES).reshape(ROWS, FEATURES) * 7 % 11).astype(np.float32)
LABELS = np.arange(ROWS) % 5
QID = np.repeat(np.arange(8), 5)


def make(X: Any, y: Any = LABELS, qid: Any = QID, **options: Any) -> gradus.Dataset:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return as_dataset(X, y, qid, **options)


EXPECTED = make(BASE).fingerprint

# ---- types and layouts

TYPES = ["f2", "f4", "f8", "g", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">f2", ">f4", ">f8",
         ">i2", ">i8", ">u4", "O"]


def wide(a: np.ndarray) -> np.ndarray:
    """A view into a wider array, rows apart by more than their length."""
    whole = np.full((len(a), a.shape[1] + 3), 99, a.dtype)
    whole[:, 1:-2] = a
    return whole[:, 1:-2]


def every_other_row(a: np.ndarray) -> np.ndarray:
    return np.repeat(a, 2, axis=0)[::2]


def every_other_column(a: np.ndarray) -> np.ndarray:
    return np.repeat(a, 2, axis=1)[:, ::2]


def reversed_rows(a: np.ndarray) -> np.ndarray:
    return a[::-1].copy()[::-1]


def reversed_columns(a: np.ndarray) -> np.ndarray:
    return a[:, ::-1].copy()[:, ::-1]


def misaligned(a: np.ndarray) -> np.ndarray:
    if a.dtype == object:
        return a
    raw = np.zeros(a.nbytes + 1, np.uint8)
    view = raw[1:].view(a.dtype).reshape(a.shape)
    view[...] = a
    return view


def read_only(a: np.ndarray) -> np.ndarray:
    b = a.copy()
    b.flags.writeable = False
    return b


LAYOUTS = [np.ascontiguousarray, np.asfortranarray, wide, every_other_row, every_other_column,
           reversed_rows, reversed_columns, misaligned, read_only]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", TYPES)
def test_types_and_layouts(kind: str, layout: Any) -> None:
    array = layout(BASE.astype(kind))
    assert np.array_equal(array.astype("f4"), BASE)
    assert make(array).fingerprint == EXPECTED


def test_bool() -> None:
    truth = BASE > 5
    assert make(truth).fingerprint == make(truth.astype("f4")).fingerprint


# ---- containers


def frame(**changes: Any) -> Any:
    import pandas

    table = pandas.DataFrame(BASE, columns=list("abcde"))
    for name, kind in changes.items():
        table[name] = table[name].astype(kind)
    return table


def categorical() -> Any:
    table = frame(a="int64")
    table["a"] = table["a"].astype("category")
    return table


class HasArray:
    """As torch tensors and others."""

    def __array__(self, dtype: Any = None) -> np.ndarray:
        return BASE.astype(dtype or "f8")


CONTAINERS = {
    "list": lambda: BASE.tolist(),
    "list of arrays": lambda: list(BASE.astype("i8")),
    "tuple of tuples": lambda: tuple(map(tuple, BASE.tolist())),
    "matrix": lambda: np.asmatrix(BASE),
    "masked, without mask": lambda: np.ma.masked_array(BASE),
    "memoryview": lambda: memoryview(BASE),
    "__array__": HasArray,
    "DataFrame": frame,
    "DataFrame float64": lambda: frame().astype("float64"),
    "DataFrame of types": lambda: frame(a="int64", b="float64", c="uint8", d="float16"),
    "DataFrame Int64": lambda: frame(a="Int64", b="Float32", c="Float64", d="UInt8"),
    "DataFrame object": lambda: frame(a="object", c="object"),
    "DataFrame all Int64": lambda: frame().astype("Int64"),
    "DataFrame categorical": categorical,
    "DataFrame sparse": lambda: frame(b="Sparse[float32]"),
    "DataFrame of columns": lambda: __import__("pandas").DataFrame(
        {name: BASE[:, i] for i, name in enumerate("abcde")}),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers(name: str) -> None:
    X = CONTAINERS[name]()
    assert make(X if not isinstance(X, tuple) else list(X)).fingerprint == EXPECTED


SPARSE = ["csr_matrix", "csc_matrix", "coo_matrix", "lil_matrix", "dok_matrix", "bsr_matrix",
          "dia_matrix", "csr_array", "csc_array", "coo_array"]


def sparse_expected() -> int:
    from scipy import sparse

    return make(sparse.csr_matrix(BASE)).fingerprint


@pytest.mark.parametrize("kind", ["f4", "f8", "i4", "u2"])
@pytest.mark.parametrize("container", SPARSE)
def test_sparse_containers(container: str, kind: str) -> None:
    from scipy import sparse

    data = make(getattr(sparse, container)(BASE.astype(kind)))
    assert data.sparse and data.fingerprint == sparse_expected()


def test_sparse_with_unsorted_repeated_or_wide_indices() -> None:
    from scipy import sparse

    plain = sparse.csr_matrix(BASE)
    unsorted = plain.copy()
    for row in range(ROWS):
        where = slice(unsorted.indptr[row], unsorted.indptr[row + 1])
        unsorted.indices[where] = unsorted.indices[where][::-1].copy()
        unsorted.data[where] = unsorted.data[where][::-1].copy()
    unsorted.has_sorted_indices = False
    rows, columns = np.nonzero(BASE)
    halves = np.tile(BASE[rows, columns] / 2, 2)
    repeated = sparse.csr_matrix((halves, np.tile(columns, 2)[:len(halves)],
                                  plain.indptr * 2), shape=BASE.shape, copy=False)
    order = np.argsort(np.tile(rows, 2), kind="stable")
    repeated.indices = np.tile(columns, 2)[order].astype(np.int32)
    repeated.data = halves[order].astype(np.float32)
    repeated.has_sorted_indices = repeated.has_canonical_format = False
    long = plain.copy()
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    for matrix in (unsorted, repeated, long):
        before = matrix.indices.copy()
        assert make(matrix).fingerprint == sparse_expected()
        assert np.array_equal(matrix.indices, before)  # the caller's matrix is not changed


def test_missing_values() -> None:
    import pandas

    values = BASE.copy()
    values[3, 2] = np.nan
    expected = make(values).fingerprint
    mask = np.zeros(BASE.shape, bool)
    mask[3, 2] = True
    objects = BASE.astype(object)
    objects[3, 2] = None
    nullable = frame().astype("Int64")
    nullable.iloc[3, 2] = pandas.NA
    floats = frame(c="Float32")
    floats.iloc[3, 2] = pandas.NA
    category = frame()
    category["c"] = pandas.Categorical([None if row == 3 else value
                                        for row, value in enumerate(BASE[:, 2])])
    for X in (values.astype("f8"), np.ma.masked_array(BASE, mask),
              np.ma.masked_array(BASE.astype("i4"), mask), objects, pandas.DataFrame(objects),
              nullable, floats, category):
        assert make(X).fingerprint == expected
    assert make(values).describe().missing == 1
    assert BASE[3, 2] == 9  # masking does not write into the caller's array
    truth = pandas.DataFrame({"a": pandas.array([True, None, False], dtype="boolean")})
    assert np.array_equal(as_dataset(truth, [0, 1, 0]).X[:, 0], [1, np.nan, 0], equal_nan=True)


# ---- no copies


@pytest.mark.parametrize("layout", [np.ascontiguousarray, wide, read_only, every_other_row])
def test_borrowed_arrays(layout: Any) -> None:
    array = layout(BASE)
    data = make(array)
    assert np.shares_memory(data.X, array)
    assert np.array_equal(data.X, array)
    with pytest.raises(ValueError):
        data.X[0, 0] = 1


def test_borrowed_frames() -> None:
    import pandas

    table = pandas.DataFrame(BASE.copy(), columns=list("abcde"))
    assert np.shares_memory(make(table).X, table.to_numpy())
    table.insert(0, "qid", QID)
    data = make(table, qid=None, query="qid")
    assert all(np.shares_memory(data.X, table[name].to_numpy()) for name in "abcde")
    assert data.fingerprint == EXPECTED


def test_borrowed_sparse() -> None:
    from scipy import sparse

    matrix = sparse.csr_matrix(BASE)
    view = make(matrix).X
    assert np.shares_memory(view.data, matrix.data)
    assert np.shares_memory(view.indices, matrix.indices)
    assert (view != matrix).nnz == 0


def test_borrowed_columns_of_an_array() -> None:
    for at in (0, FEATURES):
        array = np.insert(BASE, at, QID, axis=1)
        data = make(array, qid=None, query=at)
        assert np.shares_memory(data.X, array)
        assert data.fingerprint == EXPECTED


def test_arrays_live_as_long_as_the_dataset() -> None:
    data = make(BASE.copy(), LABELS.astype("f4").copy())
    view = data.X
    for _ in range(20):
        np.empty((ROWS, FEATURES), np.float32).fill(-1)  # reuses memory that was freed
    assert data.fingerprint == EXPECTED
    del data
    assert np.array_equal(view, BASE)


MEMORY = """
import resource, numpy as np, gradus
from gradus import _core

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

def train(data):
    training = _core.Training(data._core, None, {"method": "lambdamart", "rounds": 2, "leaves": 4},
                              threads=1)
    while not training.step():
        pass
    return training.finish()

X = np.ones((500_000, 100), np.float32)          # 200 MB
X[:, 7] = np.arange(len(X)) % 11
y = (np.arange(len(X)) % 5).astype(np.float32)
q = np.repeat(np.arange(5000), 100)
train(gradus.as_dataset(X[:1000], y[:1000], q[:1000]))
before = peak()
data = gradus.as_dataset(X, y, q)
made = peak()
train(data)
assert np.shares_memory(data.X, X) and data.queries == 5000
print((made - before) / X.nbytes, (peak() - before) / X.nbytes)
"""


def test_memory() -> None:
    """Making a dataset copies nothing, and training only has the bins of one byte per value."""
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True,
                          env=dict(os.environ), check=False)
    assert done.returncode == 0, done.stderr
    made, trained = map(float, done.stdout.split())
    assert made < 0.1 and trained < 0.5


# ---- queries

ORDER = np.random.default_rng(5).permutation(ROWS)

IDS: dict[str, Any] = {
    "int64": QID,
    "int8": QID.astype("i1"),
    "big-endian": QID.astype(">i4"),
    "uint64": QID.astype("u8") + np.uint64(2**63 + 5),
    "float64": QID.astype("f8"),
    "float32": QID.astype("f4"),
    "text": np.array([f"query {q}" for q in QID]),
    "bytes": np.array([b"q%d" % q for q in QID]),
    "objects of str": np.array([f"é{q}" for q in QID], dtype=object),
    "objects of bytes": np.array([b"q%d" % q for q in QID], dtype=object),
    "objects of int": QID.astype(object),
    "objects of large int": np.array([10**30 + int(q) for q in QID], dtype=object),
    "negative": -QID,
    "column": QID.reshape(-1, 1),
}


@pytest.mark.parametrize("name", IDS)
def test_query_ids(name: str) -> None:
    ids = IDS[name]
    contiguous = make(BASE, qid=ids)
    assert contiguous.fingerprint == EXPECTED and contiguous.queries == 8
    assert np.shares_memory(contiguous.X, BASE)
    assert make(BASE, qid=ids.tolist()).fingerprint == EXPECTED
    check_scattered(ids.ravel(), [str(i.decode() if isinstance(i, bytes) else
                                      int(i) if isinstance(i, float) else i)
                                  for i in ids.ravel().tolist()])


def check_scattered(ids: Any, texts: list[str]) -> None:
    """Rows in any order come back in that order, and train as if grouped."""
    X, y = BASE[ORDER], LABELS[ORDER]
    qid, wanted = ids[ORDER], [texts[i] for i in ORDER]
    data = make(X, y, qid)
    assert data.queries == 8
    assert np.array_equal(data.X, X) and np.array_equal(data.labels, y)
    assert list(map(str, data.qid)) == wanted
    assert data.query_names == list(dict.fromkeys(wanted))
    numbers = np.arange(ROWS, dtype=float)
    moved = data._to_core(numbers)
    assert np.array_equal(data._to_input(moved), numbers)
    assert np.array_equal(data._array("labels", np.float32), data._to_core(data.labels))
    grouped = np.argsort([data.query_names.index(text) for text in wanted], kind="stable")
    assert make(X[grouped], y[grouped], qid[grouped]).fingerprint == data.fingerprint


def test_query_ids_of_pandas() -> None:
    import pandas

    text = pandas.Series([f"q{q}" for q in QID])
    for ids in (text, text.astype("string"), text.astype("category"), pandas.Series(QID),
                pandas.Series(QID).astype("Int64"), pandas.Index(QID), pandas.Categorical(QID),
                pandas.Series(QID, index=ORDER), pandas.DataFrame({"qid": QID})):
        assert make(BASE, qid=ids).fingerprint == EXPECTED
    scattered = make(BASE[ORDER], LABELS[ORDER], text.astype("category")[ORDER])
    assert list(scattered.qid) == [f"q{q}" for q in QID[ORDER]]


def test_qid_is_numbers_if_all_are() -> None:
    assert make(BASE).qid.dtype == np.int64
    assert np.array_equal(make(BASE).qid, QID)
    assert make(BASE, qid=[f"0{q}" for q in QID]).qid[0] == "00"
    assert make(BASE, qid=None).qid is None


def test_group() -> None:
    data = make(BASE, qid=None, group=[5] * 8)
    assert data.fingerprint == EXPECTED and list(data.group) == [5] * 8
    assert np.array_equal(data.qid, QID)


def test_many_rows_are_fast() -> None:
    """A loop in Python over a million rows would take seconds."""
    import time

    rows = 1_000_000
    X = np.zeros((rows, 1), np.float32)
    qid = np.arange(rows) // 100
    for ids in (qid, qid[::-1], qid % 10_000):
        start = time.process_time()
        assert as_dataset(X, X[:, 0], ids).queries == 10_000
        assert time.process_time() - start < 2


# ---- labels and weights


def test_labels() -> None:
    import pandas

    for y in (LABELS.tolist(), LABELS.astype("f8"), LABELS.astype(">i2"), LABELS.astype(object),
              pandas.Series(LABELS), pandas.Series(LABELS, dtype="Int64"), LABELS[::-1][::-1],
              pandas.Series(LABELS).astype("category"), pandas.Categorical(LABELS)):
        assert make(BASE, y).fingerprint == EXPECTED
    truth = LABELS > 2
    assert make(BASE, truth).fingerprint == make(BASE, truth.astype(int)).fingerprint
    with pytest.warns(UserWarning, match="column-vector y was passed"):
        assert as_dataset(BASE, LABELS[:, None], QID).fingerprint == EXPECTED


def test_labels_that_are_the_only_feature() -> None:
    x = np.arange(6, dtype=np.float32).reshape(6, 1)
    data = gradus.Dataset(x, x[:, 0])
    assert data.labels.shape == (6,) and data.X.shape == (6, 1)
    assert np.array_equal(data.labels, x[:, 0]) and np.array_equal(data.X, x)


def test_labels_are_optional_at_predict() -> None:
    data = make(BASE, None, None, need_labels=False)
    assert not data.has_labels and not data.labels.any()
    assert repr(data) == "Dataset: 40 rows, 5 features, no queries, no labels"


def test_weights() -> None:
    weight, query_weight = np.linspace(0, 1, ROWS), np.arange(8) / 4
    data = make(BASE, weight=weight, query_weight=query_weight)
    assert np.array_equal(data.weights, weight.astype("f4"))
    assert np.array_equal(data.query_weights, query_weight)
    moved = make(BASE[ORDER], LABELS[ORDER], QID[ORDER], weight=weight[ORDER],
                 query_weight=query_weight)
    assert np.array_equal(moved.weights, weight[ORDER].astype("f4"))
    assert make(BASE).weights is None and make(BASE).query_weights is None


# ---- columns of tables


def table() -> Any:
    import pandas

    whole = pandas.DataFrame(BASE, columns=list("abcde"))
    whole.insert(2, "grade", LABELS)
    whole.insert(0, "q", [f"q{q}" for q in QID])
    whole["w"] = 1.0
    whole["doc"] = [f"d{row}" for row in range(ROWS)]
    return whole


def test_columns_of_a_frame() -> None:
    data = make(table(), None, None, query="q", label="grade", weight="w", document="doc")
    assert data.feature_names == list("abcde")
    assert data.document_names == [f"d{row}" for row in range(ROWS)]
    assert data.query_names == [f"q{q}" for q in range(8)]
    assert make(BASE, weight=np.ones(ROWS)).fingerprint == data.fingerprint
    plain = make(table()[list("abcde")], None, None, query="q", label="grade", need_labels=False)
    assert plain.features == 5 and not plain.has_queries


@pytest.mark.filterwarnings("ignore::gradus.GradusWarning")
def test_query_of_a_frame_by_index() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(BASE, columns=list("abcde"))
    plain = pd.DataFrame(BASE)
    for at in (0, 2, 4, -1):
        for X in (frame, plain):
            full = X.copy()
            full.insert(5 if at == -1 else at, "q" if X is frame else 5, QID)
            if X is plain:
                full.columns = range(6)
            ranker = gradus.Ranker(rounds=2, query=at).fit(full, LABELS)
            scores = ranker.predict(full)
            assert len(scores) == ROWS and len(ranker.rank(full, top=1)) == 8
            assert len(ranker.explain(full).value) == ROWS
            ranker.score(full, LABELS)
    ranker = gradus.Ranker(rounds=2, query=0).fit(
        pd.concat([pd.Series(QID), plain.rename(columns=lambda c: c + 1)], axis=1), LABELS)
    assert len(ranker.predict(plain.rename(columns=lambda c: c + 1))) == ROWS  # without queries


def test_documents() -> None:
    data = make(BASE[ORDER], LABELS[ORDER], QID[ORDER], document=[f"d{i}" for i in ORDER])
    assert data.document_names == [f"d{i}" for i in ORDER]
    assert make(BASE).document_names is None
    assert make(BASE, document=[None] + [b"x"] * 39).document_names[:2] == ["", "x"]


def test_columns_of_arrays() -> None:
    from scipy import sparse

    array = np.column_stack([BASE[:, :2], QID, BASE[:, 2:], LABELS])
    for X in (array, array.astype(object)):
        data = make(X, None, None, query=2, label=-1)
        assert data.fingerprint == EXPECTED
    data = make(sparse.csr_matrix(array), None, None, query=2, label=6)
    assert data.fingerprint == sparse_expected()


def test_feature_names() -> None:
    import pandas

    assert make(BASE).feature_names is None
    assert make(BASE, feature_names=list("vwxyz")).feature_names == list("vwxyz")
    assert make(pandas.DataFrame(BASE)).feature_names is None  # names that are not text


def test_tuples_and_datasets() -> None:
    assert as_dataset((BASE, LABELS, QID)).fingerprint == EXPECTED
    assert not as_dataset((BASE, LABELS)).has_queries
    data = make(BASE)
    assert as_dataset(data) is data and gradus.Dataset(data) is data
    assert gradus.Dataset(BASE, LABELS, QID).fingerprint == EXPECTED


# ---- files


def test_files(tmp_path: Any) -> None:
    data = make(BASE, feature_names=list("abcde"))
    with pytest.warns(gradus.GradusWarning, match="feature names are not written"):
        data.write(tmp_path / "a.txt")
    assert gradus.read(tmp_path / "a.txt").feature_names is None
    data = make(BASE)
    for name in ("a.txt", "a.csv", "a.gradus", "a.txt.gz", "a.tsv.zst"):
        path = tmp_path / name
        data.write(path)
        assert gradus.read(path).fingerprint == EXPECTED
        assert gradus.read(str(path), threads=1).fingerprint == EXPECTED
        assert as_dataset(path).fingerprint == EXPECTED
    make(BASE, feature_names=list("abcde")).write(tmp_path / "a.csv")
    assert gradus.read(tmp_path / "a.csv").feature_names == list("abcde")
    for folds_given in (0, 1):
        with pytest.raises(ValueError, match=f"folds={folds_given}: expected 2 or more"):
            data.split(folds=folds_given)
    with pytest.raises(ValueError, match="fractions is empty"):
        data.split([])
    first, second = data.split([1, 1], in_order=True)
    first.write(tmp_path / "1.txt")
    second.write(tmp_path / "2.txt")
    both = gradus.read([tmp_path / "1.txt", str(tmp_path / "2.txt")])
    assert both.fingerprint == EXPECTED
    assert gradus.read(tmp_path / "a.csv", use_features="a,b").describe().constants == 3
    assert make(tmp_path / "a.csv", -LABELS, QID + 1).labels[1] == -1
    renamed = tmp_path / "b.csv"
    renamed.write_text((tmp_path / "a.csv").read_text().replace("qid", "session", 1)
                       .replace("label", "stars", 1))
    for query, label in (("session", "stars"), (1, 0)):
        assert make(renamed, None, None, query=query, label=label).fingerprint == EXPECTED


def test_rows_of_a_file_keep_their_order(tmp_path: Any) -> None:
    path = tmp_path / "scattered.csv"
    rows = [f"{LABELS[i]},{QID[i]}," + ",".join(map(str, BASE[i])) for i in ORDER]
    path.write_text("label,qid,a,b,c,d,e\n" + "\n".join(rows) + "\n")
    with pytest.warns(gradus.GradusWarning, match="not contiguous; regrouped"):
        data = gradus.read(path)
    assert np.array_equal(data.labels, LABELS[ORDER])
    assert np.array_equal(data.qid, QID[ORDER])
    assert np.array_equal(data.X, BASE[ORDER])
    assert data.fingerprint == make(BASE[ORDER], LABELS[ORDER], QID[ORDER]).fingerprint


# ---- methods


def test_repr_and_sizes() -> None:
    data = make(BASE)
    assert repr(data) == "Dataset: 40 rows, 5 features, 8 queries, labels 0-4"
    assert (data.rows, data.features, data.queries, len(data)) == (40, 5, 8, 40)
    assert data.shape == (40, 5) and data.label_kind == "grades"
    assert repr(make([[1.5]], [2], [7])) == "Dataset: 1 row, 1 feature, 1 query, label 2"


def test_subset_split_concat() -> None:
    data = make(BASE, feature_names=list("abcde"))
    part = data.subset([6, 1])
    assert list(part.qid) == [6] * 5 + [1] * 5 and part.feature_names == list("abcde")
    assert data.subset(["6", "1"]).fingerprint == part.fingerprint
    chosen = np.zeros(8, bool)
    chosen[[1, 6]] = True
    assert data.subset(chosen).query_names == ["1", "6"]
    parts = data.split([0.5, 0.25, 0.25])
    assert [one.queries for one in parts] == [4, 2, 2]
    assert sorted(name for one in parts for name in one.query_names) == sorted(data.query_names)
    folds = data.split(folds=4)
    assert [(train.queries, test.queries) for train, test in folds] == [(6, 2)] * 4
    assert not any(train.overlap(test).queries for train, test in folds)
    first, second = data.split([1, 1], in_order=True)
    assert first.concat(second).fingerprint == EXPECTED
    assert list(data.parts(folds=4, in_order=True)) == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.filterwarnings("ignore::gradus.GradusWarning")
def test_concat_keeps_the_order_of_the_input() -> None:
    order = np.random.default_rng(3).permutation(ROWS)
    names = [f"d{row}" for row in order]
    data = make(BASE[order], LABELS[order], QID[order], document=names)
    more = make(BASE, LABELS, QID + 4, document=names)
    both = data.concat(more, data)
    assert np.array_equal(both.X, np.concatenate([data.X, more.X, data.X]))
    assert np.array_equal(both.labels, np.concatenate([data.labels, more.labels, data.labels]))
    assert np.array_equal(both.qid, np.concatenate([data.qid, more.qid, data.qid]))
    assert both.document_names == names * 3
    assert np.array_equal(data.concat().qid, data.qid)


def test_describe_overlap_transform() -> None:
    data = make(BASE)
    about = data.describe()
    assert about.rows == 40 and about.as_dict()["queries"] == 8
    assert "0: 8 (20.0%)" in repr(about) and "<table>" in about._repr_html_()
    assert "queries" in dir(about)
    with pytest.raises(AttributeError, match="nothing"):
        about.nothing
    overlap = data.overlap(data.subset([1, 2]))
    assert overlap.queries == 2 and overlap.rows == 10
    assert "queries in both" in repr(overlap)
    scaled = data.transform("minmax")
    assert scaled.X.min() == 0 and scaled.X.max() == 1


@pytest.mark.parametrize("scattered", [False, True])
def test_pickle_and_copy(scattered: bool) -> None:
    order = ORDER if scattered else np.arange(ROWS)
    data = make(BASE[order], LABELS[order], QID[order], weight=np.arange(ROWS)[order],
                feature_names=list("abcde"))
    assert copy.copy(data) is data and copy.deepcopy(data) is data  # immutable
    for again in (pickle.loads(pickle.dumps(data)), pickle.loads(pickle.dumps(data, 2))):
        assert again.fingerprint == data.fingerprint
        assert np.array_equal(again.X, BASE[order])
        assert np.array_equal(again.qid, QID[order])
        assert np.array_equal(again.weights, np.arange(ROWS)[order])
        assert again.feature_names == list("abcde") and again.query_names == data.query_names
    bare = pickle.loads(pickle.dumps(make(BASE, None, None, need_labels=False)))
    assert not bare.has_labels and not bare.has_queries


def test_to_pandas() -> None:
    from scipy import sparse

    for X in (BASE, sparse.csr_matrix(BASE)):
        frame = make(X, weight=np.ones(ROWS)).to_pandas()
        assert list(frame.columns) == ["label", "qid", "weight", "f1", "f2", "f3", "f4", "f5"]
        again = make(frame, None, None, label="label", query="qid", weight="weight")
        assert again.fingerprint == make(BASE, weight=np.ones(ROWS)).fingerprint


def test_check_features() -> None:
    data = make(BASE, feature_names=list("abcde"))
    check_features(data, 5, list("abcde"))
    check_features(data, 5, None)
    cases = [(6, list("abcdef"), "yet now missing:\n- f\n"),
             (4, list("abcd"), "unseen at fit time:\n- e"),
             (5, list("edcba"), "in the same order"), (4, None, "X has 5 features, but R is exp")]
    for features, names, message in cases:
        with pytest.raises(ValueError, match=message):
            check_features(data, features, names, "R")


# ---- synthetic data, threads


def test_synth() -> None:
    import inspect

    data = gradus.synth.web(queries=20)
    assert data.queries == 20 and data.features == 136
    assert data.fingerprint == gradus.synth.web(queries=20, threads=1).fingerprint
    assert data.fingerprint != gradus.synth.web(queries=20, seed=2).fingerprint
    fractions = gradus.synth.mcrank(queries=5, grade_fractions=[1, 1])
    assert set(fractions.labels) == {0, 1}
    assert gradus.synth.mixture(rows=20).features == 1
    assert gradus.synth.clicks(queries=50).sparse
    assert inspect.signature(gradus.synth.web).parameters["queries"].default == 1000
    assert "number of queries" in gradus.synth.web.__doc__
    with pytest.raises(ValueError, match="querys"):
        gradus.synth.web(querys=3)


def test_synth_is_that_of_the_command(tmp_path: Any) -> None:
    command = os.environ.get("GRADUS")
    if not command:
        pytest.skip("GRADUS does not name the command")
    path = tmp_path / "web.txt"
    subprocess.run([command, "synth", "web", "--queries", "5", "-o", path], check=True)
    assert gradus.read(path).fingerprint == gradus.synth.web(queries=5).fingerprint


def test_threads() -> None:
    assert gradus.get_threads() == 0
    try:
        gradus.set_threads(1)
        assert gradus.get_threads() == 1 and make(BASE).fingerprint == EXPECTED
    finally:
        gradus.set_threads(0)
    for bad in (-1, 1.5, "2", True, None):
        with pytest.raises((TypeError, ValueError)):
            gradus.set_threads(bad)  # type: ignore[arg-type]
