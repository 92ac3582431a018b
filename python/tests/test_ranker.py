# SPDX-License-Identifier: Apache-2.0
"""Ranker: parameters, fit, predictions, facts, files, callbacks."""
from __future__ import annotations

import copy
import doctest
import importlib
import inspect
import io
import os
import pickle
import subprocess
import sys
import types
import warnings

import numpy as np
import pytest

import gradus
from gradus import Ranker, _core
from small_sets import QUICK, arrays, web

pytestmark = pytest.mark.filterwarnings("ignore::gradus.GradusWarning")


@pytest.fixture(scope="module")
def fitted():
    return Ranker("lambdamart", rounds=8, leaves=6).fit(web(), eval_set=web(8, 2))


# ---- parameters

def test_signature_lists_the_options_of_training():
    keys = list(inspect.signature(Ranker.__init__).parameters)[1:-1]
    table = [p["name"].replace("-", "_") for p in _core.params("train")]
    table = [name + "_" * (name in ("lambda", "transform")) for name in table]
    assert keys[0] == "method" == table[0]
    assert [key for key in keys if key in table] == table
    assert set(keys) - set(table) == {"query", "objective", "threads", "device", "max_memory",
                                      "comm"}
    assert set(keys) == set(Ranker().get_params())


def test_docstring_describes_every_parameter():
    for key in Ranker().get_params():
        assert f"\n{key} : " in Ranker.__doc__, key
    sections = [line for line in Ranker.__doc__.splitlines() if line in ("Parameters", "Attributes", "Examples")]
    assert sections == ["Parameters", "Attributes", "Examples"]
    assert "Other names: num_leaves, max_leaves" in Ranker.__doc__.replace("\n    ", " ")


@pytest.mark.parametrize("alias, key", [
    ("num_leaves", "leaves"), ("n_estimators", "rounds"), ("eta", "learning_rate"),
    ("reg_lambda", "l2"), ("max_depth", "depth"), ("subsample", "row_fraction"),
    ("early_stopping_rounds", "patience"), ("random_state", "seed"), ("n_jobs", "threads"),
    ("lambda", "lambda_"), ("transform", "transform_"), ("learning-rate", "learning_rate")])
def test_names_of_other_tools(alias, key):
    ranker = Ranker(**{alias: 7})
    assert getattr(ranker, key) == ranker.get_params()[key] == 7
    assert Ranker().set_params(**{alias: 7}).get_params()[key] == 7
    assert repr(ranker) == f"Ranker('lambdamart', {key}=7)"


def test_all_processors():
    X, y, qid = arrays()
    ranker = Ranker(n_jobs=-1, rounds=2).fit(X, y, qid)
    assert ranker.threads == -1 and ranker.predict(X).shape == y.shape
    with pytest.raises(ValueError, match="threads"):
        Ranker(threads=-2).fit(X, y, qid)


def test_wrong_names():
    with pytest.raises(TypeError, match="did you mean 'leaves'?"):
        Ranker(leafs=3)
    with pytest.raises(ValueError, match="did you mean 'leaves'?"):
        Ranker().set_params(leafs=3)
    with pytest.raises(TypeError, match="same parameter"):
        Ranker(leaves=3, num_leaves=4)
    with pytest.raises(ValueError, match="'leaves' and 'num_leaves', which are the same parameter"):
        Ranker().set_params(leaves=3, num_leaves=4)


def test_other_names_that_are_none():
    assert Ranker(leaves=7, num_leaves=None).leaves == 7
    assert Ranker(num_leaves=None).leaves is None
    assert Ranker().set_params(leaves=7, num_leaves=None).leaves == 7
    assert Ranker().set_params(leaves=None, num_leaves=7).leaves == 7
    assert Ranker(leaves=7).set_params(num_leaves=None).leaves is None
    with pytest.raises(TypeError, match="no parameter"):
        Ranker(leafs=None)


@pytest.mark.parametrize("options, message", [
    ({"leaves": -3}, "leaves"), ({"leaves": "many"}, "leaves"), ({"method": "lambdamat"}, "lambdamart"),
    ({"alpha": 0.1}, "alpha"), ({"learning_rate": float("nan")}, "learning-rate")])
def test_wrong_values_are_found_by_fit(options, message):
    with pytest.raises(ValueError, match=message):
        Ranker(**options).fit(web())


def test_attributes_follow_the_method():
    ranker = Ranker("regression")
    assert ranker.leaves is None and not hasattr(ranker, "alpha")
    assert hasattr(Ranker("crr"), "alpha")
    with pytest.raises(AttributeError, match="not an option of method 'regression'"):
        ranker.alpha


def test_lists_and_mappings_are_values():
    options = Ranker(label_gain=[0, 1, 3, 7.5, 15], monotone={"3": 1, "7": -1})._options()
    assert options == {"method": "lambdamart", "label-gain": "0,1,3,7.5,15", "monotone": "3:+,7:-"}


def test_repr_shows_what_differs():
    assert repr(Ranker()) == "Ranker('lambdamart')"
    assert repr(Ranker("mcrank", leaves=63, query="q")) == "Ranker('mcrank', query='q', leaves=63)"


# ---- before fit

@pytest.mark.parametrize("use", ["predict(X)", "rank(X)", "score(X, y)", "save('x')", "to_bytes()", "model_",
                                 "curve_", "importance_", "recipe_", "n_features_in_", "classes_"])
def test_not_fitted(use):
    X, y, _ = arrays()
    with pytest.raises(gradus.NotFittedError if "sklearn" not in sys.modules else ValueError,
                       match="not fitted"):
        eval("ranker." + use, {"ranker": Ranker(), "X": X, "y": y})


# ---- fit and predict

def test_rows_are_in_input_order():
    X, y, qid = arrays()
    order = np.random.default_rng(0).permutation(len(y))
    ranker = Ranker("regression", rounds=5).fit(X, y, qid)
    shuffled = Ranker("regression", rounds=5).fit(X[order], y[order], qid[order])
    scores = ranker.predict(X)
    assert np.array_equal(ranker.predict(X[order]), scores[order])
    assert np.array_equal(ranker.predict(X[order], qid=qid[order]), scores[order])
    assert np.corrcoef(shuffled.predict(X), scores)[0, 1] > 0.95


def test_few_rows_and_many_give_the_same_scores(fitted):
    X = web().X
    whole = fitted.predict(X)
    for rows in (1, 2, 64, 65):
        assert np.array_equal(fitted.predict(np.ascontiguousarray(X[:rows])), whole[:rows])
    assert np.array_equal(fitted.predict(X[:4].astype(np.float64)), whole[:4])
    assert np.array_equal(fitted.predict(np.asfortranarray(X[:4])), whole[:4])
    assert np.array_equal(fitted.predict(X[:8:2]), whole[:8:2])
    assert np.array_equal(fitted.predict(web()), whole)


@pytest.mark.parametrize("rows", [1, 200])
def test_infinite_values(fitted, rows):
    X = np.array(web().X[:rows])
    X[-1, 3] = -np.inf
    with pytest.raises(ValueError, match=f"-inf in row {rows - 1}, column 3"):
        fitted.predict(X)
    X[-1, 3] = np.nan
    assert np.isfinite(fitted.predict(X)).all()


def test_wrong_columns(fitted):
    X = web().X
    for wrong in (X[:, :-1], np.hstack([X, X[:, :1]])):
        with pytest.raises(ValueError, match="features"):
            fitted.predict(np.ascontiguousarray(wrong))
    with pytest.raises(ValueError, match="Reshape your data"):
        fitted.predict(X[0])


def test_group_equals_qid():
    X, y, qid = arrays()
    sizes = np.diff(web().query_starts.astype(int))
    by_qid = Ranker(rounds=3).fit(X, y, qid)
    assert Ranker(rounds=3).fit(X, y, group=sizes).to_bytes() == by_qid.to_bytes()
    with pytest.raises(TypeError, match="not both"):
        Ranker().fit(X, y, qid, group=sizes)
    with pytest.raises(ValueError):
        Ranker().fit(X, y, group=sizes[:-1])


def test_query_column():
    X, y, qid = arrays()
    wide = np.column_stack([X[:, :3], qid, X[:, 3:]])
    ranker = Ranker(query=3, rounds=3).fit(wide, y)
    plain = Ranker(rounds=3).fit(X, y, qid)
    assert ranker.to_bytes() == plain.to_bytes()
    assert np.array_equal(ranker.predict(wide), plain.predict(X))
    assert ranker.score(wide, y) == plain.score(X, y, qid)


def test_rows_of_weight_0_are_removed():
    X, y, qid = arrays()
    weight = np.ones(len(y))
    weight[::3] = 0
    kept = weight > 0
    weighted = Ranker(rounds=4).fit(X, y, qid, sample_weight=weight)
    removed = Ranker(rounds=4).fit(X[kept], y[kept], qid[kept], sample_weight=weight[kept])
    assert weighted.to_bytes() == removed.to_bytes()
    with pytest.raises(ValueError, match="all sample weights are 0"):
        Ranker().fit(X, y, qid, sample_weight=np.zeros(len(y)))


def test_notes_are_warnings_or_logged(caplog):
    X, y, qid = arrays()
    with pytest.warns(gradus.GradusWarning, match="single query"):
        Ranker("pairrank", rounds=2).fit(X, y, np.zeros(len(y), dtype=int))
    with warnings.catch_warnings(), caplog.at_level("INFO", "gradus"):
        warnings.simplefilter("error")
        Ranker("regression", rounds=2).fit(X, y)
    assert "chosen for" in caplog.text


def test_missing_labels_and_queries():
    X, y, qid = arrays()
    with pytest.raises(ValueError, match="requires y to be passed"):
        Ranker().fit(X)
    with pytest.raises(ValueError, match="quer"):
        Ranker("lambdamart").fit(X, y)
    with pytest.raises(ValueError, match="y should be a 1d array"):
        Ranker().fit(X, np.ones((len(y), 2)), qid)


def test_transform_by_query_needs_queries():
    X, y, qid = arrays()
    ranker = Ranker("ranksvm", transform="query", steps=2000).fit(X, y, qid)
    with pytest.raises(ValueError, match="qid"):
        ranker.predict(X[:3])
    expected = np.empty(len(y))
    ranker.model_.score(web()._core, expected)
    assert np.array_equal(ranker.predict(X, qid=qid), expected)


@pytest.mark.parametrize("method", QUICK)
def test_every_method(method):
    options = {**QUICK[method], "method": method}
    ranker = Ranker(**options).fit(web(12), eval_set=web(6, 2))
    scores = ranker.predict(web(6, 3).X, qid=web(6, 3).qid)
    assert np.isfinite(scores).all() and np.ptp(scores) > 0
    facts = ranker.model_.info()
    unfitted = Ranker(method)
    assert hasattr(ranker, "predict_proba") == hasattr(unfitted, "predict_proba") == facts["probabilities"]
    assert hasattr(ranker, "predict_grade") == hasattr(unfitted, "predict_grade") == bool(facts["grades"])
    if facts["probabilities"]:
        shares = ranker.predict_proba(web(6, 3))
        assert shares.shape == (web(6, 3).rows, len(ranker.classes_))
        assert np.allclose(shares.sum(axis=1), 1)
    if facts["grades"]:
        assert set(ranker.predict_grade(web(6, 3))) <= set(ranker.classes_)
    else:
        assert not hasattr(ranker, "classes_")
    again = Ranker(**ranker.recipe_.parameters).fit(web(12), eval_set=web(6, 2))
    assert again.to_bytes() == ranker.to_bytes()
    assert f"gradus train --method {method} --train TRAIN --valid VALID" in str(ranker.recipe_)


@pytest.mark.parametrize("rows", [1, 64, 65])
def test_rows_that_are_not_aligned(fitted, rows):
    X = web().X[:rows]
    moved = np.frombuffer(b"x" + X.tobytes(), np.float32, offset=1).reshape(X.shape)
    assert not moved.flags.aligned and moved.flags.c_contiguous
    assert np.array_equal(fitted.predict(moved), fitted.predict(X))
    y = web().labels.astype(int)
    classifier = gradus.OrdinalClassifier("propodds", rounds=2).fit(web().X, y)
    assert np.array_equal(classifier.predict_proba(moved), classifier.predict_proba(X))


# ---- rank and score

def test_rank():
    X = np.array([[1], [3], [2], [5], [4]], dtype=np.float32)
    ranker = Ranker("coordinate-ascent").fit(
        np.array([[0.0], [1], [2], [3]]), [0, 1, 2, 3], [1, 1, 1, 1])
    table = ranker.rank(X, qid=["b", "a", "b", "a", "b"], top=2)
    assert list(table)[0][:3] == ("b", 4, 1)
    assert [item[:3] for item in table] == [("b", 4, 1), ("b", 2, 2), ("a", 3, 1), ("a", 1, 2)]
    assert (np.diff(table.score[:2]) < 0).all()
    assert len(ranker.rank(X)) == 5
    for top in (0, -1):
        with pytest.raises(ValueError, match=f"top={top}: expected 1 or more"):
            ranker.rank(X, top=top)
    assert list(table.frame.columns) == ["query", "row", "rank", "score"]
    assert "<table" in table._repr_html_() and "rank" in repr(table)


def test_score_is_the_metric_of_training(fitted):
    data = web(8, 2)
    expected = _core.evaluate(data._core, fitted.predict(data), {"metric": "ndcg@10"})
    assert fitted.score(data) == expected["results"][0]["mean"]
    best = fitted.curve_["valid"][fitted.curve_["round"] == fitted.model_.info()["best_round"]]
    assert fitted.score(data) == pytest.approx(best[0])
    err = _core.evaluate(data._core, fitted.predict(data), {"metric": "err@5"})
    assert fitted.score(data.X, data.labels, data.qid, metric="err@5") == err["results"][0]["mean"]


def test_errors_are_negated(fitted):
    ranker = Ranker("regression", rounds=5).fit(web())
    assert ranker.score(web(), metric="rmse") < 0


def test_score_without_queries_is_r2():
    from sklearn.metrics import r2_score
    X, y, _ = arrays()
    ranker = Ranker("regression", rounds=20).fit(X, y)
    assert ranker.score(X, y) == pytest.approx(r2_score(y, ranker.predict(X)))
    weight = np.arange(1, len(y) + 1)
    assert ranker.score(X, y, sample_weight=weight) == pytest.approx(
        r2_score(y, ranker.predict(X), sample_weight=weight), rel=1e-5)


# ---- evaluation sets, warm start, functions

def test_forms_of_eval_set():
    X, y, qid = arrays(8, 2)
    one = Ranker(rounds=4).fit(web(), eval_set=(X, y, qid))
    for form in (web(8, 2), [(X, y, qid)], {"held out": web(8, 2)}):
        assert Ranker(rounds=4).fit(web(), eval_set=form).to_bytes() == one.to_bytes()
    several = Ranker(rounds=4).fit(web(), eval_set=[web(8, 2), web(6, 3)])
    assert several.to_bytes() == one.to_bytes()
    curve = several.curve_
    assert list(curve) == ["round", "train", "valid", "valid_2"]
    assert curve["valid_2"][-1] == pytest.approx(
        Ranker(rounds=4, keep="last").fit(web(), eval_set=web(8, 2)).score(web(6, 3)))
    named = Ranker(rounds=4).fit(web(), eval_set=[web(8, 2), web(6, 3)], eval_names=["a", "b"])
    assert list(named.curve_) == ["round", "train", "valid", "b"]
    with pytest.raises(ValueError, match="eval_names"):
        Ranker().fit(web(), eval_set=[web(8, 2)], eval_names=["a", "b"])


def test_warm_start(tmp_path):
    whole = Ranker("regression", rounds=6).fit(web())
    half = Ranker("regression", rounds=3).fit(web())
    half.save(tmp_path / "half.model")
    for start in (half, tmp_path / "half.model"):
        more = Ranker("regression", rounds=3).fit(web(), init_model=start)
        assert np.allclose(more.predict(web()), whole.predict(web()), atol=1e-5)
        assert more.model_.info()["start_rounds"] == 3


def test_initial_scores():
    X, y, qid = arrays()
    base = np.linspace(0, 1, len(y))
    ranker = Ranker("regression", rounds=10).fit(X, y, qid, initial=base)
    plain = Ranker("regression", rounds=10).fit(X, y, qid)
    assert not np.array_equal(ranker.predict(X), plain.predict(X))
    with pytest.raises(ValueError, match="initial"):
        Ranker("regression").fit(X, y, qid, initial=base[1:])


def squared(labels, scores):
    return scores - labels, np.ones(len(labels))


def test_objective_function():
    built_in = Ranker("regression", rounds=10, l2=0).fit(web())
    own = Ranker("regression", rounds=10, l2=0, objective=squared).fit(web())
    assert np.corrcoef(own.predict(web()), built_in.predict(web()))[0, 1] > 0.98

    def with_data(labels, scores, data):
        assert data.rows == len(labels) and data.qid is not None
        return squared(labels, scores)
    third = Ranker("regression", rounds=10, l2=0, objective=with_data).fit(web())
    assert np.array_equal(third.predict(web()), own.predict(web()))


def test_objective_in_input_order():
    X, y, qid = arrays()
    order = np.random.default_rng(0).permutation(len(y))
    seen = []

    def objective(labels, scores):
        seen.append(np.array_equal(labels, y[order]))
        return squared(labels, scores)
    own = Ranker("regression", rounds=3, objective=objective).fit(X[order], y[order], qid[order])
    assert seen == [True] * 3
    straight = Ranker("regression", rounds=3, objective=squared).fit(X, y, qid)
    assert np.corrcoef(own.predict(X), straight.predict(X))[0, 1] > 0.9


def test_exception_in_objective():
    def objective(labels, scores):
        raise ZeroDivisionError("mine")
    with pytest.raises(ZeroDivisionError, match="mine"):
        Ranker("regression", objective=objective).fit(web())
    with pytest.raises(ValueError, match="gradients have shape"):
        Ranker("regression", objective=lambda y, s: (s[1:], s)).fit(web())


@pytest.mark.parametrize("options, error, message", [
    ({"objective": "lambdarank"}, TypeError, "objective must be a function.*'lambdarank'; .*method=..."),
    ({"objective": 3}, TypeError, "objective must be a function of labels and scores, not 3"),
    ({"objective": lambda y, s: None}, TypeError, "two arrays, gradients and hessians, not None"),
    ({"objective": lambda y, s: s - y}, TypeError, r"hessians, not an array of shape \(\d+,\)"),
    ({"objective": lambda y, s: (s, s, s)}, TypeError, "hessians, not tuple of 3 items"),
    ({"metric": lambda y, s: None}, TypeError, "must return a number, not None"),
    ({"metric": lambda y, s: "best"}, TypeError, "must return a number, not 'str'"),
    ({"metric": lambda y, s: s}, TypeError, "must return a number, not an array"),
    ({"metric": lambda y, s: np.nan}, ValueError, "the metric <lambda> is NaN")])
def test_wrong_results_of_functions(options, error, message):
    with pytest.raises(error, match=message):
        Ranker("regression", rounds=3, **options).fit(web(), eval_set=web(8, 2))


def test_one_callback():
    rounds = []
    Ranker("regression", rounds=3).fit(web(), callbacks=lambda state: rounds.append(state.round))
    assert rounds == [1, 2, 3]


def test_metric_function_on_sampled_data():
    rng = np.random.default_rng(1)
    X = rng.random((60000, 3), dtype=np.float32)
    sizes = set()

    def slope(labels, scores, data):
        sizes.add(data.rows)
        assert labels.shape == scores.shape == (data.rows,) and data.X.shape == (data.rows, 3)
        return float(np.cov(labels, scores)[0, 1])

    rows = X, (X[:, 0] * 3).astype(int), np.arange(60000) // 20
    Ranker("listnet", metric=slope, transform_="auto", rounds=1).fit(*rows, eval_set=rows)
    assert max(sizes) == 60000 and min(sizes) < 60000


def test_metric_function():
    def minus_error(labels, scores):
        return -float(np.mean((labels - scores) ** 2))
    ranker = Ranker("regression", rounds=12, metric=minus_error).fit(web(), eval_set=web(8, 2))
    curve = ranker.curve_
    last = curve["round"][-1]
    full = Ranker("regression", rounds=int(last), keep="last", metric=minus_error).fit(
        web(), eval_set=web(8, 2))
    assert curve["valid"][-1] == pytest.approx(full.score(web(8, 2)))
    assert full.score(web(8, 2)) < 0
    states = []
    full.fit(web(), callbacks=[states.append])
    assert states[-1].metric == "minus_error"
    assert full.recipe_.parameters["metric"] is minus_error and full.recipe_.command == ""
    assert "minus_error, train" in full._repr_html_()


# ---- callbacks

def test_callbacks_receive_the_state():
    states = []
    history = {}
    ranker = Ranker(rounds=5).fit(web(), eval_set=[web(8, 2), web(6, 3)],
                                  callbacks=[states.append, gradus.record(history)])
    assert [state.round for state in states] == [1, 2, 3, 4, 5]
    assert [state.done for state in states] == [False] * 4 + [True]
    assert history["valid"] == ranker.curve_["valid"].tolist()
    assert history["valid_2"] == ranker.curve_["valid_2"].tolist()
    assert states[-1].metric == "ndcg@10" and states[-1].method == "lambdamart"
    assert "round 5 of 5" in repr(states[-1])


def test_stop_training():
    def stop(state):
        if state.round == 3:
            raise gradus.StopTraining
    ranker = Ranker("regression", rounds=50).fit(web(), callbacks=[stop])
    assert ranker.model_.info()["rounds"] == 3 and not hasattr(ranker, "checkpoint_")


def test_exception_leaves_a_checkpoint():
    def fail(state):
        if state.round == 3:
            raise ZeroDivisionError
    ranker = Ranker(rounds=6)
    with pytest.raises(ZeroDivisionError):
        ranker.fit(web(), callbacks=[fail])
    assert not hasattr(ranker, "model_")
    ranker.fit(web(), resume_from=ranker.checkpoint_)
    assert ranker.to_bytes() == Ranker(rounds=6).fit(web()).to_bytes()
    assert not hasattr(ranker, "checkpoint_")


def test_checkpoint_callback(tmp_path):
    path = tmp_path / "c"
    Ranker(rounds=4).fit(web(), callbacks=[gradus.checkpoint(path, seconds=0)])
    assert Ranker.load(path).model_.info()["rounds"] == 4
    resumed = Ranker(rounds=4).fit(web(), resume_from=path)
    assert resumed.to_bytes() == Ranker(rounds=4).fit(web()).to_bytes()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress():
    lines = io.StringIO()
    Ranker(rounds=40).fit(web(), eval_set=web(8, 2), callbacks=[gradus.progress(lines)])
    shown = lines.getvalue().splitlines()
    assert 5 <= len(shown) <= 25 and "round 40 of 40" in shown[-1] and "valid 0." in shown[-1]
    terminal = Terminal()
    Ranker(rounds=10).fit(web(), callbacks=[gradus.progress(terminal)])
    assert terminal.getvalue().count("\n") == 1 and terminal.getvalue().endswith("\n")
    parts = terminal.getvalue().strip().split("\r")
    assert len({len(part) for part in parts[1:]}) <= 2 and "round 10 of 10" in parts[-1]


def test_progress_in_notebooks(monkeypatch):
    shown = []

    class Handle:
        def update(self, page):
            shown.append(page)

    def display(page, display_id):
        shown.append(page)
        return Handle()
    shell = types.SimpleNamespace(kernel=True)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(HTML=str, display=display))
    Ranker(rounds=5).fit(web(), callbacks=[gradus.progress()])
    assert "<progress" in shown[0] and "round 5 of 5" in shown[-1]


def test_callbacks_must_be_callable():
    with pytest.raises(TypeError, match="callbacks"):
        Ranker().fit(web(), callbacks=["progress"])


# ---- after fit

def test_importance(fitted):
    table = fitted.importance_
    gains = np.frombuffer(fitted.model_.importance()[0])
    assert len(table) == np.count_nonzero(gains)
    assert table[0]["gain"] == gains.max()
    assert fitted.feature_importances_.sum() == pytest.approx(1)
    assert fitted.feature_importances_.argmax() + web().first_id == int(table[0]["feature"])


def test_with_scoring():
    ranker = Ranker("mcrank", rounds=5).fit(web())
    other = ranker.with_scoring("expected-gain")
    shares = ranker.predict_proba(web())
    assert np.allclose(ranker.predict(web()), shares @ ranker.classes_)
    assert np.allclose(other.predict(web()), shares @ (2 ** other.classes_ - 1))
    short = ranker.with_scoring(rounds=2)
    assert short.model_.info()["rounds"] == 2 and ranker.model_.info()["rounds"] == 5
    with pytest.raises(TypeError, match="with_scoring"):
        ranker.with_scoring(ruler="x")


def test_files(fitted, tmp_path):
    path = tmp_path / "a.model"
    fitted.save(path)
    assert path.read_bytes() == fitted.to_bytes() == Ranker.from_bytes(path.read_bytes()).to_bytes()
    loaded = Ranker.load(path)
    assert np.array_equal(loaded.predict(web()), fitted.predict(web()))
    assert (loaded.method, loaded.leaves, loaded.rounds) == ("lambdamart", 6, 8)
    assert loaded.fit(web(), eval_set=web(8, 2)).to_bytes() == fitted.to_bytes()
    fitted.export(tmp_path / "a.json", "xgboost-json", parity=tmp_path / "parity.csv")
    again = Ranker.load(tmp_path / "a.json")
    assert np.allclose(again.predict(web()), fitted.predict(web()), atol=1e-5)
    assert (tmp_path / "parity.csv").stat().st_size > 0
    assert again.method == "xgboost" and len(again.importance_) == len(fitted.importance_)
    with pytest.raises(AttributeError, match="imported"):
        again.recipe_
    with pytest.raises(ValueError, match="method"):
        again.fit(web())
    with pytest.raises(OSError):
        Ranker.load(tmp_path / "none.model")


def test_predict_from_files(fitted, tmp_path):
    data = web(6, 3)
    data.write(tmp_path / "rows.txt")
    assert np.array_equal(fitted.predict(tmp_path / "rows.txt"), fitted.predict(data))
    assert fitted.score(str(tmp_path / "rows.txt")) == fitted.score(data)


def test_files_with_other_numbers_of_features(fitted, tmp_path):
    """As the command: fewer are an error, because they might be others; more are ignored, with a warning."""
    data = web(6, 3)
    lines = [f"{y:g} qid:{q} " + " ".join(f"{f + 1}:{value!r}" for f, value in enumerate(row[:130]))
             for y, q, row in zip(data.labels, data.qid, data.X)]
    (tmp_path / "fewer.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "more.txt").write_text(lines[0] + " 140:1\n")
    for use in (fitted.predict, fitted.score, lambda path: Ranker().fit(web(), eval_set=path)):
        with pytest.raises(ValueError, match="136.*130|130.*136"):
            use(tmp_path / "fewer.txt")
    zeros = np.array(data.X)
    zeros[:, 130:] = 0
    assert np.array_equal(fitted.predict(gradus.read(tmp_path / "fewer.txt", features=136)),
                          fitted.predict(zeros))
    with pytest.warns(gradus.GradusWarning, match="ignored"):
        assert fitted.predict(tmp_path / "more.txt") == fitted.predict(zeros[:1])


def test_several_files(tmp_path):
    web(12).write(tmp_path / "a.txt")
    gradus.synth.web(queries=5, documents=15, first_query=50).write(tmp_path / "b.txt")
    both = Ranker(rounds=3).fit([tmp_path / "a.txt", tmp_path / "b.txt"])
    assert both.model_.info()["train_queries"] == 17


def test_copies(fitted):
    import joblib
    buffer = io.BytesIO()
    joblib.dump(fitted, buffer)
    buffer.seek(0)
    for other in (pickle.loads(pickle.dumps(fitted)), copy.copy(fitted), copy.deepcopy(fitted),
                  joblib.load(buffer)):
        assert other.to_bytes() == fitted.to_bytes()
        assert other.get_params() == fitted.get_params()
        assert np.array_equal(other.predict(web().X[:3].copy()), fitted.predict(web().X[:3].copy()))
        assert list(other.curve_) == list(fitted.curve_)


def test_html(fitted):
    page = fitted._repr_html_()
    assert "<svg" in page and "ndcg@10" in page and "Ranker(" in page and "leaves</td>" in page
    assert "not fitted" in Ranker()._repr_html_()


def test_feature_names():
    pandas = pytest.importorskip("pandas")
    X, y, qid = arrays()
    names = [f"name {i}" for i in range(X.shape[1])]
    frame = pandas.DataFrame(X, columns=names).assign(qid=[f"q{q}" for q in qid])
    ranker = Ranker(query="qid", rounds=3).fit(frame, y)
    assert ranker.feature_names_in_.tolist() == names and ranker.n_features_in_ == len(names)
    assert np.array_equal(ranker.predict(frame), ranker.predict(frame.drop(columns="qid")))
    assert ranker.score(frame, y) == Ranker(rounds=3).fit(X, y, qid).score(X, y, qid)
    with pytest.raises(ValueError, match="feature names"):
        ranker.predict(frame[[*names[::-1], "qid"]])
    assert not hasattr(Ranker(rounds=1).fit(X, y, qid), "feature_names_in_")


@pytest.mark.parametrize("module", ["ranker", "ordinal", "callbacks"])
def test_examples_in_docstrings(module):
    found = doctest.testmod(importlib.import_module(f"gradus.{module}"))
    assert found.attempted > 0 and found.failed == 0


def test_import_is_light():
    code = "import sys, gradus; print([m for m in ('sklearn', 'pandas', 'scipy', 'matplotlib', 'IPython')" \
        " if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                           env=os.environ)
    assert found.stdout.strip() == "[]"


def test_without_scikit_learn():
    code = """
import sys
for name in ("sklearn", "pandas", "scipy", "joblib", "matplotlib"):
    sys.modules[name] = None
import numpy as np, gradus, pickle
X = np.random.default_rng(0).normal(size=(60, 3)); y = (X[:, 0] > 0).astype(int); q = np.repeat([1, 2, 3], 20)
r = gradus.Ranker(rounds=3).fit(X, y, q)
try:
    gradus.Ranker().predict(X)
except gradus.NotFittedError as error:
    print(error)
pickle.loads(pickle.dumps(r)).predict(X)
c = gradus.OrdinalClassifier(rounds=3).fit(X, y[:, None])
print(r.score(X, y, q), c.score(X, y), r, list(r.rank(X, qid=q, top=1))[0][0], r._repr_html_()[:4])
"""
    found = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True,
                           env=os.environ)
    assert found.returncode == 0, found.stderr
    assert "not fitted" in found.stdout
