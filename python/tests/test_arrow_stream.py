# SPDX-License-Identifier: Apache-2.0
"""Arrow streams: from a producer in pure Python, and from DuckDB, which reads Parquet."""
from __future__ import annotations

import os
import pathlib
import subprocess
from typing import Any

import numpy as np
import pytest
from arrow_stream import Batches, Duck, DuckResult

import gradus
from gradus import _core
from gradus.data import as_dataset

ROWS = 30
X = (np.arange(ROWS * 4).reshape(ROWS, 4) * 7 % 23).astype(np.float32)
Y = np.arange(ROWS) % 3
Q = np.repeat(np.arange(6), 5)
EXPECTED = as_dataset(X, Y, Q).fingerprint


def columns(**changes: Any) -> dict[str, Any]:
    named: dict[str, Any] = {"label": Y.astype("i4"), "qid": Q.astype("i8")}
    named.update({f"f{i}": X[:, i] for i in range(4)})
    named.update(changes)
    return named


@pytest.mark.parametrize("batch", [1, 7, 100])
def test_batches(batch: int) -> None:
    source = Batches(columns(), batch)
    data = gradus.from_arrow(source)
    assert data.fingerprint == EXPECTED and source.released == 1
    assert data.feature_names == ["f0", "f1", "f2", "f3"]
    assert np.array_equal(data.X, X) and np.array_equal(data.qid, Q)
    assert as_dataset(Batches(columns(), batch)).fingerprint == EXPECTED


@pytest.mark.parametrize("kind", ["f2", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_types(kind: str) -> None:
    assert gradus.from_arrow(Batches(columns(f2=X[:, 2].astype(kind)))).fingerprint == EXPECTED


def test_named_columns_nulls_and_text() -> None:
    truth = X[:, 1] > 11
    missing = np.ma.masked_array(X[:, 3], np.arange(ROWS) == 4)
    table = {"who": [f"doc {row}" for row in range(ROWS)], "a": X[:, 0],
             "grade of it": Y.astype("f8"), "b": truth, "session": [f"s{q}" for q in Q],
             "c": missing, "importance": Y + 1.0}
    data = gradus.from_arrow(Batches(table), label="grade of it", query="session",
                             weight="importance", document="who")
    wanted = np.column_stack([X[:, 0], truth, X[:, 3]])
    wanted[4, 2] = np.nan
    assert np.array_equal(data.X, wanted, equal_nan=True)
    assert data.feature_names == ["a", "b", "c"] and data.document_names[3] == "doc 3"
    assert np.array_equal(data.weights, Y + 1)
    assert list(data.qid[:6]) == ["s0"] * 5 + ["s1"]
    again = as_dataset(Batches(table), label="grade of it", query="session", weight="importance",
                       document="who")
    assert again.fingerprint == data.fingerprint


def test_scattered_queries_keep_the_order_of_the_stream() -> None:
    order = np.random.default_rng(3).permutation(ROWS)
    scattered = {name: column[order] for name, column in columns().items()}
    with pytest.warns(gradus.GradusWarning, match="regrouped"):
        data = gradus.from_arrow(Batches(scattered))
    assert np.array_equal(data.X, X[order]) and np.array_equal(data.qid, Q[order])
    assert data.fingerprint == as_dataset(X[order], Y[order], Q[order]).fingerprint


def test_labels_and_queries_beside_the_table() -> None:
    features = {f"f{i}": X[:, i] for i in range(4)}
    data = as_dataset(Batches(features), Y, Q, weight=np.ones(ROWS))
    assert data.fingerprint == as_dataset(X, Y, Q, weight=np.ones(ROWS)).fingerprint
    assert data.feature_names == list(features)
    bare = as_dataset(Batches(features), need_labels=False)
    assert bare.shape == (ROWS, 4) and not bare.has_labels and not bare.has_queries


def test_errors() -> None:
    bad = X[:, 1].astype("f8")
    bad[9] = 1e300
    text = ["x"] * ROWS
    cases: list[tuple[Batches, dict[str, Any], str]] = [
        (Batches(columns(f1=bad)), {}, "f1.*1e\\+?300|1e\\+?300.*f1"),
        (Batches(columns(f1=text)), {}, "f1"),
        (Batches(columns(label=np.ma.masked_array(Y, Y == 2))), {}, "label"),
        (Batches(columns()), {"query": "nothing"}, "nothing"),
        (Batches(columns(), fail_at=14), {}, "the disk is on strike"),
    ]
    for source, options, message in cases:
        with pytest.raises(gradus.Error, match=message):
            gradus.from_arrow(source, **options)
        assert source.released == 1
    with pytest.raises(TypeError, match="exclude each other"):
        gradus.from_arrow(Batches(columns()), label="label", label_column="label")


# ---- DuckDB: CSV to Parquet to a stream


@pytest.fixture(scope="module")
def duck() -> Any:
    script = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "duckdb.sh"
    done = subprocess.run([str(script)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(done.stderr.strip() or "scripts/duckdb.sh failed")
    connection = Duck(done.stdout.strip())
    yield connection
    connection.close()


def trained(data: gradus.Dataset) -> bytes:
    training = _core.Training(data._core, None, {"method": "lambdamart", "rounds": 5, "leaves": 7})
    while not training.step():
        pass
    return training.finish().to_bytes()


def test_parquet_through_duckdb(duck: Any, tmp_path: Any) -> None:
    csv, parquet = tmp_path / "web.csv", tmp_path / "web.parquet"
    data = gradus.synth.web(queries=30)
    named = as_dataset(data.X, data.labels, data.qid,
                       feature_names=[f"feature {i}" for i in range(data.features)])
    named.write(csv)
    types = ", ".join(f"'{name}': 'FLOAT'" for name in named.feature_names)
    duck.run(f"COPY (SELECT * FROM read_csv('{csv}', types = {{{types}}})) "
             f"TO '{parquet}' (FORMAT parquet)")
    assert os.path.getsize(parquet) > 0
    table = DuckResult(duck, f"SELECT * FROM '{parquet}'")
    streamed, read = gradus.from_arrow(table), gradus.read(csv)
    assert table.released == 1
    assert streamed.fingerprint == read.fingerprint == named.fingerprint
    assert streamed.feature_names == read.feature_names
    assert streamed.query_names == read.query_names
    assert trained(streamed) == trained(read)


def test_columns_of_duckdb(duck: Any) -> None:
    query = """SELECT (i * 37 % 5)::TINYINT AS grade, 'query ' || (i // 10) AS q, i / 7 AS a,
               CASE WHEN i % 9 = 0 THEN NULL ELSE i END AS b, i % 2 = 0 AS c,
               i::DECIMAL(9, 2)::DOUBLE AS d FROM range(5000) AS t(i)"""
    data = as_dataset(DuckResult(duck, query), label="grade", query="q")
    rows = np.arange(5000)
    wanted = np.column_stack([rows / 7, np.where(rows % 9 == 0, np.nan, rows), rows % 2 == 0, rows])
    assert np.array_equal(data.X, wanted.astype("f4"), equal_nan=True)
    assert np.array_equal(data.labels, rows * 37 % 5)
    assert data.queries == 500 and data.qid[4999] == "query 499"
