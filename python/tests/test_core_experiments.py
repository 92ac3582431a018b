# SPDX-License-Identifier: Apache-2.0
"""Tuning, reproduction and reports of the C extension."""
import json
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import core_support as support
from gradus import _core

SEARCH = {"method": "regression,lambdamart", "space": "leaves=4..16:log, rounds=6", "budget": "3",
          "folds": 3}


@pytest.fixture(name="data", scope="module")
def make_data():
    return support.web(20)


@pytest.fixture(name="model", scope="module")
def make_model(data):
    return support.train(data, None, {"rounds": 3})


# ---- tuning

def test_tuning_equals_the_command(data, tmp_path):
    path, model = tmp_path / "data.txt", tmp_path / "best.model"
    data.write(str(path))
    words = [word for name, value in SEARCH.items() for word in ("--" + name, value)]
    lines = support.command("tune", "--train", path, "-o", model, "--json", "--quiet", *words)
    events = [json.loads(line) for line in lines.splitlines()]
    found = _core.tune(data, options=SEARCH, threads=2)
    assert found["model"].to_bytes() == model.read_bytes()
    places = [event for event in events if event["event"] == "place"]
    assert len(places) == len(found["places"]) == 2
    for ours, expected in zip(found["places"], places):
        for key in ("method", "valid", "trials", "test", "p"):
            assert ours[key] == expected[key] or (key == "p" and expected[key] is None), key
    assert found["facts"]["metric"] == "ndcg@10" and found["facts"]["folds"] == 3
    assert found["facts"]["refit_queries"] == data.queries


def test_watch_receives_every_model(data):
    states, heard = [], []
    found = _core.tune(data, options={**SEARCH, "refit": "none"}, watch=states.append, threads=2,
                       progress=lambda what, done: heard.append((what, done)))
    assert found["model"] is None
    assert [state["done"] for state in states] == list(range(1, len(states) + 1))
    last = states[-1]
    assert last["planned"] == last["done"] == len(states)
    assert last["metric"] == "ndcg@10" and last["folds"] == 3 and last["most"] == float("inf")
    assert {state["method"] for state in states} == {"regression", "lambdamart"}
    assert (last["best_method"], last["best"]) == (found["trials"][0]["method"],
                                                   found["trials"][0]["valid"])
    assert heard[-1] == ("tuning", 1.0)


def test_tuning_with_sets_for_selection_and_test(data):
    found = _core.tune(data, support.web(6, 1001), support.web(6, 2001),
                       {"method": "regression", "space": "leaves=4..8, rounds=3", "budget": "2"})
    place = found["places"][0]
    assert place["queries"] == 6 and place["test_low"] < place["test"] < place["test_high"]
    assert place["seconds"] >= place["best_seconds"] and place["failed"] == ""
    assert found["model"].info()["method"] == "regression"


class Stop(Exception):
    """Raised by a callback."""


@pytest.mark.parametrize("threads", [1, 2])
def test_exceptions_of_watch_cancel(threads, data):
    seen = []

    def watch(state):
        seen.append(state["done"])
        if len(seen) == 2:
            raise Stop

    with pytest.raises(Stop):
        _core.tune(data, options=SEARCH, watch=watch, threads=threads)
    assert seen == [1, 2]


CHILD = """
import signal, sys, time
import core_support as support
from gradus import _core

def alarm(number, frame):
    global sent
    sent = time.monotonic()
    signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGALRM, alarm)
data = support.web(800)
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    _core.tune(data, options={"method": "lambdamart", "budget": "20", "folds": 5}, threads=2)
except KeyboardInterrupt:
    print(time.monotonic() - sent)
"""


def test_interrupts_end_tuning():
    child = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True,
                           env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                           check=False, timeout=60)
    assert child.returncode == 0, child.stderr
    assert float(child.stdout) < 1


def test_tuning_leaves_other_threads_running(data):
    """The GIL is released: another thread counts while the search runs."""
    counts, done = [], threading.Event()

    def count():
        while not done.is_set():
            counts.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    _core.tune(data, options=SEARCH, threads=1)
    done.set()
    thread.join()
    assert len(counts) > 20


@pytest.mark.parametrize("named, error, words", [
    ({"train": "data.txt"}, TypeError, "train must be"),
    ({"valid": 3}, TypeError, "valid must be"),
    ({"watch": 3}, TypeError, "watch must be callable"),
    ({"options": {"budget": "many"}}, _core.ArgumentError, "budget"),
    ({"options": {"method": "none"}}, _core.ArgumentError, "none"),
    ({"train": None}, _core.ArgumentError, "train|data|fold"),
])
def test_wrong_arguments_of_tune(named, error, words, data):
    with pytest.raises(error, match=words):
        _core.tune(**{"train": data, **named})


# ---- reproduction

def test_reproduction_is_json(tmp_path):
    notes = []
    found = json.loads(_core.reproduce("multipartite-figure2",
                                       {"scale": 0.01, "journal": str(tmp_path / "journal")},
                                       notes=notes))
    assert found["experiment"] == "multipartite-figure2" and found["scale"] == 0.01
    assert found["tables"] or found["figures"]


def test_wrong_arguments_of_reproduce(tmp_path):
    with pytest.raises(_core.ArgumentError, match="cocr-table1"):
        _core.reproduce("cocr-tabel1")
    with pytest.raises(TypeError, match="name must be a str"):
        _core.reproduce(3)
    with pytest.raises(_core.FileError):
        _core.reproduce("crr-table2", {"data": str(tmp_path), "journal": str(tmp_path / "j")})


# ---- reports

needs_reports = pytest.mark.skipif(not _core.report_available(), reason="built without Chart.js")


@needs_reports
def test_reports_show_models_and_data(data, model, tmp_path):
    path = tmp_path / "page.html"
    _core.report(path, [("my trees", model, "gradus train ..."), ("feature:2", None, None)],
                 [("my data", data)], title="A title, überall", command="made by a test",
                 evaluate={"metric": "ndcg@5"}, compare={"test": "randomization"}, threads=1)
    page = path.read_text(encoding="utf-8")
    for text in ("my trees", "feature:2", "my data", "A title, überall", "made by a test",
                 "ndcg@5"):
        assert text in page, text


@needs_reports
def test_reports_read_files(data, model, tmp_path):
    path, run = tmp_path / "page.html", tmp_path / "run.json"
    data.write(str(tmp_path / "data.txt"))
    run.write_text(_core.reproduce("multipartite-figure2", {
        "scale": 0.01, "journal": str(tmp_path / "journal")}), encoding="utf-8")
    _core.report(str(path), [("trees", model, None)], [(str(tmp_path / "data.txt"), None)], [run])
    assert "multipartite-figure2" in path.read_text(encoding="utf-8")


@needs_reports
def test_failed_reports_leave_nothing(data, model, tmp_path):
    path = tmp_path / "page.html"

    def stop(_what, _done):
        raise Stop

    with pytest.raises(_core.FileError):
        _core.report(tmp_path / "none" / "page.html", [("m", model, None)], [])
    with pytest.raises(_core.Error):
        _core.report(path, [("no such file", None, None)], [("data", data)])
    with pytest.raises(_core.ArgumentError):
        _core.report(path, [], [])
    big = support.web(1500)
    with pytest.raises(Stop):
        _core.report(path, [("m", model, None)] * 8, [("a", big), ("b", big)], progress=stop,
                     compare={"test": "randomization"})
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("named, error, words", [
    ({"path": 3}, TypeError, "str"),
    ({"systems": 3}, TypeError, "len"),
    ({"systems": ["name"]}, TypeError, r"systems\[0\] must be a tuple of 3 items"),
    ({"systems": [("a", 1, None)]}, TypeError, "a model of systems must be"),
    ({"systems": [(1, None, None)]}, TypeError, "str"),
    ({"sets": [("a",)]}, TypeError, r"sets\[0\] must be a tuple of 2 items"),
    ({"sets": [("a", 3)]}, TypeError, "a dataset of sets must be"),
    ({"runs": "run.json"}, TypeError, "runs must be a sequence of paths"),
    ({"seed": -1}, ValueError, "seed is -1"),
    ({"evaluate": {"metric": 1, "x": 2}}, (TypeError, _core.ArgumentError), "x|metric"),
])
def test_wrong_arguments_of_report(named, error, words, tmp_path):
    with pytest.raises(error, match=words):
        _core.report(**{"path": str(tmp_path / "page.html"), "systems": [], "sets": [], **named})


# ---- memory

def test_repeated_calls_do_not_grow(data, model, tmp_path):
    small = {"method": "regression", "space": "leaves=4..8, rounds=2", "budget": "2", "folds": 3}
    objects = [data, model]
    before = [sys.getrefcount(one) for one in objects]

    def stop(_state):
        raise Stop

    def once():
        _core.tune(data, options=small, threads=1, notes=[])
        with pytest.raises(Stop):
            _core.tune(data, options=small, threads=1, watch=stop)
        if _core.report_available():
            _core.report(tmp_path / "page.html", [("m", model, "c")], [("d", data)])
        with pytest.raises(TypeError):
            _core.report(tmp_path / "page.html", [("m", model, "c"), 3], [("d", data)])

    assert support.grows(once, 15, warm=10) < 4
    assert [sys.getrefcount(one) for one in objects] == before
    assert np.isfinite(support.scores_of(model, data)).all()
