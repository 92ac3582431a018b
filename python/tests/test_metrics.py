# SPDX-License-Identifier: Apache-2.0
"""evaluate: equal to scikit-learn and XGBoost, in input order, and with clear messages."""
from __future__ import annotations

import numpy as np
import pytest

import gradus


def random_ranking(rng: np.random.Generator, documents: int) -> tuple[np.ndarray, np.ndarray]:
    """Grades and scores, both with many ties; at least one relevant document."""
    labels = rng.integers(0, 5, documents).astype(np.float32)
    labels[rng.integers(documents)] = 3
    return labels, rng.integers(0, max(2, documents // 2), documents).astype(np.float64)


def test_ndcg_equals_sklearn_with_ties() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    compared = 0
    for trial in range(200):
        documents = int(rng.integers(2, 40))
        labels, scores = random_ranking(rng, documents)
        k = int(rng.integers(1, documents + 1))
        expected = metrics.ndcg_score(labels[None], scores[None], k=k)
        data = gradus.as_dataset(np.zeros((documents, 1), np.float32), labels, group=[documents])
        e = gradus.evaluate(data, scores, f"ndcg@{k}", gain="linear", ties="expected")
        assert e["system 1", f"ndcg@{k}"] == pytest.approx(expected, abs=1e-12), (trial, k)
        compared += len(np.unique(scores)) < documents
    assert compared > 150  # rankings with ties


def test_ndcg_without_cutoff_equals_sklearn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(2)
    labels, scores = random_ranking(rng, 30)
    data = gradus.as_dataset(np.zeros((30, 1), np.float32), labels, np.zeros(30, int))
    e = gradus.evaluate(data, {"s": scores}, "ndcg,dcg", gain="linear")
    y, s = labels[None], scores[None]
    assert e["s", "ndcg"] == pytest.approx(metrics.ndcg_score(y, s), abs=1e-12)
    assert e["s", "dcg"] == pytest.approx(metrics.dcg_score(y, s), abs=1e-9)


# metric of XGBoost, ours, the options that are not in the preset
XGBOOST = [("ndcg@5", "ndcg@5", {}), ("ndcg@10", "ndcg@10", {}), ("ndcg", "ndcg", {}),
           ("ndcg@5-", "ndcg@5", {"empty": "zero"}),
           ("map@5", "map@5", {"map_divisor": "relevant"}),
           ("map", "map", {"map_divisor": "relevant"}),
           ("pre@3", "p@3", {})]


def xgboost_value(metric: str, X: np.ndarray, y: np.ndarray, sizes: np.ndarray,
                  margin: np.ndarray) -> float:
    xgboost = pytest.importorskip("xgboost")
    rows = xgboost.DMatrix(X, label=y)
    rows.set_group(sizes)
    rows.set_base_margin(margin)
    booster = xgboost.train({"objective": "rank:pairwise", "eval_metric": metric}, rows, 0)
    return float(booster.eval(rows).split(":")[-1])


@pytest.mark.parametrize("theirs, ours, options", XGBOOST)
def test_metrics_equal_xgboost(theirs: str, ours: str, options: dict[str, str]) -> None:
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 25, 40)
    binary = "map" in theirs or "pre" in theirs
    y = rng.integers(0, 2 if binary else 5, sizes.sum()).astype(np.float32)
    y[:sizes[0]] = 0  # a query without relevant documents
    scores = rng.permutation(sizes.sum()).astype(np.float32) / 7
    X = rng.random((len(y), 2), dtype=np.float32)
    found = xgboost_value(theirs, X, y, sizes, scores)
    data = gradus.as_dataset(X, y, group=sizes)
    e = gradus.evaluate(data, {"s": scores}, ours, convention="xgboost", **options)
    assert e["s", ours] == pytest.approx(found, abs=2e-6)  # XGBoost prints six decimals


def test_scores_are_in_input_order() -> None:
    """Rows of a query that are not contiguous: scores belong to rows, not to positions inside."""
    data = gradus.synth.web(queries=12)
    X, y, qid = np.asarray(data.X), np.asarray(data.labels), np.asarray(data.qid)
    scores = gradus.scores_of("feature:3", data)
    assert np.array_equal(scores, X[:, 3 - data.first_id].astype(np.float64))
    order = np.random.default_rng(4).permutation(len(y))
    mixed = gradus.as_dataset(X[order], y[order], qid[order])
    again = gradus.scores_of(f"feature:{3 - data.first_id + mixed.first_id}", mixed)
    assert np.array_equal(again, scores[order])
    systems = {"array": scores[order], "function": lambda d: again,
               "text": f"feature:{3 - data.first_id + mixed.first_id}"}
    e = gradus.evaluate(mixed, systems, "ndcg@10,map")
    whole = gradus.evaluate(data, scores, "ndcg@10,map")
    for name in systems:
        for metric in ("ndcg@10", "map"):
            assert e[name, metric] == pytest.approx(whole["system 1", metric], abs=1e-12)


@pytest.fixture(scope="module")
def evaluation() -> gradus.Evaluation:
    data = gradus.synth.web(queries=15)
    return gradus.evaluate(data, {"a": "feature:3", "b": "random"}, ["ndcg@10", "rmse"],
                           convention="letor4")


def test_evaluation_members(evaluation: gradus.Evaluation) -> None:
    e = evaluation
    assert e.systems == list(e) == ["a", "b"] and len(e) == 2
    assert e.metrics == ["ndcg@10", "rmse"]
    assert e.convention == "letor4" and "input" in e.switches
    assert e.lower_is_better == {"ndcg@10": False, "rmse": True}
    assert e["a"]["rmse"] == e["a", "rmse"] == e.means["a"]["rmse"]
    values = e.by_query["a"]["ndcg@10"]
    assert len(values) == len(e.queries) == 15
    assert np.nanmean(values) == pytest.approx(e["a", "ndcg@10"])
    with pytest.raises(KeyError, match="no system 'c': a, b"):
        e["c"]
    with pytest.raises(KeyError, match="no metric 'map'"):
        e["a", "map"]
    assert e.best("ndcg@10") == max(e, key=lambda s: e[s, "ndcg@10"])
    assert e.best("rmse") == min(e, key=lambda s: e[s, "rmse"])


def test_evaluation_frames(evaluation: gradus.Evaluation) -> None:
    pytest.importorskip("pandas")
    assert list(evaluation.frame.columns) == ["ndcg@10", "rmse"]
    assert evaluation.frame.loc["a", "ndcg@10"] == evaluation["a", "ndcg@10"]
    frame = evaluation.query_frame
    assert frame["b", "ndcg@10"].mean() == pytest.approx(evaluation["b", "ndcg@10"])
    assert list(frame.index) == evaluation.queries


def test_evaluation_text(evaluation: gradus.Evaluation) -> None:
    text = repr(evaluation)
    lines = text.splitlines()
    assert lines[0].split() == ["system", "ndcg@10", "rmse"]
    assert lines[1].split() == ["a", f"{evaluation['a', 'ndcg@10']:.4f}",
                                f"{evaluation['a', 'rmse']:.4f}"]
    assert "convention letor4, 15 queries; lower is better: rmse" in text
    assert len({line.rindex(line.split()[-1][-1]) for line in lines[:3]}) == 1  # aligned


def test_notes_on_empty_and_short_queries() -> None:
    labels = [0, 0, 0, 1, 0, 2, 1]
    qid = [1, 1, 1, 2, 2, 3, 3]
    data = gradus.as_dataset(np.zeros((7, 1), np.float32), labels, qid)
    e = gradus.evaluate(data, {"s": np.arange(7.0)}, "ndcg@3")
    assert e.empty["s"]["ndcg@3"] == 1 and e.counted["s"]["ndcg@3"] == 2
    assert e.short_lists["s"]["ndcg@3"] == 2
    assert "1 of 3 queries has no relevant document (ndcg@3): left out" in e.notes()
    assert "2 of 3 queries have fewer documents than the cutoff (ndcg@3)" in e.notes()
    assert np.isnan(e.by_query["s"]["ndcg@3"][0])
    one = gradus.evaluate(data, {"s": np.arange(7.0)}, "ndcg@3", empty="one")
    assert one.by_query["s"]["ndcg@3"][0] == 1.0
    assert "1 of 3 queries has no relevant document (ndcg@3)" in one.notes()


def test_names_of_lists() -> None:
    data = gradus.synth.web(queries=5)

    def by_length(d: gradus.Dataset) -> np.ndarray:
        return -np.arange(d.rows)

    e = gradus.evaluate(data, ["feature:3", "feature:3", by_length, np.zeros(data.rows)])
    assert e.systems == ["feature:3", "feature:3 2", "by_length", "system 4"]
    assert gradus.evaluate(data, [float(i) for i in range(data.rows)]).systems == ["system 1"]


BAD = [
    (lambda d: np.zeros(d.rows + 1), ValueError, r"system 'x': expected \d+ scores, one per row"),
    (lambda d: ["a"] * d.rows, TypeError, "system 'x': expected numbers"),
    (lambda d: gradus.Ranker("lambdamart"), ValueError, "system 'x': this Ranker is not fitted"),
    (lambda d: "feature:9999", ValueError, "9999"),
    (lambda d: "no such file", Exception, "no such file"),
]


@pytest.mark.parametrize("make, kind, message", BAD)
def test_bad_systems(make, kind, message) -> None:  # type: ignore[no-untyped-def]
    data = gradus.synth.web(queries=3)
    system = make(data)
    if isinstance(system, list):
        system = np.array(system)
    with pytest.raises(kind, match=message):
        gradus.evaluate(data, {"x": system})


def test_bad_arguments() -> None:
    data = gradus.synth.web(queries=3)
    with pytest.raises(ValueError, match="nddcg"):
        gradus.evaluate(data, "random", "nddcg@10")
    with pytest.raises(ValueError, match="convetion"):
        gradus.evaluate(data, "random", convetion="letor4")
    with pytest.raises(TypeError, match="metrics: expected text"):
        gradus.evaluate(data, "random", [10])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="at least one system"):
        gradus.evaluate(data, {})
    with pytest.raises(TypeError, match="names are text, found 1"):
        gradus.evaluate(data, {1: "random"})


def test_other_packages_predict() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    data = gradus.synth.web(queries=8)
    model = linear.LinearRegression().fit(data.X, data.labels)
    e = gradus.evaluate(data, {"linear": model, "same": model.predict(data.X)})
    assert e["linear", "ndcg@10"] == e["same", "ndcg@10"]


def test_estimators_files_and_grades(tmp_path) -> None:  # type: ignore[no-untyped-def]
    data = gradus.synth.web(queries=15)
    ranker = gradus.Ranker("mcrank", rounds=5).fit(data)
    ranker.save(tmp_path / "m.model")
    e = gradus.evaluate(data, {"r": ranker, "file": tmp_path / "m.model",
                               "scores": ranker.predict(data)}, "ndcg@10,kendall")
    assert e["r"] == e["file"] == e["scores"]
    g = gradus.evaluate(data, {"r": ranker, "file": str(tmp_path / "m.model")}, "accuracy",
                        grades=True)
    right = float(np.mean(ranker.predict_grade(data) == data.labels))
    assert g["r", "accuracy"] == g["file", "accuracy"]
    whole = gradus.evaluate(data, {"r": ranker}, "accuracy", grades=True, within="all")
    assert whole["r", "accuracy"] == pytest.approx(right, abs=1e-12)


def test_evaluate_run(tmp_path) -> None:  # type: ignore[no-untyped-def]
    qrels, run = tmp_path / "q.txt", tmp_path / "r.txt"
    qrels.write_text("1 0 a 1\n1 0 b 0\n2 0 a 2\n2 0 c 0\n3 0 z 1\n")
    run.write_text("1 Q0 b 1 9.0 x\n1 Q0 a 2 8.0 x\n2 Q0 a 1 3.0 x\n2 Q0 c 2 1.0 x\n")
    with pytest.warns(gradus.GradusWarning, match="1 of 3 judged topics are missing"):
        e = gradus.evaluate_run(qrels, {"mine": run}, "mrr", convention="trec")
    assert e["mine", "mrr"] == pytest.approx((0.5 + 1.0) / 2)
    assert e.queries == ["1", "2", "3"]
    with pytest.warns(gradus.GradusWarning, match="counted as empty lists"):
        full = gradus.evaluate_run(qrels, [run], "mrr", convention="trec", complete=True)
    assert full["r.txt", "mrr"] == pytest.approx(0.5)
    with pytest.raises(TypeError, match="expected a path"):
        gradus.evaluate_run(qrels, {"mine": np.zeros(3)})


def test_confusion() -> None:
    data = gradus.synth.web(queries=10)
    ranker = gradus.Ranker("mcrank", rounds=5).fit(data)
    found = gradus.confusion(data, ranker)
    predicted, labels = ranker.predict_grade(data), np.asarray(data.labels)
    for i, a in enumerate(found.grades):
        for k, b in enumerate(found.grades):
            assert found.counts[i, k] == np.sum((labels == a) & (predicted == b))
    assert found.accuracy == pytest.approx(np.mean(labels == predicted))
    assert np.array_equal(gradus.confusion(data, predicted).counts, found.counts)
    assert f"accuracy {found.accuracy:.4f}" in repr(found)
    assert f"{found.counts[0, 0]:g}" in found._repr_html_()
    pytest.importorskip("pandas")
    assert found.frame.loc["0", "0"] == found.counts[0, 0]


def test_write_scores(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """In input order: reading the file back gives the same metrics for shuffled rows."""
    rng = np.random.default_rng(5)
    X, qid = rng.random((30, 2)).astype(np.float32), rng.integers(0, 4, 30)
    data = gradus.as_dataset(X, rng.integers(0, 3, 30), qid)
    gradus.write_scores(data, X[:, 0], tmp_path / "s.txt")
    assert np.loadtxt(tmp_path / "s.txt") == pytest.approx(X[:, 0].astype(np.float64))
    assert np.array_equal(gradus.scores_of(tmp_path / "s.txt", data), X[:, 0].astype(np.float64))


def test_examples_in_docstrings() -> None:
    import doctest
    for module in ("evaluation", "comparison"):
        found = doctest.testmod(__import__(f"gradus.{module}", fromlist=["x"]),
                                extraglobs={"gradus": gradus})
        assert found.attempted >= 3 and found.failed == 0, module
