# SPDX-License-Identifier: Apache-2.0
"""Scores, metrics, statistics and explanations of the C extension."""
import json
import math
import signal
import sys
import threading
import time

import numpy as np
import pytest

import core_support as support
from gradus import _core

METRICS = "ndcg@10,err,map,p@5,mrr,rmse,gmap"


@pytest.fixture(name="data", scope="module")
def make_data():
    return support.web(15)


@pytest.fixture(name="path", scope="module")
def make_path(data, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("files") / "data.txt")
    data.write(path)
    return path


@pytest.fixture(name="model", scope="module")
def make_model(data):
    return support.train(data, None, {"method": "lambdamart", "rounds": 5})


def feature(data, number):
    scores = np.empty(data.rows)
    _core.scores(data, f"feature:{number}", scores)
    return scores


def by_query(evaluation, index=0):
    return np.frombuffer(evaluation["results"][index]["by_query"])


# ---- scores

def test_scores_of_a_feature_a_model_and_a_file(data, model, tmp_path):
    values = np.asarray(data.array("values"))
    assert np.array_equal(feature(data, 1 + data.first_id), values[:, 1].astype(float))
    path = tmp_path / "a.model"
    model.write(str(path))
    scores = np.empty(data.rows)
    _core.scores(data, path, scores, threads=1)  # os.PathLike
    assert np.array_equal(scores, support.scores_of(model, data))
    file = tmp_path / "scores.txt"
    _core.scores_write(data, scores, file)
    read = np.empty(data.rows)
    _core.scores(data, str(file), read)
    assert np.array_equal(read, scores)


def test_random_scores_depend_on_the_seed(data):
    rows = [np.empty(data.rows) for _ in range(3)]
    for scores, seed in zip(rows, (1, 1, 2)):
        _core.scores(data, "random", scores, seed)
    assert np.array_equal(rows[0], rows[1]) and not np.array_equal(rows[0], rows[2])


def test_a_run_names_its_documents(data, tmp_path):
    path = tmp_path / "a.run"
    _core.scores_write(data, feature(data, 2), str(path), "mine")
    first = path.read_text(encoding="utf-8").splitlines()[0].split()
    assert first[1] == "Q0" and first[-1] == "mine" and len(first) == 6


@pytest.mark.parametrize("what, error, words", [
    ("feature:99999", _core.ArgumentError, "99999"),
    ("no such file", _core.FileError, "no such file"),
    (3, TypeError, "str"),
])
def test_scores_that_do_not_exist(what, error, words, data):
    with pytest.raises(error, match=words):
        _core.scores(data, what, np.empty(data.rows))


# ---- evaluation

@pytest.mark.parametrize("options", [
    {}, {"metric": METRICS}, {"metric": "ndcg@10,map", "convention": "letor4"},
    {"metric": "ndcg@3", "convention": "letor4", "ties": "expected"}])
def test_evaluation_equals_the_command(options, data, path):
    words = [word for name, value in options.items() for word in ("--" + name, value)]
    said = json.loads(support.command("eval", path, "feature:2", "feature:5", "--json", "--quiet",
                                      *words))
    for number, expected in zip((2, 5), said):
        found = _core.evaluate(data, feature(data, number), options, threads=1)
        assert {r["metric"]: r["mean"] for r in found["results"]} == expected["metrics"]
        assert found["convention"] == expected["convention"]
        assert found["switches"] == expected["switches"]


def test_members_of_results(data):
    found = _core.evaluate(data, feature(data, 2), {"metric": METRICS})
    assert [r["metric"] for r in found["results"]] == METRICS.split(",")
    assert found["query_names"] == data.query_names()
    for result in found["results"]:
        values = np.frombuffer(result["by_query"])
        assert len(values) == data.queries
        assert result["counted"] + np.isnan(values).sum() == data.queries
        assert result["geometric"] == (result["metric"] == "gmap")
        assert result["lower_is_better"] == (result["metric"] == "rmse")
        if not result["geometric"] and result["metric"] != "rmse":
            assert result["mean"] == pytest.approx(np.nanmean(values), rel=1e-12)


def test_queries_without_names_have_none():
    labels = np.array([1, 0, 2, 1], np.float32)
    data = _core.Dataset.from_arrays(rows=4, features=1, labels=labels,
                                     values=np.ones((4, 1), np.float32),
                                     query_starts=np.array([0, 2, 4], np.uint64))
    found = _core.evaluate(data, np.array([1.0, 2, 3, 4]), {"metric": "mrr"})
    assert found["query_names"] is None
    assert by_query(found).tolist() == [0.5, 1.0]


def test_runs_equal_the_command(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("a 0 x 2\na 0 y 0\na 0 z 1\nb 0 x 0\nb 0 w 1\nc 0 x 1\n", encoding="utf-8")
    run.write_text("a Q0 y 1 3 r\na Q0 x 2 2 r\nb Q0 w 1 5 r\nb Q0 x 2 4 r\n", encoding="utf-8")
    options = {"metric": "ndcg@10,map", "convention": "trec"}
    found = _core.evaluate_run(str(qrels), run, options)
    assert found["query_names"] == ["a", "b", "c"]
    assert np.isnan(by_query(found)[2])
    assert found["results"][1]["mean"] == pytest.approx((0.25 + 1) / 2)
    every = _core.evaluate_run(str(qrels), run, {**options, "complete": True})
    assert every["results"][1]["mean"] == pytest.approx((0.25 + 1) / 3)
    said = json.loads(support.command("eval", "--qrels", qrels, "--run", run, "--json", "--metric",
                                      options["metric"], "--convention", "trec"))
    assert {r["metric"]: r["mean"] for r in found["results"]} == said[0]["metrics"]


@pytest.mark.parametrize("scores, options, error, words", [
    (None, None, TypeError, "scores must be an array of float64"),
    ([1.0], None, TypeError, "scores must be an array of float64, not 'list'"),
    (np.zeros(3), None, ValueError, "scores has 3 items, expected"),
    ("f", None, TypeError, "scores must contain float64"),
    ("nan", None, _core.NumberError, "finite|nan"),
    ("d", {"metric": "ndgc@10"}, _core.ArgumentError, "did you mean 'ndcg'"),
    ("d", {"metrics": "ndcg"}, _core.ArgumentError, "metric"),
    ("d", "ndcg", TypeError, "options"),
])
def test_wrong_arguments_of_evaluate(scores, options, error, words, data):
    if isinstance(scores, str):
        filled = np.full(data.rows, np.nan if scores == "nan" else 1)
        scores = filled.astype(np.float32 if scores == "f" else np.float64)
    with pytest.raises(error, match=words):
        _core.evaluate(data, scores, options)


def test_evaluations_in_several_threads(data):
    scores = feature(data, 3)
    expected = _core.evaluate(data, scores, {"metric": METRICS})
    found = []

    def work():
        for _ in range(10):
            found.append(_core.evaluate(data, scores, {"metric": METRICS}, threads=2))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 40 and all(repr(one) == repr(expected) for one in found)


def test_confusion_counts_rows(data):
    labels = np.asarray(data.array("labels")).astype(float)
    predicted = np.minimum(labels, 2.0)
    grades, counts = (np.frombuffer(part) for part in _core.confusion(data, predicted))
    assert grades.tolist() == sorted(set(labels) | set(predicted))
    table = counts.reshape(len(grades), len(grades))
    assert table.sum() == data.rows
    for i, label in enumerate(grades):
        for k, grade in enumerate(grades):
            assert table[i, k] == np.sum((labels == label) & (predicted == grade))
    with pytest.raises(_core.NumberError):
        _core.confusion(data, np.full(data.rows, np.inf))
    with pytest.raises(ValueError, match="predicted has 2 items"):
        _core.confusion(data, np.zeros(2))


# ---- statistics

@pytest.mark.parametrize("options", [
    {}, {"test": "randomization"}, {"test": "wilcoxon", "sided": 1}])
def test_comparison_equals_the_command(options, data, path):
    words = [word for name, value in options.items() for word in ("--" + name, value)]
    names = ["feature:2", "feature:3", "feature:5"]
    said = json.loads(support.command("compare", path, *names, "--json", "--quiet", *words))
    values = [by_query(_core.evaluate(data, feature(data, number))) for number in (2, 3, 5)]
    found = _core.compare(values, options, threads=2)
    assert len(found) == 3
    renamed = {"df": "freedom", "p_adjusted": "p_holm"}
    for ours, expected in zip(found, said["sets"][0]["contrasts"]):
        for key, value in ours.items():
            wanted = expected[renamed.get(key, key)]
            if key in ("a", "b"):
                assert names[value] == wanted
            elif wanted is None:
                assert math.isnan(value)
            else:
                assert value == wanted, key


@pytest.mark.parametrize("values, error, words", [
    (3, TypeError, "iterable"),
    ([np.zeros(3), None], TypeError, r"values\[1\] must be an array"),
    ([np.zeros(3), np.zeros(4)], ValueError, r"values\[1\] has 4 items, expected 3"),
    ([np.zeros(3), np.zeros(3, int)], TypeError, r"values\[1\] must contain float64"),
    ([np.zeros(3), np.zeros((3, 2))[:, 0]], ValueError, "C-contiguous"),
    ([np.zeros(3)], _core.ArgumentError, "two systems|systems"),
])
def test_wrong_values_of_compare(values, error, words):
    with pytest.raises(error, match=words):
        _core.compare(values)


def test_interrupts_end_a_comparison():
    values = [np.sin(np.arange(30000.0)), np.cos(np.arange(30000.0))]
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    started = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            _core.compare(values, {"test": "randomization", "resamples": 1000000})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert time.monotonic() - started < 2
    assert len(_core.compare([v[:50] for v in values], {"test": "randomization"})) == 1


def test_p_values():
    adjusted = np.frombuffer(_core.adjust_p(np.array([0.01, 0.04, np.nan, 0.03])))
    assert adjusted[[0, 1, 3]].tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert np.isnan(adjusted[2])
    statistic, combined = _core.combine_p(np.array([0.1, 0.2]))
    assert statistic == pytest.approx(-2 * math.log(0.02))
    assert combined == pytest.approx(0.02 * (1 + statistic / 2))  # chi-squared, 4 degrees
    assert len(_core.adjust_p(np.empty(0))) == 0
    for function in (_core.adjust_p, _core.combine_p):
        with pytest.raises(TypeError, match="p must be an array of float64"):
            function(None)
        with pytest.raises(_core.ArgumentError, match="1.5"):
            function(np.array([1.5]))


# ---- explanations

def arrays_of(found):
    rows = np.frombuffer(found["rows"], np.uint64)
    features = np.frombuffer(found["features"], np.uint64)
    shape = len(rows), len(found["targets"])
    return {
        "rows": rows, "features": features,
        "value": np.frombuffer(found["value"]).reshape(shape),
        "base": np.frombuffer(found["base"]).reshape(shape),
        "contributions": np.frombuffer(found["contributions"]).reshape(*shape, len(features)),
        "values": np.frombuffer(found["values"], np.float32).reshape(len(rows), len(features)),
        "reference": np.frombuffer(found["reference"], np.int64)}


@pytest.mark.parametrize("against", ["mean", "query"])
def test_contributions_add_up(against, data, model):
    explainer = _core.Explainer(model, {"against": against})
    rows = np.array([5, 0, 17], np.uint64)
    found = explainer.run(data, rows, threads=1)
    assert found["against"] == against and found["exact"] and found["errors"] is None
    assert found["targets"] == ["score"] and not found["zero_means"]
    assert (found["references"] is None) == (against == "mean")
    x = arrays_of(found)
    assert x["rows"].tolist() == rows.tolist()
    assert x["value"][:, 0].tolist() == support.scores_of(model, data)[rows].tolist()
    assert np.allclose(x["base"] + x["contributions"].sum(axis=2), x["value"], atol=1e-9)
    whole = np.asarray(data.array("values"))
    assert np.array_equal(x["values"], whole[rows][:, x["features"]])
    assert x["reference"].tolist() == [-1, -1, -1]
    every = arrays_of(explainer.run(data))
    assert np.array_equal(every["contributions"][rows], x["contributions"])


def test_sampled_explanations_have_errors(data):
    net = support.train(data, None, {"method": "listnet", "rounds": 2, "transform": "standardise"})
    found = _core.Explainer(net, {"orders": 10}).run(data, np.array([1], np.uint64))
    assert not found["exact"]
    assert len(found["errors"]) == len(found["contributions"]) > 0


def test_outputs_are_targets(data):
    model = support.train(data, None, {"method": "mcrank", "rounds": 2})
    found = _core.Explainer(model, {"output": "all"}).run(data, np.array([3, 4], np.uint64))
    assert len(found["targets"]) == model.info()["outputs"] > 1
    assert found["targets"][0].startswith("output")
    x = arrays_of(found)
    assert np.allclose(x["base"] + x["contributions"].sum(axis=2), x["value"], atol=1e-9)


@pytest.mark.parametrize("call, error, words", [
    (lambda d, m: _core.Explainer(d), TypeError, "model must be"),
    (lambda d, m: _core.Explainer(m, {"output": 99}), _core.ArgumentError, "output"),
    (lambda d, m: _core.Explainer(m, {"against": "x"}).run(d), _core.ArgumentError, "'x'"),
    (lambda d, m: _core.Explainer(m).run(m), TypeError, "data must be"),
    (lambda d, m: _core.Explainer(m).run(d, [1]), TypeError, "rows must be an array of uint64"),
    (lambda d, m: _core.Explainer(m).run(d, np.array([1])), TypeError, "uint64"),
    (lambda d, m: _core.Explainer(m).run(d, np.array([d.rows], np.uint64)), _core.ArgumentError,
     "row"),
    (lambda d, m: _core.Explainer(m).run(d, threads=-2), ValueError, "threads is -2"),
])
def test_wrong_arguments_of_explainers(call, error, words, data, model):
    with pytest.raises(error, match=words):
        call(data, model)


def test_explainers_keep_their_model(data):
    explainer = _core.Explainer(support.train(data, None, {"rounds": 2}))
    assert explainer.run(data)["exact"]


# ---- memory

def test_repeated_calls_do_not_grow(data, model):
    scores = feature(data, 2)
    objects = [data, model, scores]
    before = [sys.getrefcount(one) for one in objects]

    def once():
        values = [by_query(_core.evaluate(data, scores, notes=[])) for _ in range(2)]
        _core.compare(values)
        _core.confusion(data, np.zeros(data.rows))
        _core.Explainer(model, {"against": "query"}).run(data)
        for wrong in (np.zeros(2), None, 3):
            with pytest.raises((TypeError, ValueError)):
                _core.evaluate(data, wrong)
            with pytest.raises((TypeError, ValueError)):
                _core.compare([scores, wrong])
        with pytest.raises(_core.ArgumentError):
            _core.evaluate(data, scores, {"metric": "none"})

    assert support.grows(once, 150, warm=30) < 3
    assert [sys.getrefcount(one) for one in objects] == before
