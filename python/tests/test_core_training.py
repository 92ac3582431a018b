# SPDX-License-Identifier: Apache-2.0
"""Training by the C extension: the command's models, callbacks, interrupts, wrong arguments."""
import ast
import gc
import os
import pathlib
import signal
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import core_support as support
from gradus import _core

METHODS = [name for name, _, _ in _core.catalogue("methods")
           if name not in ("feature", "random") and ":" not in name]


@pytest.fixture(name="sets", scope="module")
def make_sets():
    return support.web(12), support.web(8, 1001), support.web(8, 2001)


@pytest.fixture(name="files", scope="module")
def make_files(sets, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    paths = [str(folder / name) for name in ("train.txt", "valid.txt")]
    for data, path in zip(sets, paths):
        data.write(path)
    return paths


def options_of(method, rounds=4):
    options = {"method": method, "transform": "standardise"}
    if _core.method_facts(options)["by_rounds"]:
        options["rounds"] = rounds
    short = {"restarts": 1, "steps": 2000}
    options.update((name, value) for name, value in short.items()
                   if _core.method_accepts(options, name))
    return options


# ---- models

@pytest.mark.parametrize("method", METHODS)
def test_models_equal_the_command(method, files, tmp_path):
    options = options_of(method)
    words = [word for name, value in options.items() for word in ("--" + name, value)]
    path = tmp_path / "command.model"
    support.command("train", "--train", files[0], "--valid", files[1], "-o", path, "--quiet",
                    *words)
    train, valid = (_core.Dataset.read([name]) for name in files)
    model = support.train(train, valid, options, threads=2)
    assert model.to_bytes() == path.read_bytes()


@pytest.mark.parametrize("method", ["lambdamart", "cocr", "mcrank", "listnet", "rankboost",
                                    "ranksvm", "orboost", "adaboost-mh", "coordinate-ascent"])
def test_resuming_gives_the_same_bytes(method, sets):
    train, valid, _ = sets
    options = options_of(method, 5)
    whole = support.train(train, valid, options, threads=1)
    first = _core.Training(train, valid, options, threads=2)
    for _ in range(2):
        assert not first.step()
    checkpoint = _core.Model.from_bytes(first.checkpoint().to_bytes())
    del first
    resumed = support.train(train, valid, options, start=checkpoint, resume=True)
    assert resumed.to_bytes() == whole.to_bytes()


def test_warm_start_adds_rounds(sets):
    train, valid, _ = sets
    first = support.train(train, None, {"rounds": 3})
    more = support.train(train, None, {"rounds": 2}, start=first)
    assert more.info()["rounds"] == 5
    assert support.scores_of(more, valid).tolist() != support.scores_of(first, valid).tolist()


def test_state_has_the_documented_members(sets):
    train, valid, other = sets
    stub = pathlib.Path(__file__).parents[1] / "gradus" / "_core.pyi"
    declared = next(node for node in ast.parse(stub.read_text(encoding="utf-8")).body
                    if isinstance(node, ast.ClassDef) and node.name == "TrainingState")
    training = _core.Training(train, valid, {"rounds": 3, "metric": "rmse", "keep": "last"},
                              others=[other, train])
    before = training.state()
    assert list(before) == [line.target.id for line in declared.body]
    assert before["round"] == 0 and np.isnan(before["valid"]) and before["stopped"] == ""
    while not training.step():
        assert training.state()["stopped"] == ""
    after = training.state()
    assert (after["round"], after["rounds"], after["by_rounds"]) == (3, 3, True)
    assert after["metric"] == "rmse" and after["lower_is_better"]
    assert after["stopped"] == "all rounds are done" and not after["exhausted"]
    model = training.finish()
    for value, data in zip([after["valid"], *after["others"]], [valid, other, train]):
        scores = support.scores_of(model, data)
        result = _core.evaluate(data, scores, {"metric": "rmse"})["results"][0]
        assert value == pytest.approx(result["mean"], rel=1e-12)
    assert training.step()  # finished trainings stay so


def test_initial_scores_are_used(sets):
    train, valid, _ = sets
    start, start_valid = np.full(train.rows, 2.5), np.full(valid.rows, 2.5)
    plain = support.train(train, valid, {"method": "regression", "rounds": 2})
    moved = support.train(train, valid, {"method": "regression", "rounds": 2}, initial=start,
                          initial_valid=start_valid)
    difference = support.scores_of(plain, valid) - support.scores_of(moved, valid)
    assert difference.min() > 0


def test_notes_and_progress(sets):
    train, valid, _ = sets
    notes, heard = [], []
    training = _core.Training(train, valid, {"rounds": 3}, notes=notes,
                              progress=lambda what, done: heard.append((what, done)))
    assert any("chosen for" in note for note in notes)
    support.run(training)
    assert ("training", 1.0) in heard
    assert all(0 <= done <= 1 for _, done in heard)


# ---- objectives

def squared(labels):
    def objective(scores, gradients, hessians):
        np.asarray(gradients)[:] = np.asarray(scores) - labels
        np.asarray(hessians)[:] = 1
    return objective


def squared_returned(labels):
    def objective(scores, _gradients, _hessians):
        gradients = (np.asarray(scores) - labels).astype(np.float32)
        return gradients, np.ones_like(gradients)
    return objective


@pytest.mark.parametrize("make", [squared, squared_returned])
def test_objective_like_the_built_in_gives_the_same_trees(make, sets):
    train, labels = support.copy_arrays(sets[0])
    options = {"method": "regression", "rounds": 6, "train-eval-every": 0, "leaves": 6}
    zeros = np.zeros(train.rows)
    built_in = support.train(train, None, options, initial=zeros)
    own = support.train(train, None, options, initial=zeros, objective=make(labels), threads=1)
    assert own.to_bytes() == built_in.to_bytes()
    assert own.info()["rounds"] == 6


def test_objective_may_keep_its_arrays(sets):
    train, labels = support.copy_arrays(sets[0])
    kept = []

    def objective(scores, gradients, hessians):
        squared(labels)(scores, gradients, hessians)
        kept.append((scores, np.asarray(scores).copy(), np.asarray(gradients),
                     memoryview(hessians)))

    support.train(train, None, {"method": "regression", "rounds": 4}, objective=objective)
    assert len(kept) == 4
    for scores, copy, gradients, hessians in kept:
        assert scores.format == "d" and scores.shape == (train.rows,)
        assert np.array_equal(np.asarray(scores), copy)
        assert np.array_equal(gradients, (copy - labels).astype(np.float32))
        assert set(hessians) == {1.0}
    assert not np.array_equal(kept[0][1], kept[3][1])


def fill(gradient, hessian, row=4):
    def objective(_scores, gradients, hessians):
        np.asarray(gradients)[:] = 1
        np.asarray(hessians)[:] = 1
        gradients[row], hessians[row] = gradient, hessian
    return objective


@pytest.mark.parametrize("objective, error, words", [
    (fill(np.nan, 1), _core.NumberError, "gradient of row 5 is not finite"),
    (fill(1, np.inf), _core.NumberError, "hessian or weight of row 5"),
    (fill(1, -1), _core.NumberError, "hessian or weight of row 5"),
    (lambda s, g, h: None, _core.NumberError, "gradient of row 1 is not finite"),
    (lambda s, g, h: 3, TypeError, "return a tuple"),
    (lambda s, g, h: (g,), TypeError, "return a tuple"),
    (lambda s, g, h: (g, None), TypeError, "hessians"),
    (lambda s, g, h: (g, h[:-1]), ValueError, "hessians has .* items, expected"),
    (lambda s, g, h: (s, h), TypeError, "gradients must contain float32"),
    (lambda s, g: None, TypeError, "positional argument"),
    (lambda s, g, h: 1 / 0, ZeroDivisionError, "division"),
])
def test_wrong_objectives(objective, error, words, sets):
    training = _core.Training(sets[0], None, {"method": "regression"}, objective=objective)
    with pytest.raises(error, match=words):
        training.step()
    with pytest.raises(RuntimeError, match="start=checkpoint"):
        training.step()


def test_objective_needs_a_method_with_one_output(sets):
    with pytest.raises(_core.ArgumentError, match="one output"):
        _core.Training(sets[0], None, {"method": "mcrank"}, objective=squared(0))


# ---- metrics

@pytest.mark.parametrize("options", [
    {"method": "lambdamart"}, {"method": "regression", "transform": "standardise"},
    {"method": "listnet", "transform": "minmax"}, {"method": "listnet"}])
def test_metric_receives_the_datasets(options, sets):
    train, valid, other = sets
    seen = []

    def metric(data, scores):
        assert len(scores) == data.rows and scores.format == "d"
        seen.append(data)
        return len(seen)

    training = _core.Training(train, valid, {**options, "rounds": 3, "train-eval-every": 1},
                              metric=metric, others=[other])
    assert not training.step()
    state = training.state()
    assert state["metric"] == "custom" and not state["lower_is_better"]
    assert {id(data) for data in seen} == {id(train), id(valid), id(other)}
    assert state["best_round"] == 1 and state["best_valid"] == state["valid"] > 0


def test_metric_receives_sampled_queries():
    train, valid = support.web(2, documents=15), support.web(1200, 1001)
    assert valid.rows > 20000
    seen = []

    def metric(data, scores):
        assert len(scores) == data.rows == len(data.array("labels"))
        seen.append(data)
        return 0.5

    _core.Training(train, valid, {"method": "listnet", "rounds": 1}, metric=metric)
    assert seen and all(data is not valid and data.rows <= 20000 for data in seen)


def test_metric_selects_the_round(sets):
    train, valid, _ = sets
    values = iter([1, 5, 2, 1])
    model = support.train(train, valid, {"rounds": 4, "train-eval-every": 0},
                          metric=lambda data, scores: next(values))
    assert model.info()["rounds"] == 2
    assert np.frombuffer(model.curve()[2]).tolist() == [1, 5, 2, 1]


@pytest.mark.parametrize("metric, error, words", [
    (lambda data, scores: "high", TypeError, "value of the metric must be a number, not 'str'"),
    (lambda data, scores: None, TypeError, "value of the metric"),
    (lambda data: 1, TypeError, "positional argument"),
    (lambda data, scores: {}["x"], KeyError, "x"),
])
def test_wrong_metrics(metric, error, words, sets):
    training = _core.Training(sets[0], sets[1], {"rounds": 3}, metric=metric)
    with pytest.raises(error, match=words):
        training.step()


# ---- exceptions and interrupts

class Stop(Exception):
    """Raised by a callback."""


@pytest.mark.parametrize("where", ["objective", "metric", "progress"])
def test_exception_cancels_and_the_checkpoint_resumes(where, sets):
    train, labels = support.copy_arrays(sets[0])
    valid = sets[1]
    options = {"method": "regression", "rounds": 8, "train-eval-every": 0}
    raised = Stop("now")
    calls = []

    def maybe(name):
        calls.append(name)
        if name == where and calls.count(where) == 5:
            raise raised

    def objective(scores, gradients, hessians):
        maybe("objective")
        squared(labels)(scores, gradients, hessians)

    def metric(data, scores):
        maybe("metric")
        return -float(np.square(np.asarray(scores) - np.asarray(data.array("labels"))).mean())

    def progress(what, done):
        if what == "training" and done >= 0.5:
            maybe("progress")
            calls.extend(["progress"] * 4)

    common = {"objective": objective, "metric": metric}
    calls.extend(["-"] * 100)
    training = _core.Training(train, valid, options, progress=progress, **common)
    if where == "progress":  # called at most every 50 ms, and at the end: forced here
        calls.extend(["progress"] * 4)
    with pytest.raises(Stop) as caught:
        support.run(training)
    assert caught.value is raised
    done = training.state()["round"]
    assert 4 <= done <= 8
    checkpoint = training.checkpoint()
    whole = support.train(train, valid, options, **common)
    resumed = support.train(train, valid, options, start=checkpoint, resume=True, **common)
    assert resumed.to_bytes() == whole.to_bytes()


CHILD = """
import signal, sys, time
import core_support as support
from gradus import _core

def alarm(number, frame):
    global sent
    sent = time.monotonic()
    signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGALRM, alarm)
train, valid = support.web(1500), support.web(300, 100001)
for method in sys.argv[1:]:
    options = {"method": method, "transform": "standardise"}
    if _core.method_facts(options)["by_rounds"]:
        options["rounds"] = 1000000
    training = None
    sent = 0
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        training = _core.Training(train, valid, options, threads=2)
        while not training.step():
            pass
        print(method, "finished")
    except KeyboardInterrupt:
        wait = time.monotonic() - sent
        rounds = training.state()["round"] if training else -1
        model = training.checkpoint() if rounds > 0 else None
        print(method, "interrupted", wait, rounds, model.info()["rounds"] if model else rounds)
"""


def test_interrupts_end_training_within_a_second():
    """Also of methods that are fitted in a single step."""
    methods = ["lambdamart", "svor-imc", "svor-exc", "ranksvm", "calibrated", "propodds", "crr",
               "coordinate-ascent", "adaboost-mh", "adarank-ndcg"]
    child = subprocess.run([sys.executable, "-c", CHILD, *methods], capture_output=True, text=True,
                           env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                           check=False, timeout=60)
    assert child.returncode == 0, child.stderr
    lines = [line.split() for line in child.stdout.splitlines()]
    assert [line[0] for line in lines] == methods
    for line in lines:
        assert line[1] == "interrupted", line
        assert float(line[2]) < 1, line
        assert (int(line[4]) > 0) == (int(line[3]) > 0), line


def test_interrupt_leaves_a_checkpoint(sets):
    train, valid, _ = sets
    options = {"rounds": 40, "learning-rate": 0.01}
    training = _core.Training(train, valid, options)
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(KeyboardInterrupt):
            while True:
                training.step()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    checkpoint = training.checkpoint()
    resumed = support.train(train, valid, options, start=checkpoint, resume=True)
    assert resumed.to_bytes() == support.train(train, valid, options).to_bytes()


# ---- threads

def test_one_training_in_two_threads(sets):
    entered, leave = threading.Event(), threading.Event()
    train, labels = support.copy_arrays(sets[0])

    def objective(scores, gradients, hessians):
        entered.set()
        assert leave.wait(20)
        squared(labels)(scores, gradients, hessians)

    training = _core.Training(train, None, {"method": "regression", "rounds": 1},
                              objective=objective)
    results = []
    thread = threading.Thread(target=lambda: results.append(training.step()))
    thread.start()
    assert entered.wait(20)
    for method in (training.step, training.state, training.checkpoint, training.finish):
        with pytest.raises(RuntimeError, match="in use"):
            method()
    leave.set()
    thread.join()
    assert results == [True]
    assert training.finish().info()["rounds"] == 1


def test_callbacks_cannot_use_their_training(sets):
    holder = []
    training = _core.Training(sets[0], sets[1], {"rounds": 1},
                              metric=lambda data, scores: holder[0].state()["round"])
    holder.append(training)
    with pytest.raises(RuntimeError, match="in use"):
        training.step()


def test_trainings_in_several_threads(sets):
    train, valid, _ = sets
    expected = support.train(train, valid, {"rounds": 5}).to_bytes()
    found = []

    def work():
        for _ in range(3):
            found.append(support.train(train, valid, {"rounds": 5}, threads=2,
                                       metric=None).to_bytes())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 12


# ---- arguments

@pytest.mark.parametrize("named, error, words", [
    ({"train": None}, TypeError, "train must be"),
    ({"train": np.zeros((3, 2))}, TypeError, "train must be"),
    ({"valid": "valid.txt"}, TypeError, "valid must be"),
    ({"options": 3}, TypeError, "options"),
    ({"options": {"method": "lambdmart"}}, _core.ArgumentError, "lambdamart"),
    ({"options": {"rounds": -1}}, _core.ArgumentError, "rounds"),
    ({"start": b"model"}, TypeError, "start must be"),
    ({"resume": True}, _core.ArgumentError, "no checkpoint"),
    ({"initial": np.zeros(3)}, ValueError, "initial has 3 items, expected"),
    ({"initial": "x"}, TypeError, "initial must be"),
    ({"initial_valid": np.zeros(3)}, ValueError, "initial_valid needs"),
    ({"others": 3}, TypeError, "not iterable"),
    ({"others": [None]}, TypeError, "others must be"),
    ({"objective": 3}, TypeError, "objective must be callable or None, not 'int'"),
    ({"metric": "ndcg"}, TypeError, "metric must be callable or None, not 'str'"),
    ({"threads": "2"}, TypeError, "threads must be an int"),
    ({"threads": -1}, ValueError, "threads is -1"),
    ({"max_memory": 1000}, _core.MemoryLimitError, "more than the limit"),
    ({"notes": ()}, TypeError, "notes must be a list"),
    ({"progress": 1}, TypeError, "progress must be callable"),
    ({"unknown": 1}, TypeError, "unknown"),
])
def test_wrong_arguments(named, error, words, sets):
    with pytest.raises(error, match=words):
        _core.Training(**{"train": sets[0], **named})


def test_float32_initial_scores_are_refused(sets):
    with pytest.raises(TypeError, match="initial must contain float64"):
        _core.Training(sets[0], initial=np.zeros(sets[0].rows, np.float32))


def test_nothing_fitted_has_no_checkpoint(sets):
    training = _core.Training(sets[0], None, {"method": "svor-imc"})
    with pytest.raises(_core.ArgumentError, match="nothing has been fitted"):
        training.checkpoint()


# ---- memory

def test_references_are_returned(sets):
    train, valid, other = (support.copy_arrays(data)[0] for data in sets)
    initial = np.zeros(train.rows)

    def metric(_data, _scores):
        return 1.0

    kept = [train, valid, other, metric, initial]
    before = [sys.getrefcount(object_) for object_ in kept]
    for options in ({"rounds": 2}, {"method": "unknown"}, {"rounds": 2, "metric": "unknown"}):
        try:
            training = _core.Training(train, valid, options, others=[other], metric=metric,
                                      initial=initial, notes=[])
            training.step()
            del training
        except _core.ArgumentError:
            pass
    assert [sys.getrefcount(object_) for object_ in kept] == before


def test_cycles_are_collected(sets):
    class Holder:
        """Refers to the training that calls it."""

        training = None

        def __call__(self, _data, _scores):
            return 1.0

    holder = Holder()
    holder.training = _core.Training(sets[0], sets[1], {"rounds": 1}, metric=holder)
    holder.training.step()
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None


def test_datasets_outlive_their_names(sets):
    def make():
        train, labels = support.copy_arrays(sets[0])
        valid, _ = support.copy_arrays(sets[1])
        return _core.Training(train, valid, {"method": "regression", "rounds": 3},
                              objective=squared(labels), initial=np.zeros(train.rows),
                              initial_valid=np.zeros(valid.rows))

    training = make()
    gc.collect()
    assert support.run(training).info()["rounds"] <= 3


def test_repeated_training_does_not_grow(sets):
    train, labels = support.copy_arrays(sets[0])
    valid = sets[1]
    options = {"method": "regression", "rounds": 3}

    def once():
        support.train(train, valid, options, objective=squared(labels), notes=[],
                      metric=lambda data, scores: scores[0], threads=1)
        with pytest.raises(ZeroDivisionError):
            support.train(train, valid, options, objective=lambda s, g, h: 1 / 0, threads=1)

    assert support.grows(once, 60, warm=20) < 3
