# SPDX-License-Identifier: Apache-2.0
"""tune: leaderboard, journals, best parameters; calibration and ensembles."""
from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import gradus
from gradus.tuning import _space_text, params_from_settings

pytestmark = pytest.mark.filterwarnings("ignore::gradus.GradusWarning")
SPACE = {"leaves": (4, 16, "log"), "rounds": 8}


@pytest.fixture(scope="module")
def data() -> gradus.Dataset:
    return gradus.synth.web(queries=24)


@pytest.fixture(scope="module")
def tuning(data: gradus.Dataset) -> gradus.Tuning:
    return gradus.tune(data, ["regression", "lambdamart"], 3, budget=2, space=SPACE, threads=1)


def same(a: gradus.Tuning, b: gradus.Tuning) -> bool:
    def numbers(t: gradus.Tuning) -> str:
        rows = [{k: v for k, v in row.items() if "seconds" not in k}
                for row in t.places + t.trials]
        return json.dumps(rows)
    return numbers(a) == numbers(b) and a.best.to_bytes() == b.best.to_bytes()


def test_leaderboard(tuning: gradus.Tuning) -> None:
    t = tuning
    assert {p["method"] for p in t.places} == {"regression", "lambdamart"}
    assert [p["valid"] for p in t.places] == sorted((p["valid"] for p in t.places), reverse=True)
    assert len(t.trials) == 4 and t.folds == 3 and t.metric == "ndcg@10"
    assert math.isnan(t.places[0]["p"]) and 0 <= t.places[1]["p"] <= 1
    assert t.best_params["method"] == t.places[0]["method"]
    assert isinstance(t.best, gradus.Ranker) and t.best is t.best
    text, html = repr(t), t._repr_html_()
    for part in (t.places[0]["method"], f"{t.places[0]['test']:.4f}", "3 folds"):
        assert part in text and part in html


def test_verdict(data, tuning) -> None:  # type: ignore[no-untyped-def]
    assert sum(p["prob_best"] for p in tuning.places) == pytest.approx(1)
    assert tuning.best_on == "test" and any(p["contender"] for p in tuning.places)
    assert "clear winner" in tuning.verdict.lower() and "P(best)" in repr(tuning)
    assert tuning.verdict in repr(tuning)
    alone = gradus.tune(data, "regression", 3, budget=1, space=SPACE)
    assert alone.verdict == "" and math.isnan(alone.places[0]["prob_best"])
    valid = gradus.synth.web(queries=8, seed=2)
    held = gradus.tune(data, ["regression", "lambdamart"], valid=valid, budget=1, space=SPACE)
    assert held.best_on == "validation" and "also selected the settings" in held.verdict


def verdict_of(*rows: tuple[str, float, bool]) -> str:
    t = object.__new__(gradus.Tuning)
    t.best_on, t._best_queries = "test", 1200
    t.places = [{"method": m, "prob_best": p, "contender": c} for m, p, c in rows]
    return t.verdict


def test_verdict_words() -> None:
    assert verdict_of(("a", 0.96, True), ("b", 0.04, False)) == (
        "Clear winner: a is the best in 96.0% of 10,000 bootstrap resamples of the 1,200 test "
        "queries.")
    assert "is not clearly better than b, c and d. Combine" in verdict_of(
        ("a", 0.25, True), ("b", 0.25, True), ("c", 0.25, True), ("d", 0.25, True))
    assert "is the best in only 1.0% of" in verdict_of(("a", 0.01, False), ("b", 0.99, True))
    assert "queries; b is the best more often. " in verdict_of(("a", 0.01, False), ("b", 0.99, True))


def test_frames(tuning: gradus.Tuning) -> None:
    pytest.importorskip("pandas")
    assert list(tuning.frame["method"]) == [p["method"] for p in tuning.places]
    assert len(tuning.trial_frame) == 4


def test_best_params_reproduce_the_model(data, tuning) -> None:  # type: ignore[no-untyped-def]
    again = gradus.Ranker(**tuning.best_params).fit(data)
    assert again.to_bytes() == tuning.best.to_bytes()


def test_validation_data(data) -> None:  # type: ignore[no-untyped-def]
    valid, test = gradus.synth.web(queries=10, seed=2), gradus.synth.web(queries=8, seed=3)
    t = gradus.tune(data, "regression", valid=valid, test=test, budget=2, space=SPACE,
                    metric="err@5")
    assert t.folds == 1 and t.metric == "err@5" and t.places[0]["queries"] <= 8
    again = gradus.Ranker(**t.best_params).fit(data, eval_set=valid)
    assert again.to_bytes() == t.best.to_bytes()
    scored = gradus.evaluate(test, t.best, "err@5")
    assert next(iter(scored.means.values()))["err@5"] == pytest.approx(t.places[0]["test"])


def test_threads_do_not_matter(data, tuning) -> None:  # type: ignore[no-untyped-def]
    assert same(tuning, gradus.tune(data, ["regression", "lambdamart"], 3, budget=2, space=SPACE,
                                    threads=2))


def test_journal_resumes(data, tuning, tmp_path) -> None:  # type: ignore[no-untyped-def]
    journal = tmp_path / "j.jsonl"

    def tune(**more):  # type: ignore[no-untyped-def]
        return gradus.tune(data, "regression,lambdamart", 3, budget=2, space=SPACE,
                           journal=journal, threads=1, **more)

    seen = []

    def interrupt(state) -> None:  # type: ignore[no-untyped-def]
        seen.append(state["done"])
        if len(seen) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised:
        tune(callbacks=[interrupt])
    assert "to resume" in raised.value.__notes__[0] and str(journal) in raised.value.__notes__[0]
    kept = len(journal.read_text().splitlines())
    assert 4 <= kept  # the head and at least three training runs
    trained = []
    t = tune(callbacks=[lambda state: trained.append(state["done"])])
    assert same(t, tuning)
    assert 0 < len(trained) < 12 + 1 - 3  # of 2 x 2 x 3 training runs, those not in the journal
    again = []
    assert same(tune(callbacks=[lambda state: again.append(1)]), tuning) and not again


INTERRUPTED = """
import signal, sys, gradus
signal.signal(signal.SIGINT, signal.default_int_handler)
data = gradus.synth.web(queries=60)
gradus.tune(data, "lambdamart", 3, budget=99, journal=sys.argv[1],
            callbacks=[lambda state: print(state["done"], flush=True)])
"""


def test_ctrl_c(tmp_path) -> None:  # type: ignore[no-untyped-def]
    journal = tmp_path / "j.jsonl"
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(journal)], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == "1\n"
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert time.monotonic() - start < 5  # usually 0.3 s
    assert "KeyboardInterrupt" in errors and f"finished trials are in '{journal}'" in errors
    assert len(journal.read_text().splitlines()) >= 2


def test_exceptions_and_states(data) -> None:  # type: ignore[no-untyped-def]
    states = []
    gradus.tune(data, "regression", 3, budget=1, space={"rounds": 3}, refit="none",
                callbacks=[lambda s: states.append(dict(s))], progress=False)
    assert [s["done"] for s in states] == [1, 2, 3] and states[-1]["planned"] == 3
    assert states[0]["method"] == "regression" and 0 < states[0]["valid"] < 1

    def fail(state) -> None:  # type: ignore[no-untyped-def]
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        gradus.tune(data, "regression", 3, budget=1, space={"rounds": 3}, callbacks=[fail])


def test_without_refit(data) -> None:  # type: ignore[no-untyped-def]
    t = gradus.tune(data, "regression", 3, budget=2, space={"leaves": [4, 6], "rounds": 3},
                    search="grid", refit="none")
    assert t.best is None and t.best_params["method"] == "regression"
    assert t.best_params["leaves"] in (4, 6) and t.best_params["rounds"] == 3


def test_progress_lines(data, capsys) -> None:  # type: ignore[no-untyped-def]
    gradus.tune(data, "regression", 3, budget=1, space={"rounds": 3}, progress=True)
    assert "3/3 training runs, best ndcg@10" in capsys.readouterr().err
    gradus.tune(data, "regression", 3, budget=1, space={"rounds": 3})
    assert capsys.readouterr().err == ""  # no terminal


def test_spaces() -> None:
    for space, text in (({"leaves": (8, 256, "log")}, "leaves=8..256:log"),
                        ({"learning_rate": (0.01, 0.3)}, "learning-rate=0.01..0.3"),
                        ({"cost": ["a", "b"], "rounds": 5}, "cost=a|b, rounds=5"),
                        ({"lambda_": 2.5}, "lambda=2.5"), ("leaves=4..8", "leaves=4..8"),
                        (None, None)):
        assert _space_text(space) == text
    assert params_from_settings("learning-rate=0.1 leaves=30 cost=oerr") == {
        "learning_rate": 0.1, "leaves": 30, "cost": "oerr"}
    assert params_from_settings("") == {}


def test_errors(data) -> None:  # type: ignore[no-untyped-def]
    for options, message in (({"methods": "lamdamart"}, "lamdamart"),
                             ({"methods": "regression", "space": {"leavs": 3}}, "leavs"),
                             ({"methods": "regression", "foldz": 3}, "foldz"),
                             ({"methods": "regression", "budget": "soon"}, "soon")):
        with pytest.raises(ValueError, match=message):
            gradus.tune(data, **options)


# ---- calibration and ensembles

def test_calibrate(data) -> None:  # type: ignore[no-untyped-def]
    valid = gradus.synth.web(queries=20, seed=2)
    ranker = gradus.Ranker("mcrank", rounds=6, leaves=4).fit(data)
    before = ranker.to_bytes()
    better = gradus.calibrate(ranker, valid, "isotonic")
    assert type(better) is gradus.Ranker and ranker.to_bytes() == before
    assert better.get_params() == ranker.get_params()
    raw, fitted = gradus.reliability(ranker, valid), gradus.reliability(better, valid)
    assert fitted.error < raw.error / 2 and fitted.log_loss < raw.log_loss
    p = better.predict_proba(valid)
    assert p.sum(axis=1) == pytest.approx(1.0)
    rows = np.searchsorted(better.classes_, valid.labels)
    assert -np.log(np.maximum(p[np.arange(valid.rows), rows], 1e-300)).mean() == pytest.approx(
        fitted.log_loss, rel=1e-6)
    graded = gradus.calibrate(gradus.Ranker("lambdamart", rounds=5).fit(data), valid, "ordinal")
    assert graded.predict_proba(valid).shape == (valid.rows, 5)


def test_reliability_bins(data) -> None:  # type: ignore[no-untyped-def]
    ranker = gradus.Ranker("mcrank", rounds=6, leaves=4).fit(data)
    found = gradus.reliability(ranker, data, bins=5)
    p = ranker.predict_proba(data)
    events = np.cumsum(p[:, ::-1], axis=1)[:, ::-1][:, 1:]  # P(grade >= k)
    truth = np.asarray(data.labels)[:, None] >= ranker.classes_[None, 1:]
    bins = np.minimum((events * 5).astype(int), 4)
    for i in range(5):
        assert found.weight[i] == pytest.approx((bins == i).sum(), abs=2)
        if found.weight[i] > 50:
            assert found.observed[i] == pytest.approx(truth[bins == i].mean(), abs=0.02)
            assert found.predicted[i] == pytest.approx(events[bins == i].mean(), abs=0.01)
    assert "expected calibration error" in repr(found) and len(repr(found).splitlines()) == 7


def test_ensemble(data, tmp_path) -> None:  # type: ignore[no-untyped-def]
    valid = gradus.synth.web(queries=10, seed=2)
    a = gradus.Ranker("lambdamart", rounds=6).fit(data)
    b = gradus.Ranker("regression", rounds=6).fit(data)
    b.save(tmp_path / "b.model")
    both = gradus.ensemble([a, b], valid, "mean")
    assert isinstance(both, gradus.Ranker) and both.model_.info()["members"] == 2
    from_file = gradus.ensemble([a, tmp_path / "b.model"], valid, "mean")
    assert from_file.to_bytes() == both.to_bytes()
    ranks = gradus.ensemble({"a": a, "b": b}, way="borda")
    assert ranks.model_.info()["combination"] == "borda"
    del a, b  # the ensemble keeps its members
    assert np.isfinite(both.predict(valid)).all()
    with pytest.raises(ValueError, match="member 2: this Ranker is not fitted"):
        gradus.ensemble([both, gradus.Ranker("lambdamart")], valid)
    with pytest.raises(ValueError):
        gradus.ensemble([], valid)


def test_ensemble_selection(data) -> None:  # type: ignore[no-untyped-def]
    valid = gradus.synth.web(queries=20, seed=2)
    good = gradus.Ranker("lambdamart", rounds=10).fit(data)
    other = gradus.Ranker("regression", rounds=10).fit(data)
    scores = {"good": good.predict(valid), "other": other.predict(valid),
              "noise": np.random.default_rng(1).normal(size=valid.rows)}
    weights = gradus.ensemble_select(valid, scores, bags=9, threads=2)
    assert weights.sum() == pytest.approx(1.0) and weights[2] < 0.3
    assert (gradus.ensemble_select(valid, np.stack(list(scores.values())), bags=9, threads=1)
            == weights).all()
    made = gradus.ensemble([good, other], valid, "selection")
    assert made.model_.info()["combination"] == "standardized"
    pair = gradus.ensemble_select(valid, list(scores.values())[:2])
    given = gradus.ensemble([good, other], way="weights", weights=",".join(map(repr, pair)))
    assert given.predict(valid) == pytest.approx(made.predict(valid))
    with pytest.raises(ValueError, match="member 2: expected"):
        gradus.ensemble_select(valid, [scores["good"], scores["good"][1:]])
    with pytest.raises(ValueError):
        gradus.ensemble_select(valid, [])


def test_scores_of_an_ensemble_within_queries(data) -> None:  # type: ignore[no-untyped-def]
    ranker = gradus.Ranker("lambdamart", rounds=6).fit(data)
    made = gradus.ensemble([ranker, ranker], way="standardized")
    rows, query = np.asarray(data.X[:40], dtype=np.float32), np.repeat([1, 2], 20)
    scores = made.predict(rows, qid=query)
    assert scores[:20].mean() == pytest.approx(0.0, abs=1e-12)
    assert scores[20:].std() == pytest.approx(1.0)


def test_distil(data) -> None:  # type: ignore[no-untyped-def]
    valid = gradus.synth.web(queries=10, seed=2)
    teacher = gradus.Ranker("lambdamart", rounds=20).fit(data)
    small = gradus.distil(teacher, data, trees=100, leaves=16)
    assert small.model_.info()["rounds"] == 100
    found = np.corrcoef(small.predict(valid), teacher.predict(valid))[0, 1]
    assert found > 0.9
    one = gradus.distil(teacher, data, trees=1)
    del teacher
    assert np.isfinite(one.predict(valid)).all()


@pytest.mark.filterwarnings("error::gradus.GradusWarning")
def test_choices_are_no_warnings(data, caplog) -> None:  # type: ignore[no-untyped-def]
    with caplog.at_level("INFO", "gradus"):
        gradus.distil(gradus.Ranker("lambdamart", rounds=4).fit(data), data, trees=2)
    assert [r.message[:11] for r in caplog.records] == ["chosen for "] * 2


def test_messages_name_no_functions_of_the_library(data) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="^a selection needs at least one member$"):
        gradus.ensemble_select(data, [])
