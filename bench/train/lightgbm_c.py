# SPDX-License-Identifier: Apache-2.0
"""LightGBM through its C interface, so that neither scipy nor its Python package has to be installed."""
import ctypes
import importlib.util
import os

FLOAT, INT = 0, 2  # LightGBM's C_API_DTYPE_FLOAT32 and C_API_DTYPE_INT32


def library():
    """Loads the library from the folder that LIGHTGBM names (scripts/lightgbm.sh), or that of the package."""
    folder = os.environ.get("LIGHTGBM")
    found = None if folder else importlib.util.find_spec("lightgbm")
    package = os.path.join(folder, "lightgbm") if folder else found and os.path.dirname(found.origin)
    if not package:
        raise ModuleNotFoundError("lightgbm")
    lib = ctypes.CDLL(os.path.join(package, "lib", "lib_lightgbm.so"))
    lib.LGBM_GetLastError.restype = ctypes.c_char_p
    return lib


def words_of(settings):
    return " ".join(f"{name}={value}" for name, value in settings.items()).encode()


class LightGBM:
    def __init__(self, settings):
        self.lib, self.settings = library(), words_of(settings)
        self.data, self.model = ctypes.c_void_p(), ctypes.c_void_p()

    def call(self, name, *values):
        if getattr(self.lib, "LGBM_" + name)(*values) != 0:
            raise RuntimeError(f"{name}: {self.lib.LGBM_GetLastError().decode()}")

    def matrix(self, x):
        """A float32 matrix as the arguments of a call."""
        rows, columns = x.shape
        return [ctypes.c_void_p(x.ctypes.data), FLOAT, rows, columns, 1]

    def bin(self, x, y, q):
        """Bins the rows; q: rows per query, or None."""
        self.call("DatasetCreateFromMat", *self.matrix(x), self.settings, None, ctypes.byref(self.data))
        self.set_field("label", y, "float32", FLOAT)
        if q is not None:
            self.set_field("group", q, "int32", INT)

    def set_field(self, name, values, kind, code):
        values = values.astype(kind)
        self.call("DatasetSetField", self.data, name.encode(), ctypes.c_void_p(values.ctypes.data),
                  len(values), code)

    def save_bins(self, path):
        self.call("DatasetSaveBinary", self.data, path.encode())

    def load_bins(self, path):
        self.call("DatasetCreateFromFile", path.encode(), self.settings, None, ctypes.byref(self.data))

    def train(self, rounds):
        ended = ctypes.c_int()
        self.call("BoosterCreate", self.data, self.settings, ctypes.byref(self.model))
        for _ in range(rounds):
            self.call("BoosterUpdateOneIter", self.model, ctypes.byref(ended))

    def predict(self, x, outputs=1):
        """Predictions as a list of rows x outputs doubles."""
        found = (ctypes.c_double * (x.shape[0] * outputs))()
        length = ctypes.c_int64()
        self.call("BoosterPredictForMat", self.model, *self.matrix(x), 0, 0, -1, self.settings,
                  ctypes.byref(length), found)
        return found
