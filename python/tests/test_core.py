# SPDX-License-Identifier: Apache-2.0
"""The C extension: tables, datasets and models, against known facts, and wrong arguments."""
import array
import ctypes
import pathlib
import pickle
import tempfile
import unittest
import weakref

import numpy as np

from gradus import _core

ROWS, FEATURES, QUERIES = 60, 4, 6


def table(seed=1):
    """Arrays of a small dataset: the label depends on feature 0."""
    random = np.random.default_rng(seed)
    values = random.random((ROWS, FEATURES), dtype=np.float32)
    return {
        "rows": ROWS,
        "features": FEATURES,
        "values": values,
        "labels": np.floor(values[:, 0] * 3).astype(np.float32),
        "query_starts": np.arange(0, ROWS + 1, ROWS // QUERIES, dtype=np.uint64),
    }


def dataset(**changes):
    return _core.Dataset.from_arrays(**{**table(), **changes})


def train(data, **options):
    training = _core.Training(data, None, options, threads=1)
    while not training.step():
        pass
    return training.finish()


class Items(dict):
    """A mapping whose items are not those of a mapping."""

    def __init__(self, pairs):
        super().__init__()
        self.pairs = pairs

    def items(self):
        return self.pairs


class Tables(unittest.TestCase):
    def test_library(self):
        info = _core.build_info()
        self.assertEqual(info["version"], _core.version())
        self.assertIn(info["kernels"], ("avx512", "avx2", "baseline"))
        self.assertIsInstance(info["components"]["zlib"], str)
        self.assertTrue(all(isinstance(b, bool) for b in info["cpu_features"].values()))

    def test_params(self):
        names = {p["name"]: p for p in _core.params("train")}
        self.assertEqual(names["leaves"]["kind"], "count")
        self.assertIn("lambdamart", names["method"]["choices"])
        self.assertEqual(names["learning-rate"]["high"], 10.0)
        self.assertEqual(_core.param_find("train", "num_leaves")["name"], "leaves")
        self.assertEqual(_core.param_find("train", "lambda_")["name"], "lambda")
        self.assertIsNone(_core.param_find("train", "lambda__"))
        self.assertIsNone(_core.param_find("train", "nothing"))
        self.assertIsNone(_core.param_renamed("train", "leaves"))

    def test_catalogues(self):
        self.assertIn("ndcg", [name for name, _, _ in _core.catalogue("metrics")])
        self.assertIn("onnx", [f["name"] for f in _core.formats()])
        self.assertTrue(all(f["methods"] is None or "lambdamart" in f["methods"] or f["methods"]
                            for f in _core.formats()))
        self.assertEqual(set(_core.experiments()[0]),
                         {"name", "summary", "details", "family", "needs", "takes", "uses"})

    def test_methods(self):
        self.assertEqual(_core.option_use("lambdamart", None, "leaves"), "tuned")
        self.assertEqual(_core.option_use("propodds", None, "truncation"), "unused")
        self.assertEqual(_core.method_facts({"method": "lambdamart"}),
                         {"by_rounds": True, "needs_queries": True, "needs_grades": False})
        self.assertTrue(_core.method_accepts({"method": "lambdamart"}, "leaves"))
        self.assertFalse(_core.method_accepts({"method": "ranksvm"}, "leaves"))
        self.assertEqual(_core.metric_facts("gmap"),
                         {"lower_is_better": False, "geometric": True, "uses_gains": False})

    def test_text(self):
        self.assertEqual(_core.suggest("leavs", ["rounds", "leaves"]), "leaves")
        self.assertIsNone(_core.suggest("xyzzy", ["rounds", "leaves"]))
        self.assertEqual(_core.number_text(0.1), "0.1")
        self.assertEqual(_core.label_text(float(np.float32(0.1))), "0.1")

    def test_options(self):
        good = [
            ({"leaves": 31, "rounds": None}, {"leaves": "31"}),
            ({"num_leaves": np.int64(7)}, {"leaves": "7"}),
            ({"leaves": "8"}, {"leaves": "8"}),
            ({"leaves": 16.0}, {"leaves": "16"}),
            ({"learning_rate": 1}, {"learning-rate": "1"}),
            ({"learning-rate": np.float32(0.5)}, {"learning-rate": "0.5"}),
            ({"keep-zeros": True}, {"keep-zeros": "true"}),
            ({"keep-zeros": np.False_}, {"keep-zeros": "false"}),
            ({"lambda_": 0.25}, {"lambda": "0.25"}),
            ({"metric": ["ndcg@10", "map"]}, {"metric": "ndcg@10,map"}),
            ({"widths": (1, 0.5)}, {"widths": "1,0.5"}),
            ({"cost": pathlib.Path("a/b")}, {"cost": "a/b"}),
            (None, {}),
        ]
        for given, text in good:
            with self.subTest(given=given):
                self.assertEqual(_core.check_options("train", given), text)

    def test_wrong_options(self):
        wrong = [
            ({"leaves": -3}, ValueError, "0 to 65536, not '-3'"),
            ({"leaves": 2**70}, ValueError, "0 to 65536, not '1180591620717411303424'"),
            ({"leaves": 3.5}, ValueError, "whole number"),
            ({"leaves": []}, TypeError, "option 'leaves' must be an int, not 'list'"),
            ({"learning_rate": "fast"}, ValueError, "'fast'"),
            ({"learning_rate": b"1"}, TypeError, "option 'learning-rate' must be a number, not 'bytes'"),
            ({"learning_rate": 1j}, TypeError, "not 'complex'"),
            ({"keep_zeros": 2}, ValueError, "true or false"),
            ({"keep_zeros": []}, TypeError, "option 'keep-zeros' must be a bool, not 'list'"),
            ({"method": 3}, TypeError, "option 'method' must be a str, not 'int'"),
            ({"method": "lambdamat"}, ValueError, "did you mean"),
            ({"metric": [None]}, TypeError, "not 'NoneType'"),
            ({"metric": True}, TypeError, "not 'bool'"),
            ({"metric": "a\0b"}, ValueError, "null character"),
            ({"leavs": 3}, ValueError, "leaves"),
            ({"leavs": None}, ValueError, "leaves"),
            ({"leaves": 3, "num_leaves": 4}, ValueError, "given twice"),
            ({"a\0b": 3}, ValueError, "null character"),
            ({3: 3}, TypeError, "must be a str, not 'int'"),
            ([("leaves", 3)], TypeError, "must be a mapping"),
            (3, TypeError, "must be a mapping"),
            (Items(["leaves"]), TypeError, "must be a pair of name and value, not 'str'"),
            (Items([("leaves", 3, 4)]), TypeError, "must be a pair of name and value"),
        ]
        for given, error, text in wrong:
            with self.subTest(given=given), self.assertRaises(error) as caught:
                _core.check_options("train", given)
            self.assertIn(text, str(caught.exception))

    def test_errors(self):
        bases = {"ArgumentError": ValueError, "FormatError": ValueError, "NumberError": ValueError,
                 "MemoryLimitError": MemoryError, "FileError": OSError, "Cancelled": Exception}
        for name, base in bases.items():
            error = getattr(_core, name)
            self.assertTrue(issubclass(error, base) and issubclass(error, _core.Error), name)
            self.assertEqual(error.__module__, "gradus")
        for call in (lambda: _core.params("trin"), lambda: _core.catalogue("nothing"),
                     lambda: _core.metric_facts("nothing"),
                     lambda: _core.param_find("nothing", "x")):
            self.assertRaises(_core.ArgumentError, call)
        for call in (lambda: _core.params(3), lambda: _core.suggest("a", "abc"),
                     lambda: _core.suggest("a", [1]), lambda: _core.number_text("x"),
                     lambda: _core.option_use("lambdamart", None)):
            self.assertRaises(TypeError, call)


class FromArrays(unittest.TestCase):
    def test_borrowed(self):
        arrays = table()
        data = _core.Dataset.from_arrays(**arrays)
        self.assertEqual((data.rows, data.features, data.queries), (ROWS, FEATURES, QUERIES))
        self.assertEqual((data.has_queries, data.sparse, data.first_id), (True, False, 1))
        values = np.asarray(data.array("values"))
        self.assertEqual(values.ctypes.data, arrays["values"].ctypes.data)
        self.assertFalse(values.flags.writeable)
        for name in ("labels", "query_starts"):
            np.testing.assert_array_equal(np.asarray(data.array(name)), arrays[name])
        for name in ("row_starts", "columns", "entries", "row_weights", "query_weights"):
            self.assertIsNone(data.array(name))

    def test_lifetimes(self):
        """Views keep the dataset alive, the dataset the arrays, and nothing afterwards."""
        arrays = table()
        expected = arrays["values"].copy()
        gone = weakref.ref(arrays["values"])
        data = _core.Dataset.from_arrays(**arrays)
        dead = weakref.ref(data)
        view = data.array("values")
        del arrays, data
        np.testing.assert_array_equal(np.asarray(view), expected)
        self.assertIsNotNone(dead())
        del view
        self.assertIsNone(dead())
        self.assertIsNone(gone())

    def test_stride(self):
        wide = np.arange(ROWS * 8, dtype=np.float32).reshape(ROWS, 8)
        view = dataset(values=wide, stride=8).array("values")
        np.testing.assert_array_equal(np.asarray(view), wide[:, :FEATURES])
        with self.assertRaisesRegex(ValueError, "values must be a C-contiguous array"):
            dataset(values=view)

    def test_sparse(self):
        starts = np.arange(ROWS + 1, dtype=np.uint64)
        columns = (np.arange(ROWS) % FEATURES).astype(np.uint32)
        entries = np.arange(1, ROWS + 1, dtype=np.float32)
        data = dataset(values=None, row_starts=starts, columns=columns, entries=entries)
        self.assertTrue(data.sparse)
        np.testing.assert_array_equal(np.asarray(data.array("columns")), columns)
        np.testing.assert_array_equal(np.asarray(data.array("entries")), entries)
        np.testing.assert_array_equal(np.asarray(data.array("row_starts")), starts)
        self.assertIsNone(data.array("values"))

    def test_weights_and_names(self):
        names = {"feature_names": list("abcd"), "query_names": [f"q{i}" for i in range(QUERIES)],
                 "document_names": [f"d\u00e9{i}" for i in range(ROWS)]}
        weights = {"row_weights": np.full(ROWS, 2, np.float32),
                   "query_weights": np.full(QUERIES, 3, np.float32)}
        data = dataset(**names, **weights)
        for name, expected in names.items():
            self.assertEqual(getattr(data, name)(), expected)
        for name, expected in weights.items():
            np.testing.assert_array_equal(np.asarray(data.array(name)), expected)
        self.assertEqual(data.find_feature("c"), 2)
        self.assertEqual(data.find_query("q3"), 3)
        self.assertEqual(data.find_document(1, "d\u00e912"), 12)
        self.assertIsNone(dataset().feature_names())

    def test_queries_of_rows(self):
        ids = np.array([7, 3, 7] * (ROWS // 3), np.int64)
        notes = []
        arrays = table()
        data = _core.Dataset.from_arrays(**{**arrays, "query_starts": None}, row_query_ids=ids, notes=notes)
        self.assertEqual(data.query_names(), ["7", "3"])
        self.assertEqual(len(notes), 1)
        order = np.empty(ROWS, np.uint64)
        data.file_order(order)
        np.testing.assert_array_equal(np.asarray(data.array("values"))[order], arrays["values"])
        named = _core.Dataset.from_arrays(**{**arrays, "query_starts": None},
                                          row_query_names=[str(i) for i in ids],
                                          query_weights=np.array([1, 2], np.float32))
        self.assertEqual(named.query_names(), ["7", "3"])
        np.testing.assert_array_equal(np.asarray(named.array("query_weights")), [1, 2])

    def test_wrong(self):
        arrays = table()
        f4, u8 = np.float32, np.uint64
        wrong = [
            ({"labels": None}, TypeError, "labels must be an array of float32"),
            ({"labels": [1.0] * ROWS}, TypeError, "labels must be an array of float32, not 'list'"),
            ({"labels": arrays["labels"].astype("f8")}, TypeError, "labels must contain float32"),
            ({"labels": arrays["labels"].astype(">f4")}, TypeError, "format '>f'"),
            ({"labels": arrays["labels"][:-1]}, ValueError, "labels has 59 items, expected 60"),
            ({"labels": np.full(ROWS, np.nan, f4)}, ValueError, "label"),
            ({"values": np.asfortranarray(arrays["values"])}, ValueError, "C-contiguous"),
            ({"values": arrays["values"][:-1]}, ValueError, "too few for 60 rows of 4 features"),
            ({"stride": 2**62}, ValueError, "too few"),
            ({"values": None}, ValueError, "values or row_starts is required"),
            ({"values": None, "row_starts": np.zeros(ROWS + 1, u8)}, ValueError, "requires columns"),
            ({"values": None, "row_starts": np.ones(ROWS + 1, u8), "columns": np.zeros(2, "u4"),
              "entries": np.zeros(2, f4)}, ValueError, "entries has 2 items, expected 1"),
            ({"values": None, "row_starts": np.full(ROWS + 1, 2, u8), "columns": np.zeros(1, "u4"),
              "entries": np.zeros(2, f4)}, ValueError, "columns has 1 items, expected 2"),
            ({"query_starts": np.zeros(1, u8)}, ValueError, "at least 2"),
            ({"query_starts": np.array([0, 70], u8)}, ValueError, "query"),
            ({"query_starts": np.zeros(2, np.int64)}, TypeError, "must contain uint64"),
            ({"query_weights": np.ones(2, f4)}, ValueError, "query_weights has 2 items, expected 6"),
            ({"row_weights": np.ones(2, f4)}, ValueError, "row_weights has 2 items, expected 60"),
            ({"feature_names": ["a"]}, ValueError, "feature_names has 1 items, expected 4"),
            ({"feature_names": "abcd"}, TypeError, "sequence of str, not 'str'"),
            ({"feature_names": [1, 2, 3, 4]}, TypeError, "feature_names[0] must be a str, not 'int'"),
            ({"feature_names": ["a", "b", "c\0", "d"]}, ValueError, "feature_names[2]"),
            ({"feature_names": 3}, TypeError, "not iterable"),
            ({"rows": -1}, ValueError, "-1"),
            ({"rows": 1.5}, TypeError, "float"),
            ({"rows": 0}, ValueError, "labels has 60 items, expected 0"),
            ({"rows": 2**59}, ValueError, "labels has 60 items, expected 576460752303423488"),
            ({"rows": 2**64 - 1, "values": None, "row_starts": np.zeros(0, u8)}, ValueError, "more than"),
            ({"features": "4"}, TypeError, "features must be an int, not 'str'"),
            ({"row_query_ids": np.zeros(ROWS, np.int64)}, ValueError, "query"),
            ({"labels": np.frombuffer(bytes(ROWS * 4 + 1), np.uint8)[1:].view(f4)}, ValueError, "aligned"),
            ({"nothing": 3}, TypeError, "nothing"),
        ]
        for changes, error, text in wrong:
            with self.subTest(changes=changes), self.assertRaises(error) as caught:
                dataset(**changes)
            self.assertIn(text, str(caught.exception))


class DatasetUse(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data = dataset(query_names=[f"q{i}" for i in range(QUERIES)])
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_files(self):
        for kind in (str, pathlib.Path, lambda path: str(path).encode()):
            path = pathlib.Path(self.folder.name) / "data.txt"
            self.data.write(kind(path))
            again = _core.Dataset.read([kind(path)], {"first-id": 1}, threads=1)
            np.testing.assert_array_equal(again.array("values"), self.data.array("values"))
            path.unlink()
        self.data.write(path)
        twice = _core.Dataset.read([path, path], {"join-queries": True})
        self.assertEqual(twice.rows, 2 * ROWS)
        with self.assertRaisesRegex(_core.FormatError, "two files|both|query|file"):
            _core.Dataset.read([path, path])

    def test_wrong_files(self):
        bad = pathlib.Path(self.folder.name) / "bad.txt"
        bad.write_text("1 qid:1 1:0.5\n0 qid:1 1:x\n")
        wrong = [
            (["/nothing/there"], {}, _core.FileError, "cannot open"),
            ([bad], {}, _core.FormatError, "bad.txt:2"),
            ([bad], {"options": {"nothing": 1}}, _core.ArgumentError, "unknown option"),
            ([bad], {"threads": -1}, ValueError, "threads"),
            ([bad], {"threads": "2"}, TypeError, "threads"),
            ([bad], {"max_memory": 1.5}, TypeError, "max_memory"),
            ([bad], {"notes": ()}, TypeError, "notes"),
            ([bad], {"progress": 3}, TypeError, "progress"),
            ("a", {}, TypeError, "sequence of paths"),
            ([], {}, ValueError, "empty"),
            ([3], {}, TypeError, "path"),
            (["a\0b"], {}, ValueError, "null"),
            (3, {}, TypeError, "iterable"),
        ]
        for paths, more, error, text in wrong:
            with self.subTest(paths=paths, more=more), self.assertRaises(error) as caught:
                _core.Dataset.read(paths, **more)
            self.assertIn(text, str(caught.exception))
        self.assertRaises(_core.FileError, self.data.write, "/nothing/there/data.txt")
        self.assertRaises(TypeError, self.data.write, 3)

    def test_memory_limit(self):
        path = pathlib.Path(self.folder.name) / "limit.txt"
        _core.Dataset.synth("web", {"queries": 5}).write(path)
        with self.assertRaises(MemoryError):
            _core.Dataset.read([path], max_memory=1000)
        self.assertGreater(_core.Dataset.read([path]).rows, 5)  # the limit is not kept

    def test_selection(self):
        queries = np.array([4, 1], np.uint64)
        part = self.data.subset(queries)
        self.assertEqual(part.rows, 20)
        np.testing.assert_array_equal(np.asarray(part.array("labels"))[:10],
                                      np.asarray(self.data.array("labels"))[40:50])
        both = _core.Dataset.join([part, self.data.subset(np.array([0], np.uint64))])
        self.assertEqual((both.rows, both.queries), (30, 3))
        unnamed = _core.Dataset.join([dataset(), dataset(query_weights=np.full(QUERIES, 2, np.float32))])
        self.assertEqual(unnamed.query_names(), [str(i + 1) for i in range(2 * QUERIES)])
        self.assertEqual(sum(unnamed.array("query_weights")), 3 * QUERIES)
        out = np.full(QUERIES, 9, np.uint64)
        self.assertEqual(self.data.split(out, {"folds": 3}), 3)
        np.testing.assert_array_equal(np.bincount(out.astype(int)), [2, 2, 2])

    def test_wrong_selection(self):
        calls = [
            (lambda: self.data.subset(np.array([6], np.uint64)), ValueError),
            (lambda: self.data.subset(np.array([], np.uint64)), ValueError),
            (lambda: self.data.subset(np.array([1])), TypeError),
            (lambda: self.data.subset(None), TypeError),
            (lambda: _core.Dataset.join([]), ValueError),
            (lambda: _core.Dataset.join([self.data, 3]), TypeError),
            (lambda: _core.Dataset.join([self.data, dataset()]), ValueError),
            (lambda: self.data.split(np.zeros(5, np.uint64)), ValueError),
            (lambda: self.data.split(bytes(48)), ValueError),
            (lambda: self.data.split(np.zeros(6, np.uint64), {"folds": "x"}), ValueError),
            (lambda: self.data.file_order(np.zeros(3, np.uint64)), ValueError),
            (lambda: self.data.file_order(None), TypeError),
            (lambda: self.data.find_feature("x"), ValueError),
            (lambda: self.data.find_feature(3), TypeError),
            (lambda: self.data.find_query("99"), ValueError),
            (lambda: self.data.find_document(99, "1"), ValueError),
            (lambda: self.data.array("nothing"), ValueError),
            (lambda: self.data.check_valid(None), TypeError),
            (lambda: self.data.overlap(3), TypeError),
            (lambda: self.data.transform({"transform": "nothing"}), ValueError),
            (lambda: _core.Dataset.synth("nothing"), ValueError),
            (lambda: _core.Dataset(), TypeError),
            (lambda: setattr(_core.Dataset, "x", 3), TypeError),
            (lambda: setattr(self.data, "rows", 3), AttributeError),
        ]
        for number, (call, error) in enumerate(calls):
            with self.subTest(number=number):
                self.assertRaises(error, call)

    def test_facts(self):
        self.assertEqual(self.data.label_kind(), "grades")
        self.assertEqual(dataset(labels=np.full(ROWS, 0.5, np.float32)).label_kind(), "numbers")
        self.assertEqual(dataset(labels=np.full(ROWS, -1, np.float32)).label_kind(), "other")
        self.assertEqual(self.data.fingerprint(), dataset().fingerprint(threads=2))
        self.assertNotEqual(self.data.fingerprint(), dataset(**table(2)).fingerprint())
        self.assertEqual(self.data.find_feature("2"), 1)
        facts = self.data.describe()
        self.assertEqual((facts["rows"], facts["labels"], facts["documents_median"]), (ROWS, 3, 10.0))
        self.assertEqual(facts["label_values"], [0.0, 1.0, 2.0])
        self.assertEqual(sum(facts["label_rows"]), ROWS)
        self.assertEqual(len(facts["histogram_edges"]), facts["histogram_bins"] + 1)
        overlap = self.data.overlap(dataset())
        self.assertEqual(overlap["rows"], ROWS)
        self.data.check_valid(dataset(**table(3)))
        scaled = np.asarray(self.data.transform({"transform": "query"}).array("values"))
        self.assertEqual(scaled.shape, (ROWS, FEATURES))

    def test_arrow(self):
        """A stream that has been read, and objects that are no streams; test_arrow_stream.py reads some."""
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        space = ctypes.create_string_buffer(5 * ctypes.sizeof(ctypes.c_void_p))
        used = new(ctypes.addressof(space), b"arrow_array_stream", None)
        other = new(ctypes.addressof(space), b"arrow_schema", None)

        class Stream:
            def __init__(self, result):
                self.result = result

            def __arrow_c_stream__(self, requested_schema=None):
                if isinstance(self.result, Exception):
                    raise self.result
                return self.result

        wrong = [(used, ValueError), (Stream(used), ValueError), (other, TypeError), (3, TypeError),
                 (Stream(3), TypeError), (Stream(KeyError("x")), KeyError)]
        for stream, error in wrong:
            with self.subTest(stream=stream):
                self.assertRaises(error, _core.Dataset.from_arrow, stream)


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data = dataset(feature_names=list("abcd"))
        cls.model = train(cls.data, method="lambdamart", rounds=5, leaves=4)
        cls.linear = train(cls.data, method="propodds", learner="linear")
        cls.values = np.asarray(cls.data.array("values"))

    def scores(self, model):
        out = np.empty(ROWS)
        model.score(self.data, out, threads=1)
        return out

    def test_score(self):
        expected = self.scores(self.model)
        self.assertGreater(np.unique(expected).size, 3)
        out = np.empty(ROWS)
        self.model.score_rows(self.values, ROWS, FEATURES, FEATURES, out)
        np.testing.assert_array_equal(out, expected)
        wide = np.full((ROWS, 9), np.nan, np.float32)
        wide[:, :FEATURES] = self.values
        other = array.array("d", bytes(8 * ROWS))
        self.model.score_rows(wide, ROWS, 9, 9, other, None)
        np.testing.assert_array_equal(other, expected)
        self.model.score_rows(self.values, 0, FEATURES, FEATURES, np.empty(0))

    def test_probabilities(self):
        info = self.linear.info()
        self.assertEqual((info["grades"], info["grade_values"]), (3, [0.0, 1.0, 2.0]))
        out = np.empty((ROWS, 3))
        self.linear.probabilities(self.data, out)
        np.testing.assert_allclose(out.sum(axis=1), 1)
        again, scores = np.empty((ROWS, 3)), np.empty(ROWS)
        self.linear.score_rows(self.values, ROWS, FEATURES, FEATURES, scores, again)
        np.testing.assert_array_equal(again, out)
        again[:] = 0
        self.linear.score_rows(self.values, ROWS, FEATURES, FEATURES, None, again)
        np.testing.assert_array_equal(again, out)
        grades = np.empty(ROWS)
        self.linear.grades(self.data, grades)
        self.assertLessEqual(set(grades), {0.0, 1.0, 2.0})

    def test_wrong_scores(self):
        model, data, values, out = self.model, self.data, self.values, np.empty(ROWS)
        frozen = np.empty(ROWS)
        frozen.flags.writeable = False
        calls = [
            (lambda: model.score_rows(values, ROWS, FEATURES, FEATURES), TypeError, "5 or 6"),
            (lambda: model.score_rows(values, ROWS, FEATURES, FEATURES, out[1:]), ValueError, "59 items"),
            (lambda: model.score_rows(values, ROWS, FEATURES, FEATURES, frozen), ValueError, "writable"),
            (lambda: model.score_rows(values, ROWS, FEATURES, FEATURES, bytes(8 * ROWS)), ValueError, "scores"),
            (lambda: model.score_rows(values, ROWS, FEATURES, FEATURES, out.astype("f4")), TypeError, "float64"),
            (lambda: model.score_rows(values, ROWS, FEATURES, 9, out), ValueError, "too few"),
            (lambda: model.score_rows(values, 2**63, FEATURES, 2**63, out), ValueError, "too few"),
            (lambda: model.score_rows(values, ROWS, 3, 4, out), ValueError, "feature"),
            (lambda: model.score_rows(values, ROWS, 4, 3, out), ValueError, "stride is 3, expected at least 4"),
            (lambda: model.score_rows(values, 2**64 - 1, 0, 0, out), ValueError, "stride"),
            (lambda: model.score_rows(values, -1, 4, 4, out), ValueError, "rows is -1"),
            (lambda: model.score_rows(values, 1.0, 4, 4, out), TypeError, "rows must be an int"),
            (lambda: model.score_rows(None, ROWS, 4, 4, out), TypeError, "values"),
            (lambda: model.score_rows(values.T, ROWS, 4, 4, out), ValueError, "values must be a C-contiguous"),
            (lambda: model.score_rows(values.astype("f8"), ROWS, 4, 4, out), TypeError, "float32"),
            (lambda: model.score_rows(values, ROWS, 4, 4, out, out), ValueError, "expected 0"),
            (lambda: model.score(None, out), TypeError, "data must be a Dataset"),
            (lambda: model.score(data, None), TypeError, "out must be"),
            (lambda: model.score(data, out[:5]), ValueError, "5 items, expected 60"),
            (lambda: model.score(dataset(features=3, stride=4), out), ValueError, "features"),
            (lambda: model.probabilities(data, np.empty(0)), ValueError, "probabilities"),
            (lambda: model.grades(data, out), ValueError, "grades"),
        ]
        for number, (call, error, text) in enumerate(calls):
            with self.subTest(number=number), self.assertRaises(error) as caught:
                call()
            self.assertIn(text, str(caught.exception))

    def test_files(self):
        content = self.model.to_bytes()
        self.assertEqual(self.model.info()["size"], len(content))
        for again in (_core.Model.from_bytes(content), pickle.loads(pickle.dumps(self.model)),
                      _core.Model.from_bytes(bytearray(content))):
            self.assertEqual(again.to_bytes(), content)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.model"
            self.model.write(path)
            self.assertEqual(path.read_bytes(), content)
            self.assertEqual(_core.Model.read(str(path)).to_bytes(), content)
            self.assertTrue(_core.is_model_file(path))
            self.assertFalse(_core.is_model_file(pathlib.Path(folder) / "b"))
            self.model.export_write(pathlib.Path(folder) / "m.onnx", parity=pathlib.Path(folder) / "p.csv")
            self.assertEqual((pathlib.Path(folder) / "m.onnx").read_bytes(),
                             self.model.export({"format": "onnx"}))
            self.assertTrue((pathlib.Path(folder) / "p.csv").exists())
        calls = [
            (lambda: _core.Model.read("/nothing"), _core.FileError),
            (lambda: _core.Model.read(3), TypeError),
            (lambda: _core.Model.from_bytes(content[:-1]), _core.FormatError),
            (lambda: _core.Model.from_bytes(b""), _core.Error),
            (lambda: _core.Model.from_bytes("text"), TypeError),
            (lambda: self.model.write("/nothing/there"), _core.FileError),
            (lambda: self.model.export({}), _core.ArgumentError),
            (lambda: self.model.export({"format": "nothing"}), _core.ArgumentError),
            (lambda: self.model.export_write("/nothing/m.onnx"), _core.FileError),
            (lambda: self.model.export_write("m.onnx", parity=3), TypeError),
            (lambda: _core.is_model_file(None), TypeError),
        ]
        for number, (call, error) in enumerate(calls):
            with self.subTest(number=number):
                self.assertRaises(error, call)

    def test_derived(self):
        """Derived models keep their originals alive, and are complete when written."""
        expected = self.scores(self.model)
        model = _core.Model.from_bytes(self.model.to_bytes())
        short = model.rescored({"rounds": 2})
        self.assertEqual(short.info()["rounds"], 2)
        both = _core.Model.ensemble([model, short], self.data, {"way": "mean"})
        alive = weakref.ref(model)
        del model
        self.assertIsNotNone(alive())
        member, weight = both.member(0)
        self.assertEqual(member.info()["rounds"], 5)
        self.assertTrue(0 < weight < 1)
        self.assertIsNone(both.member(2))
        self.assertIsNone(member.member(0))
        np.testing.assert_array_equal(self.scores(pickle.loads(pickle.dumps(both))), self.scores(both))
        self.assertFalse(np.array_equal(self.scores(both), expected))
        notes = []
        calibrated = self.model.calibrated(self.data, {"how": "platt"}, notes=notes)
        self.assertEqual(calibrated.calibrations()[0]["method"], "platt")
        self.assertEqual([p["name"] for p in calibrated.calibrations()[0]["parameters"]][:1], ["a"])
        curve = calibrated.reliability(self.data, 5)
        self.assertEqual((curve["bins"], len(curve["observed"])), (5, 5))
        del both, short, member
        self.assertIsNone(alive())

    def test_wrong_derived(self):
        calls = [
            (lambda: self.model.rescored({"rounds": "many"}), ValueError),
            (lambda: self.model.calibrated(None), TypeError),
            (lambda: self.model.calibrated(self.data, {"how": "nothing"}), ValueError),
            (lambda: _core.Model.ensemble([]), ValueError),
            (lambda: _core.Model.ensemble([self.model, 3]), TypeError),
            (lambda: _core.Model.ensemble(3), TypeError),
            (lambda: _core.Model.ensemble([self.model], 3), TypeError),
            (lambda: self.model.member(-1), ValueError),
            (lambda: self.model.reliability(self.data), ValueError),
            (lambda: self.linear.reliability(self.data, 0), ValueError),
            (lambda: self.model.permutation_importance(self.data, repeats=0), ValueError),
            (lambda: self.model.permutation_importance(None), TypeError),
            (lambda: self.model.partial_dependence(self.data, 9), ValueError),
            (lambda: self.model.partial_dependence(self.data, 0, 0), ValueError),
            (lambda: self.model.tree("a"), TypeError),
        ]
        for number, (call, error) in enumerate(calls):
            with self.subTest(number=number):
                self.assertRaises(error, call)

    def test_inspection(self):
        info = self.model.info()
        self.assertEqual((info["method"], info["features"], info["rounds"]), ("lambdamart", FEATURES, 5))
        self.assertEqual((info["train_rows"], info["first_id"]), (ROWS, 1))
        self.assertIsNone(info["thresholds"])
        self.assertEqual(len(self.linear.info()["thresholds"]), 2)
        self.assertEqual(self.model.facts()["trees"], 5)
        self.assertEqual(self.model.options()["leaves"], "4")
        self.assertEqual(self.model.feature_names(), list("abcd"))
        rounds, at_train, at_valid = self.model.curve()
        self.assertEqual(np.frombuffer(rounds, np.uint64)[-1], 5)
        self.assertEqual(len(rounds), len(at_train))
        self.assertTrue(np.isnan(np.frombuffer(at_valid)).all())
        gains, splits = (np.frombuffer(b, t) for b, t in zip(self.model.importance(), ("f8", "u8")))
        self.assertEqual(gains.argmax(), 0)
        self.assertEqual(splits.shape, (FEATURES,))
        self.assertIsNone(self.model.equation(0))
        self.assertIsNone(self.model.errors())
        self.assertIsNone(self.model.columns())
        self.assertIsInstance(self.linear.results(), dict)

    def test_linear(self):
        equation = self.linear.equation(0)
        self.assertEqual(set(equation), {"intercept", "coefficients", "means", "spreads"})
        coefficients = np.frombuffer(equation["coefficients"])
        self.assertEqual(coefficients.shape, (FEATURES,))
        self.assertEqual(np.abs(coefficients).argmax(), 0)
        self.assertIsNone(self.linear.equation(9))
        self.assertIsNone(self.linear.tree(0))

    def test_lines(self):
        self.assertEqual(self.model.lines(), {})
        machine = train(self.data, method="svor-imc")
        count = machine.facts()["support_rows"]
        self.assertRegex(machine.lines()["kernel"], rf"^gaussian, bandwidth 1\.4\d*; {count} support rows$")
        self.assertEqual(machine.results()["support vectors"], count)

    def test_tree(self):
        nodes = self.model.tree(0)
        self.assertEqual(nodes[0]["rows"], ROWS)
        self.assertFalse(nodes[0]["is_leaf"])
        self.assertLessEqual(sum(n["is_leaf"] for n in nodes), 4)
        self.assertEqual(len(nodes), 2 * sum(n["is_leaf"] for n in nodes) - 1)
        self.assertIsNone(self.model.tree(5))

    def test_measures(self):
        measured = np.frombuffer(self.model.permutation_importance(self.data, threads=1)).reshape(-1, 3)
        self.assertEqual(measured.shape, (FEATURES, 3))
        self.assertEqual(measured[:, 0].argmax(), 0)
        points = np.frombuffer(self.model.partial_dependence(self.data, 0, 7)).reshape(-1, 5)
        self.assertEqual(points.shape, (7, 5))
        self.assertTrue((np.diff(points[:, 0]) > 0).all())
        self.assertGreater(points[-1, 1], points[0, 1])


if __name__ == "__main__":
    unittest.main()
