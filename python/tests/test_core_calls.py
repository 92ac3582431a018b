# SPDX-License-Identifier: Apache-2.0
"""The C extension: threads, callbacks, signals, fork, and memory that failing calls must not keep."""
import gc
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import unittest

import numpy as np

from gradus import _core
from test_core import FEATURES, ROWS, dataset, train


def resident():
    """Bytes of memory that the process uses now."""
    pages = pathlib.Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGESIZE")


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data = dataset()
        cls.model = train(cls.data, method="lambdamart", rounds=5, leaves=4)
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name) / "web.txt"
        _core.Dataset.synth("web", {"queries": 150}).write(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_threads(self):
        """Eight threads use one model at once; with datasets, each call has its own context."""
        expected = np.empty(ROWS)
        self.model.score(self.data, expected)
        values = np.asarray(self.data.array("values"))
        failures = []

        def work(number):
            out = np.empty(ROWS)
            for _ in range(200):
                out[:] = np.nan
                if number % 2:
                    self.model.score_rows(values, ROWS, FEATURES, FEATURES, out)
                else:
                    self.model.score(self.data, out, threads=1 + number % 4)
                if not np.array_equal(out, expected):
                    failures.append(number)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_gil(self):
        """Python code runs while the library works."""
        ticks = []
        stop = threading.Event()

        def tick():
            while not stop.wait(0.002):
                ticks.append(0)

        thread = threading.Thread(target=tick)
        thread.start()
        before = len(ticks)
        _core.Dataset.read([self.path], threads=1)
        after = len(ticks)
        stop.set()
        thread.join()
        self.assertGreater(after - before, 2)

    def test_progress(self):
        seen = []
        _core.Dataset.read([self.path], progress=lambda what, done: seen.append((what, done)))
        self.assertEqual(seen[-1], ("reading", 1.0))
        self.assertTrue(all(0.0 <= done <= 1.0 for _, done in seen))

    def test_exception_in_progress(self):
        def fail(what, done):
            raise KeyError(what)

        for call in (lambda: _core.Dataset.read([self.path], progress=fail),
                     lambda: _core.Dataset.synth("web", {"queries": 5}, progress=fail),
                     lambda: self.model.permutation_importance(self.data, progress=fail)):
            try:
                call()
                self.fail("no exception")
            except KeyError as error:
                last = traceback.extract_tb(error.__traceback__)[-1]
                self.assertEqual((last.name, last.line), ("fail", "raise KeyError(what)"))
        with self.assertRaises(TypeError):
            _core.Dataset.read([self.path], progress=lambda: None)
        self.assertGreater(_core.Dataset.read([self.path]).rows, 1000)  # the contexts still work

    def test_interrupt(self):
        """Ctrl-C arrives while the library works."""
        def handle(number, frame):
            raise KeyboardInterrupt

        old = signal.signal(signal.SIGINT, handle)
        timer = threading.Timer(0.15, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        start = time.monotonic()
        try:
            with self.assertRaises(KeyboardInterrupt):
                while time.monotonic() - start < 20:
                    _core.Dataset.synth("web", {"queries": 3000}, threads=2)
        finally:
            timer.cancel()
            signal.signal(signal.SIGINT, old)
        self.assertLess(time.monotonic() - start, 5)

    def test_notes(self):
        notes = ["earlier"]
        self.model.score(dataset(features=4), np.empty(ROWS), notes=notes)
        self.assertEqual(notes, ["earlier"])
        wide = np.zeros((ROWS, 6), np.float32)
        self.model.score(dataset(values=wide, features=6), np.empty(ROWS), notes=notes)
        self.assertEqual(len(notes), 2)
        self.assertIsInstance(notes[1], str)

    def test_fork(self):
        """A child process uses the model and the contexts of its parent."""
        expected = np.empty(ROWS)
        self.model.score(self.data, expected, threads=2)

        def child(queue):
            out = np.empty(ROWS)
            self.model.score(self.data, out, threads=2)
            queue.put(out)

        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        processes = [context.Process(target=child, args=(queue,)) for _ in range(2)]
        for process in processes:
            process.start()
        for _ in processes:
            np.testing.assert_array_equal(queue.get(timeout=30), expected)
        for process in processes:
            process.join(30)
            self.assertEqual(process.exitcode, 0)

    def test_shutdown(self):
        """The interpreter ends while a thread is in the library."""
        program = ("import threading, time\nfrom gradus import _core\n"
                   "work = lambda: _core.Dataset.synth('web', {'queries': 20000}, progress=print)\n"
                   "threading.Thread(target=work, daemon=True).start()\ntime.sleep(0.3)\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, b""))


class Memory(unittest.TestCase):
    def calls(self):
        """Calls that fail, and calls that make objects; none may keep memory."""
        data = dataset()
        model = train(data, method="lambdamart", rounds=2, leaves=4)
        content, out = model.to_bytes(), np.empty(ROWS)
        values = np.asarray(data.array("values"))
        names = [f"feature {i}" * 20 for i in range(FEATURES)]
        ids = np.arange(ROWS, dtype=np.int64)

        def fail(what, done):
            raise KeyError

        return [
            lambda: _core.check_options("train", {"leaves": 4, "metric": ["map"] * 50 + [None]}),
            lambda: _core.check_options("train", {"leaves": 4, "metric": ["map"] * 50}),
            lambda: _core.check_options("train", {"leaves": 4, "x": 5}),
            lambda: _core.params("split"),
            lambda: _core.suggest("x", ["y" * 1000] * 10 + [1]),
            lambda: dataset(feature_names=names),
            lambda: dataset(feature_names=names, query_names=["a"]),
            lambda: dataset(labels=np.full(ROWS, np.nan, np.float32), feature_names=names),
            lambda: dataset(labels=np.empty(3, np.float32)),
            lambda: dataset(query_starts=None, row_query_ids=ids, notes=[]),
            lambda: dataset(query_starts=None, row_query_ids=ids, row_query_names=[str(i) for i in ids]),
            lambda: data.array("values"),
            lambda: data.describe(threads=1),
            lambda: data.subset(np.array([9], np.uint64), threads=1),
            lambda: data.subset(np.array([0], np.uint64), threads=1),
            lambda: _core.Dataset.read(["/nothing/there"] * 20, threads=1),
            lambda: model.permutation_importance(data, threads=1, progress=fail),
            lambda: _core.Model.from_bytes(content[:-9]),
            lambda: _core.Model.from_bytes(content).rescored({"rounds": 1}),
            lambda: _core.Model.ensemble([model, None]),
            lambda: model.score_rows(values, ROWS, FEATURES, FEATURES, out),
            lambda: model.score_rows(values, ROWS, FEATURES, FEATURES, out, out),
            lambda: model.score(data, out, threads=1),
            lambda: model.score(data, out[:3], threads=1),
            lambda: model.calibrated(data, {"how": "nothing"}),
            lambda: (model.info(), model.tree(0), model.curve(), model.importance(), model.options()),
            lambda: model.export({"format": "json"}),
            lambda: model.__reduce__(),
        ]

    @unittest.skipIf("asan" in os.environ.get("LD_PRELOAD", ""), "freed memory is kept for a while")
    def test_no_growth(self):
        for number, call in enumerate(self.calls()):
            def run(times):
                for _ in range(times):
                    try:
                        call()
                    except (ValueError, TypeError, OSError, KeyError):
                        pass
                gc.collect()

            run(100)
            before = resident()
            run(1000)
            with self.subTest(number=number):
                self.assertLess(resident() - before, 2 << 20)

    def test_references(self):
        """Arguments are not kept after the call."""
        notes, mapping, name = [], {"leaves": 3}, "a feature"
        arrays = [np.zeros(ROWS, np.float32), np.arange(ROWS, dtype=np.int64)]
        before = [sys.getrefcount(x) for x in (notes, mapping, name, *arrays, None)]
        for _ in range(300):
            _core.check_options("train", mapping)
            dataset(labels=arrays[0], query_starts=None, row_query_ids=arrays[1], notes=notes,
                    feature_names=[name] * FEATURES)
            del notes[:]
            try:
                dataset(labels=arrays[0], row_weights=arrays[1], feature_names=[name] * FEATURES)
            except TypeError:
                pass
        after = [sys.getrefcount(x) for x in (notes, mapping, name, *arrays, None)]
        for old, new in zip(before, after):
            self.assertLess(abs(new - old), 50)


if __name__ == "__main__":
    unittest.main()
