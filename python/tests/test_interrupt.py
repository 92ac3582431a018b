# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C: training ends within a second, leaves a checkpoint, and resumes to the same model."""
from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time

import pytest

from gradus import Ranker, _core
from small_sets import web

# options with which training takes long enough to be interrupted, and would take minutes
LONG = {
    "lambdamart": {"rounds": 100000}, "mcrank": {"rounds": 100000}, "adaboost-mh": {"rounds": 100000},
    "listnet": {"rounds": 1000000}, "crr": {"rounds": 100000, "steps": 10**9},
    "rankboost": {"rounds": 1000000}, "svor-imc": {"tolerance": 1e-12, "penalty": 1e6},
}
SINGLE_STEP = {"svor-imc"}
QUERIES = {"svor-imc": 200}  # 40 take it less than half a second on a fast machine

CHILD = """
import pickle, sys, time, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
from gradus import Ranker, _core
from small_sets import web
ranker = Ranker(**eval(sys.argv[2]))
rounds = []
data = web(int(sys.argv[5]))
print("ready", flush=True)
try:
    ranker.fit(data, callbacks=[lambda state: rounds.append(state.round)] if sys.argv[3] == "yes" else None)
except KeyboardInterrupt:
    caught = time.monotonic()
    with open(sys.argv[4], "wb") as file:
        pickle.dump((caught, getattr(ranker, "checkpoint_", None), hasattr(ranker, "model_")), file)
    sys.exit(7)
"""


def interrupted(options, path, callbacks):
    """Train in a child, send SIGINT after a while, and return its report and the delay."""
    words = [sys.executable, "-c", CHILD, os.path.dirname(__file__), repr(options), callbacks, str(path),
             str(QUERIES.get(options["method"], 40))]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n", child.communicate()[1]
    time.sleep(0.7)
    sent = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 7, errors
    with open(path, "rb") as file:
        caught, checkpoint, fitted = pickle.load(file)
    return caught - sent, checkpoint, fitted


@pytest.mark.parametrize("method", LONG)
def test_interrupt(method, tmp_path):
    options = {"method": method, **LONG[method]}
    delay, checkpoint, fitted = interrupted(options, tmp_path / "report", "no")
    assert delay < 3 and not fitted  # within a second, unless other tests use the processors, too
    if method in SINGLE_STEP:
        assert checkpoint is None
        return
    assert _core.Model.from_bytes(checkpoint).info()["method"] == method


@pytest.mark.filterwarnings("ignore::gradus.GradusWarning")
@pytest.mark.parametrize("method", ["lambdamart", "mcrank", "listnet", "rankboost"])
def test_resumed_model_is_the_same(method, tmp_path):
    rounds = 12
    options = {"method": method, "rounds": rounds}

    def interrupt(state):
        if state.round == 5:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
    ranker = Ranker(**options)
    with pytest.raises(KeyboardInterrupt):
        ranker.fit(web(), eval_set=web(8, 2), callbacks=[interrupt])
    whole = Ranker(**options).fit(web(), eval_set=web(8, 2))
    (tmp_path / "checkpoint").write_bytes(ranker.checkpoint_)
    for source in (ranker.checkpoint_, tmp_path / "checkpoint"):
        resumed = Ranker(**options).fit(web(), eval_set=web(8, 2), resume_from=source)
        assert resumed.to_bytes() == whole.to_bytes()


def test_resume_checks_data_and_options():
    def stop(state):
        raise KeyboardInterrupt
    ranker = Ranker(rounds=6)
    with pytest.raises(KeyboardInterrupt):
        ranker.fit(web(), callbacks=[stop])
    with pytest.raises(ValueError, match="leaves"):
        Ranker(rounds=6, leaves=4).fit(web(), resume_from=ranker.checkpoint_)
    with pytest.raises(ValueError, match="data"):
        Ranker(rounds=6).fit(web(8, 2), resume_from=ranker.checkpoint_)
    with pytest.raises(TypeError, match="not both"):
        Ranker(rounds=6).fit(web(), resume_from=ranker.checkpoint_, init_model=ranker.checkpoint_)


def test_interrupt_with_callbacks(tmp_path):
    delay, checkpoint, _ = interrupted({"method": "regression", "rounds": 100000}, tmp_path / "report", "yes")
    assert delay < 3 and checkpoint
