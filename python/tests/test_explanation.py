# SPDX-License-Identifier: Apache-2.0
"""explain: contributions add up, equal XGBoost's and brute force, and name the right rows."""
from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import gradus

pytestmark = pytest.mark.filterwarnings("ignore::gradus.GradusWarning")


@pytest.fixture(scope="module")
def data() -> gradus.Dataset:
    return gradus.synth.web(queries=15)


@pytest.fixture(scope="module")
def trees(data: gradus.Dataset) -> gradus.Ranker:
    return gradus.Ranker("lambdamart", rounds=12, leaves=8).fit(data)


@pytest.mark.parametrize("against", ["mean", "query", 2])
def test_contributions_add_up(data, trees, against) -> None:  # type: ignore[no-untyped-def]
    rows = [0, 5, 3]
    x = gradus.explain(trees, data, against=against, rows=rows)
    scores = trees.predict(data)
    assert x.exact and x.errors is None and x.targets == ["score"]
    assert list(x.rows) == rows and x.shape == (3, data.features) == x.contributions.shape
    assert x.value == pytest.approx(scores[rows], abs=1e-12)
    assert x.base + x.contributions.sum(axis=1) == pytest.approx(x.value, abs=1e-9)
    assert np.abs(x.contributions).sum() > 0
    if against == "query":
        others = np.asarray(data.qid) == np.asarray(data.qid)[0]
        for i, row in enumerate(rows):
            rest = others.copy()
            rest[row] = False
            assert x.base[i] == pytest.approx(scores[rest].mean(), abs=1e-9)
    if against == 2:
        assert x.against == "document" and list(x.reference_rows) == [2, 2, 2]
        assert x.base == pytest.approx(np.repeat(scores[2], 3), abs=1e-12)


def test_equal_to_xgboost(data, trees, tmp_path) -> None:  # type: ignore[no-untyped-def]
    xgboost = pytest.importorskip("xgboost")
    trees.export(tmp_path / "m.json", "xgboost-json")
    booster = xgboost.Booster(model_file=str(tmp_path / "m.json"))
    rows = np.arange(40)
    matrix = xgboost.DMatrix(data.X[rows], feature_names=booster.feature_names)
    theirs = booster.predict(matrix, pred_contribs=True)
    x = trees.explain(data, rows=rows)
    assert x.contributions == pytest.approx(theirs[:, :-1], abs=2e-5)
    assert x.base == pytest.approx(theirs[:, -1], abs=2e-5)
    assert np.abs(x.contributions).max() > 0.01


def shapley(score, document, others) -> np.ndarray:  # type: ignore[no-untyped-def]
    """Exact Shapley values by their definition, against the mean of the others."""
    n = len(document)
    worth = {}
    for size in range(n + 1):
        for taken in itertools.combinations(range(n), size):
            mixed = others.copy()
            mixed[:, list(taken)] = document[list(taken)]
            worth[taken] = float(np.mean(score(mixed)))
    values = np.zeros(n)
    for feature in range(n):
        for taken in worth:
            if feature not in taken:
                share = (math.factorial(len(taken)) * math.factorial(n - len(taken) - 1)
                         / math.factorial(n))
                more = tuple(sorted(taken + (feature,)))
                values[feature] += share * (worth[more] - worth[taken])
    return values


@pytest.mark.parametrize("method, options", [
    ("lambdamart", {"rounds": 10, "leaves": 6}), ("regression", {"learner": "linear"}),
    ("ranknet", {"rounds": 5, "orders": 3000})])
def test_equal_to_brute_force(method, options) -> None:  # type: ignore[no-untyped-def]
    """Against the other documents of the query, with rows of queries that are not contiguous."""
    rng = np.random.default_rng(1)
    X = rng.random((60, 4)).astype(np.float32)
    y = np.clip(np.round(3 * X[:, 0] + X[:, 1] * X[:, 2]), 0, 3)
    qid = np.arange(60) % 6
    given = {k: v for k, v in options.items() if k != "orders"}
    ranker = gradus.Ranker(method, min_rows=1, **given) if method == "lambdamart" else \
        gradus.Ranker(method, **given)
    ranker.fit(X, y, qid=qid)
    sampling = {k: v for k, v in options.items() if k == "orders"}
    x = ranker.explain(X, qid=qid, against="query", rows=[7, 0], **sampling)
    scores = ranker.predict(X)
    for i, row in enumerate((7, 0)):
        others = X[(qid == qid[row]) & (np.arange(60) != row)]
        expected = shapley(lambda rows: ranker.predict(rows), X[row], others)
        assert x.value[i] == pytest.approx(scores[row], abs=1e-9)
        if x.exact:
            assert x.contributions[i] == pytest.approx(expected, abs=1e-6)
        else:
            assert np.all(np.abs(x.contributions[i] - expected) <= 5 * x.errors[i] + 1e-3)
        assert np.abs(expected).max() > 1e-3


def test_rows_of_shuffled_data(data, trees) -> None:  # type: ignore[no-untyped-def]
    order = np.random.default_rng(2).permutation(data.rows)
    mixed = gradus.as_dataset(np.asarray(data.X)[order], np.asarray(data.labels)[order],
                              np.asarray(data.qid)[order])
    rows = [4, 100, 17]
    x, y = trees.explain(mixed, rows=rows), trees.explain(data, rows=order[rows])
    assert np.array_equal(x.contributions, y.contributions) and list(x.rows) == rows
    here = np.flatnonzero(np.asarray(mixed.qid) == np.asarray(mixed.qid)[4])
    z = trees.explain(mixed, against=int(here[1]))
    assert list(z.rows) == list(here) and set(z.reference_rows) == {here[1]}
    assert z.value == pytest.approx(trees.predict(mixed)[here], abs=1e-12)
    assert z.contributions[1] == pytest.approx(0.0)  # of the document itself


def test_parts_and_top(data, trees) -> None:  # type: ignore[no-untyped-def]
    x = trees.explain(data, rows=slice(0, 6))
    one = x[4]
    assert one.shape == (data.features,) == one.values.shape == one.data.shape
    assert one.base_values == x.base[4] and np.array_equal(one.contributions, x.contributions[4])
    assert np.array_equal(x[[1, 3]].contributions, x.contributions[[1, 3]]) and len(x[1:3]) == 2
    top = x.top(2, 4)
    assert len(top) == 4
    largest = np.argsort(-np.abs(x.contributions[2]), kind="stable")[:4]
    assert [part["feature"] for part in top] == list(largest)
    for part in top:
        assert part["contribution"] == x.contributions[2, part["feature"]]
        assert part["value"] == np.asarray(data.X)[2, part["feature"]]
        assert part["name"] == f"feature {part['feature'] + data.first_id}"
    steps, base, value = x.steps(2, 4)
    assert len(steps) == 5 and "other features" in steps[-1][0]
    assert base + sum(change for _, change in steps) == pytest.approx(value)
    used = np.isfinite(x.data)
    assert np.array_equal(x.data[used], np.asarray(data.X)[:6][used]) and used.any()
    assert x.importance() == pytest.approx(np.abs(x.contributions).mean(axis=0))
    mask = np.zeros(data.rows, dtype=bool)
    mask[[2, 4]] = True
    assert list(trees.explain(data, rows=mask).rows) == [2, 4]
    assert list(trees.explain(data, rows=-1).rows) == [data.rows - 1]


def test_document_ids() -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(4)
    frame = pandas.DataFrame(rng.random((20, 2)), columns=["a", "b"])
    frame["doc"] = [f"d{i % 10}" for i in range(20)]
    qid, y = np.arange(20) // 10, np.arange(20) % 3
    data = gradus.as_dataset(frame, y, qid, document="doc")
    ranker = gradus.Ranker("regression", rounds=5, min_rows=1).fit(data)
    by_row = ranker.explain(data, rows=[11, 12], against=15)
    by_id = ranker.explain(data, rows=[11, 12], against="d5")
    assert list(by_id.reference_rows) == list(by_row.reference_rows) == [15, 15]
    assert np.array_equal(by_id.contributions, by_row.contributions)
    assert ranker.explain(data, rows=[11], against=-5).reference_rows[0] == 15
    frame["doc"] = "same"
    twice = gradus.as_dataset(frame, y, qid, document="doc")
    with pytest.raises(ValueError, match="another document of the query has the id 'same'"):
        ranker.explain(twice, rows=[11], against=15)


def test_outputs(data) -> None:  # type: ignore[no-untyped-def]
    ranker = gradus.Ranker("mcrank", rounds=4, leaves=4).fit(data)
    x = ranker.explain(data, rows=[0, 1], output="all")
    assert len(x.targets) > 2 and x.contributions.shape == (2, data.features, len(x.targets))
    assert x.base + x.contributions.sum(axis=1) == pytest.approx(x.value, abs=1e-9)
    second = ranker.explain(data, rows=[0, 1], output=2)
    assert second.targets == x.targets[1:2]
    assert np.array_equal(second.contributions, x.contributions[:, :, 1])
    pytest.importorskip("pandas")
    assert x.frame.shape[0] == 2 * len(x.targets) and second.frame.shape[0] == 2


def test_feature_names() -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    frame = pandas.DataFrame(rng.random((40, 3)), columns=["price", "stars", "age"])
    y = (3 * frame["price"]).round()
    ranker = gradus.Ranker("regression", rounds=5, min_rows=2).fit(frame, y)
    x = ranker.explain(frame, rows=[0])
    assert x.feature_names == ["price", "stars", "age"]
    assert x.top(0, 1)[0]["name"] == "price" and "price = " in repr(x)
    assert list(x.frame.index) == [0]
    d = gradus.partial_dependence(ranker, (frame, y), "stars")
    assert d.name == "stars" and d.feature == 1
    with pytest.raises(ValueError, match="starz"):
        gradus.partial_dependence(ranker, (frame, y), "starz")
    with pytest.raises(ValueError, match="column from 0 to 2"):
        gradus.partial_dependence(ranker, (frame, y), 3)


def test_text_and_html(data, trees) -> None:  # type: ignore[no-untyped-def]
    one, many = trees.explain(data, rows=0, against="query"), trees.explain(data, rows=[0, 1])
    text = repr(one)
    assert "mean of the other documents" in text and "score of row 0" in text
    assert f"{one.top(0, 1)[0]['contribution']:+.4f}" in text
    assert one.top(0, 1)[0]["name"] in one._repr_html_()
    assert "2 rows" in repr(many) and "mean |contribution|" in many._repr_html_()


def test_errors(data, trees) -> None:  # type: ignore[no-untyped-def]
    last = data.rows - 1
    for options, kind, message in (
            ({"rows": [data.rows]}, ValueError, f"{data.rows} is not a row of the data"),
            ({"rows": ["a"]}, TypeError, "expected row numbers"),
            ({"rows": []}, ValueError, "at least one row"),
            ({"rows": [True]}, ValueError, "mask"),
            ({"against": 1.5}, TypeError, "found 1.5"),
            ({"against": 0, "rows": [last]}, ValueError,
             f"row 0 and row {last} are of different queries"),
            ({"orderz": 3}, ValueError, "orderz")):
        with pytest.raises(kind, match=message):
            gradus.explain(trees, data, **options)
    with pytest.raises(ValueError, match="not fitted"):
        gradus.explain(gradus.Ranker("lambdamart"), data)
    with pytest.raises(TypeError, match="expected a fitted estimator"):
        gradus.explain(np.zeros(3), data)


def test_permutation_importance(data, trees) -> None:  # type: ignore[no-untyped-def]
    p = gradus.permutation_importance(trees, data, "ndcg@10", repeats=3)
    assert len(p.importance) == data.features == len(p.feature_names)
    used = np.frombuffer(trees.model_.importance()[1], dtype=np.uint64) > 0
    assert np.all(p.importance[~used] == 0.0) and p.importance.max() > 0.01
    best = p.order()[0]
    assert p.low[best] <= p.importance[best] <= p.high[best]
    assert p.feature_names[best] in repr(p).splitlines()[2]
    again = gradus.permutation_importance(trees, data, "ndcg@10", repeats=3, threads=2)
    assert np.array_equal(again.importance, p.importance)


def test_partial_dependence(data, trees) -> None:  # type: ignore[no-untyped-def]
    feature = int(np.argmax(trees.feature_importances_))
    d = gradus.partial_dependence(trees, data, feature, 6)
    assert 2 <= len(d.value) <= 6
    X = np.asarray(data.X).copy()
    for value, score in zip(d.value, d.score):
        X[:, feature] = value
        assert trees.predict(X).mean() == pytest.approx(score, abs=1e-9)
    assert np.all(d.low <= d.effect) and np.all(d.effect <= d.high)
    by_name = gradus.partial_dependence(trees, data, str(feature + data.first_id), 6)
    assert np.array_equal(by_name.score, d.score)
