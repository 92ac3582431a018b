# SPDX-License-Identifier: Apache-2.0
"""Forks, process pools, a server with preloaded workers, and threads."""
from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import numpy as np
import pytest

import gradus
from gradus import Ranker
from small_sets import web


@pytest.fixture(scope="module")
def fitted():
    ranker = Ranker(rounds=20, threads=2).fit(web(40))
    ranker.predict(web(40))  # the context with its threads exists
    return ranker


def in_child(function):
    """Run a function in a forked child, and return its exit status; it is killed after a minute."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = 0 if function() else 2
        finally:
            os._exit(status)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "hung"


def test_fork_after_fit(fitted):
    expected = fitted.predict(web(40))
    other = Ranker(rounds=4, threads=2)
    bytes_ = Ranker(rounds=4, threads=2).fit(web()).to_bytes()
    assert in_child(lambda: np.array_equal(fitted.predict(web(40)), expected)) == 0
    assert in_child(lambda: other.fit(web()).to_bytes() == bytes_) == 0
    assert np.array_equal(fitted.predict(web(40)), expected)


def test_fork_while_another_thread_predicts(fitted):
    stop = threading.Event()
    expected = fitted.predict(web(40))

    def busy():
        while not stop.is_set():
            fitted.predict(web(40))
    thread = threading.Thread(target=busy)
    thread.start()
    try:
        for _ in range(5):
            assert in_child(lambda: np.array_equal(fitted.predict(web(40)), expected)) == 0
    finally:
        stop.set()
        thread.join()


def scores_in_pool(ranker):
    return ranker.predict(web(40))


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_pool(fitted, start):
    expected = fitted.predict(web(40))
    with multiprocessing.get_context(start).Pool(2) as pool:
        found = pool.map_async(scores_in_pool, [fitted] * 4).get(timeout=100)
    assert all(np.array_equal(one, expected) for one in found)


def test_pickle_to_another_process(fitted, tmp_path):
    path = tmp_path / "ranker.pickle"
    path.write_bytes(pickle.dumps(fitted))
    np.save(tmp_path / "X.npy", web().X)
    code = "import pickle, sys, numpy; r = pickle.load(open(sys.argv[1], 'rb')); " \
        "print(repr(r), r.predict(numpy.load(sys.argv[2])).tolist())"
    found = subprocess.run([sys.executable, "-c", code, path, tmp_path / "X.npy"], capture_output=True,
                           text=True, check=True)
    assert found.stdout.strip() == f"{fitted!r} {fitted.predict(web().X).tolist()}"


def test_threads_share_a_model(fitted):
    X = np.ascontiguousarray(web(40).X)
    expected = fitted.predict(X)
    wrong = []

    def work(seed):
        random = np.random.default_rng(seed)
        for _ in range(200):
            rows = random.integers(0, len(X), random.integers(1, 100))
            if not np.array_equal(fitted.predict(X[rows]), expected[rows]):
                wrong.append(seed)
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


SERVER = """
import json, os
import numpy as np
import gradus
ranker = gradus.Ranker.load(os.environ["MODEL"])
ranker.predict(np.zeros((1000, ranker.n_features_in_)))  # starts threads before the fork

def application(environ, start_response):
    rows = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
    body = json.dumps([os.getpid(), ranker.predict(np.array(rows)).tolist()]).encode()
    start_response("200 OK", [("Content-Type", "application/json")])
    return [body]
"""


def ask(port, rows):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", json.dumps(rows).encode())
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_gunicorn_with_preloaded_model(fitted, tmp_path):
    pytest.importorskip("gunicorn")
    fitted.save(tmp_path / "m.model")
    (tmp_path / "preloaded_app.py").write_text(SERVER)
    port = free_port()
    words = [sys.executable, "-m", "gunicorn", "--preload", "-w", "4", "-b", f"127.0.0.1:{port}",
             "--log-level", "error", "preloaded_app:application"]
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    server = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "MODEL": "m.model", "PYTHONPATH": path})
    try:
        rows = web().X[:200].tolist()
        expected = fitted.predict(np.array(rows)).tolist()
        workers = {}
        deadline = time.monotonic() + 30
        while len(workers) < 2 and time.monotonic() < deadline:
            try:
                pid, scores = ask(port, rows)
            except OSError:
                assert server.poll() is None, server.stderr.read()
                time.sleep(0.1)
                continue
            assert scores == expected
            workers[pid] = True
        assert len(workers) >= 2 and server.pid not in workers
    finally:
        server.terminate()
        server.wait(timeout=30)


def test_version_is_that_of_the_library():
    assert gradus.__version__ == gradus._core.version()
