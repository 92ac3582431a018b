# SPDX-License-Identifier: Apache-2.0
"""Where the plug-ins of devices are."""
from __future__ import annotations

import os
import sys

_FILE = "libgradus-cuda.so"


def plugin(device: object) -> str | None:
    """Return the plug-in of the parameter `device`; None: the CPU.

    "cuda" is looked for in the package, in the build folder that the package is in, and where
    ``cmake --install`` puts plug-ins under the prefix of this Python.
    """
    if device is None or device == "cpu":
        return None
    if not isinstance(device, (str, os.PathLike)):
        raise TypeError(f"device must be 'cpu', 'cuda' or the path of a plug-in, not {device!r}")
    if device == "auto":
        raise ValueError("device='auto' is for the command only: choose 'cpu' or 'cuda', which "
                         "gives the same model")
    if device != "cuda":
        path = os.fspath(device)
        if os.path.basename(path) == path and not path.endswith(".so"):
            raise ValueError(f"device must be 'cpu', 'cuda' or the path of a plug-in, not {path!r}")
        return path
    package = os.path.dirname(os.path.abspath(__file__))
    build = os.path.join(package, "..", "..")
    for folder in (package, build, os.path.join(sys.prefix, "lib", "gradus")):
        path = os.path.join(folder, _FILE)
        if os.path.exists(path):
            return path
    raise ValueError("device='cuda': the plug-in for CUDA is not installed; see the guide to GPUs")
