# SPDX-License-Identifier: Apache-2.0
"""Reads the same files with gradus and with scikit-learn, XGBoost, numpy and WEKA.

Argument 1: the build folder. Every value, label and query must be the same; where a tool rounds
(XGBoost reads numbers approximately, WEKA prints six decimals), within that rounding.
"""
import ctypes as c
import os
import random
import struct
import subprocess
import sys
import tempfile

ROWS, FEATURES, QUERIES = 3000, 60, 40


class Arrays(c.Structure):
    _fields_ = [("rows", c.c_size_t), ("features", c.c_size_t), ("values", c.POINTER(c.c_float)),
                ("stride", c.c_size_t), ("row_starts", c.POINTER(c.c_uint64)),
                ("columns", c.POINTER(c.c_uint32)), ("entries", c.POINTER(c.c_float)),
                ("labels", c.POINTER(c.c_float)), ("queries", c.c_size_t),
                ("query_starts", c.POINTER(c.c_uint64)), ("row_weights", c.POINTER(c.c_float)),
                ("query_weights", c.POINTER(c.c_float)),
                ("names", c.c_void_p * 9)]  # of features, queries and documents; queries of rows


class Error(c.Structure):
    _fields_ = [("status", c.c_int), ("message", c.c_char * 508)]


def load_library(folder):
    library = c.CDLL(os.path.join(folder, "libgradus.so"))
    library.gradus_dataset_read.restype = c.c_void_p
    library.gradus_dataset_read.argtypes = [c.c_void_p, c.c_char_p, c.c_void_p, c.c_void_p]
    library.gradus_dataset_arrays.argtypes = [c.c_void_p, c.c_void_p, c.c_void_p, c.c_void_p]
    library.gradus_dataset_free.argtypes = [c.c_void_p]
    return library


def read_with_gradus(library, path):
    """Labels, query sizes and rows as {feature position: value} without the zeros."""
    err, arrays = Error(), Arrays()
    data = library.gradus_dataset_read(None, path.encode(), None, c.byref(err))
    if not data or library.gradus_dataset_arrays(None, data, c.byref(arrays), c.byref(err)):
        sys.exit(f"gradus cannot read '{path}': {err.message.decode()}")
    labels = arrays.labels[:arrays.rows]
    starts = arrays.query_starts[:arrays.queries + 1] if arrays.queries else [0, arrays.rows]
    rows = []
    for r in range(arrays.rows):
        if arrays.values:
            row = arrays.values[r * arrays.stride:r * arrays.stride + arrays.features]
            rows.append({f: v for f, v in enumerate(row) if v != 0})
        else:
            span = range(arrays.row_starts[r], arrays.row_starts[r + 1])
            rows.append({arrays.columns[e]: arrays.entries[e] for e in span})
    library.gradus_dataset_free(data)
    return labels, [b - a for a, b in zip(starts, starts[1:])], rows


def as_float32(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def random_number(rng):
    """As found in the wild: few digits, many digits, whole, small, with an exponent."""
    form = rng.choice(["%.2f", "%.6f", "%.9g", "%.17g", "%d", "%.3e"])
    number = rng.lognormvariate(0, 3) * rng.choice([-1, 1])
    return form % number


def make_rows(rng, density):
    """(label, query, {feature: text}) for each row; the last feature is always there."""
    rows = []
    for r in range(ROWS):
        cells = {f: random_number(rng) for f in range(1, FEATURES) if rng.random() < density}
        cells[FEATURES] = random_number(rng)
        rows.append((rng.randrange(5), r * QUERIES // ROWS + 1, cells))
    return rows


def write_svmlight(path, rows, queries=True):
    with open(path, "w") as file:
        for label, query, cells in rows:
            words = [str(label)] + ([f"qid:{query}"] if queries else [])
            file.write(" ".join(words + [f"{f}:{text}" for f, text in cells.items()]) + "\n")


class Comparison:
    def __init__(self):
        self.compared = self.failed = 0

    def same(self, tool, what, ours, theirs, slack):
        """Rows of {feature: value}; slack(value) is the rounding that the tool does itself."""
        count, worst = 0, 0.0
        if len(ours) != len(theirs):
            return self.fail(tool, what, f"{len(ours)} rows, there {len(theirs)}")
        for r, (left, right) in enumerate(zip(ours, theirs)):
            for f in left.keys() | right.keys():
                a, b = left.get(f, 0.0), right.get(f, 0.0)
                count, worst = count + 1, max(worst, abs(a - b) / max(1, abs(a)))
                if abs(a - b) > slack(a):
                    return self.fail(tool, what,
                                     f"row {r + 1}, feature {f + 1}: {a!r}, there {b!r}")
        self.compared += 1
        print(f"{tool}: {what}: {count} values, largest difference {worst:.2g} (relative)")

    def equal(self, tool, what, ours, theirs):
        if list(ours) != list(theirs):
            return self.fail(tool, what, "they differ")
        self.compared += 1
        print(f"{tool}: {what}: {len(ours)} equal")

    def fail(self, tool, what, how):
        self.failed += 1
        print(f"FAILED: {tool}: {what}: {how}")


def nothing(value):
    return 0.0


def sparse_rows(matrix):
    return [{int(f): float(v) for f, v in zip(matrix.indices[a:b], matrix.data[a:b]) if v != 0}
            for a, b in zip(matrix.indptr, matrix.indptr[1:])]


def compare_sklearn(check, library, path):
    import sklearn
    from sklearn.datasets import load_svmlight_file
    tool = f"scikit-learn {sklearn.__version__}"
    matrix, labels, queries = load_svmlight_file(path, query_id=True, dtype="float64")
    ours = read_with_gradus(library, path)
    theirs = [{f: as_float32(v) for f, v in row.items()} for row in sparse_rows(matrix)]
    check.same(tool, "load_svmlight_file", ours[2], theirs, nothing)
    check.equal(tool, "labels", ours[0], labels)
    sizes = [list(queries).count(q) for q in dict.fromkeys(queries)]
    check.equal(tool, "documents of each query", ours[1], sizes)


def compare_xgboost(check, library, path):
    import xgboost
    tool = f"XGBoost {xgboost.__version__}"
    matrix = xgboost.DMatrix(path + "?format=libsvm&indexing_mode=1", silent=True)
    ours = read_with_gradus(library, path)
    check.same(tool, "DMatrix", ours[2], sparse_rows(matrix.get_data()), lambda v: 3e-7 * abs(v))
    check.equal(tool, "labels", ours[0], matrix.get_label())


def compare_numpy(check, library, rows, path):
    import numpy
    names = ["label", "qid"] + [f"f{f}" for f in range(1, FEATURES + 1)]
    with open(path, "w") as file:
        file.write(",".join(names) + "\n")
        for label, query, cells in rows:
            words = [cells.get(f, "0") for f in range(1, FEATURES + 1)]
            file.write(",".join([str(label), str(query)] + words) + "\n")
    table = numpy.loadtxt(path, delimiter=",", skiprows=1)
    theirs = [{f: as_float32(v) for f, v in enumerate(row) if v != 0} for row in table[:, 2:]]
    ours = read_with_gradus(library, path)
    check.same(f"numpy {numpy.__version__}", "loadtxt of CSV", ours[2], theirs, nothing)
    check.equal(f"numpy {numpy.__version__}", "labels of CSV", ours[0], table[:, 0])


def weka_rows(text):
    """Rows of a sparse ARFF file: {0 1.5,7 2}; the last attribute is the label."""
    rows = []
    for line in text.split("@data", 1)[1].strip().splitlines():
        cells = [cell.split(" ") for cell in line.strip("{}").split(",") if cell]
        rows.append({int(f): float(v) for f, v in cells})
    return rows


def compare_weka(check, library, rows, path):
    jar = "/usr/share/java/weka.jar"
    if not os.path.exists(jar):
        raise ImportError("weka.jar is not installed")
    write_svmlight(path, rows, queries=False)
    run = subprocess.run(["java", "-Djava.awt.headless=true", "-cp", jar,
                          "weka.core.converters.LibSVMLoader", path],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    theirs = weka_rows(run.stdout)
    labels = [row.pop(FEATURES, 0.0) for row in theirs]
    ours = read_with_gradus(library, path)
    check.same("WEKA", "LibSVMLoader", ours[2], theirs, lambda v: 5.1e-7 + 6e-8 * abs(v))
    check.equal("WEKA", "labels", ours[0], labels)


def main():
    library = load_library(sys.argv[1])
    rng = random.Random(20)
    check = Comparison()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data")
        dense, sparse = make_rows(rng, 0.9), make_rows(rng, 0.05)
        attempts = [("numpy", lambda: compare_numpy(check, library, dense, path + ".csv")),
                    ("WEKA", lambda: compare_weka(check, library, sparse, path + ".libsvm"))]
        for name, rows in (("dense", dense), ("sparse", sparse)):
            text = f"{path}.{name}"
            write_svmlight(text, rows)
            attempts.append(("scikit-learn", lambda t=text: compare_sklearn(check, library, t)))
            attempts.append(("XGBoost", lambda t=text: compare_xgboost(check, library, t)))
        for tool, attempt in attempts:
            try:
                attempt()
            except (ImportError, FileNotFoundError) as missing:
                print(f"skipped: {tool}: {missing}")
    if check.failed:
        return 1
    return 0 if check.compared else 77


sys.exit(main())
