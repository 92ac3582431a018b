# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel: CMake compiles the extension, setuptools adds the Python files.

GRADUS_BUILD names an existing build folder of gradus, whose extension is used after it has been
brought up to date; without it the folder build/wheel of the repository is configured and built.
Everything that is written goes to that folder, nothing to python/. The rest is in pyproject.toml.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
if not (ROOT / "CMakeLists.txt").is_file() or not (ROOT / "include" / "gradus.h").is_file():
    sys.exit("gradus: the C sources are not in the folder above python/, and the extension is "
             "built from them; there is no source distribution: build from a clone of the "
             "repository")
BUILD = Path(os.environ.get("GRADUS_BUILD") or ROOT / "build" / "wheel").resolve()


def version() -> str:
    """The version of the library, which is that of the package."""
    found = re.search(r'define GRADUS_VERSION "(.*)"', (ROOT / "include" / "gradus.h").read_text())
    assert found, "include/gradus.h has no version"
    return found[1]


class BuildWithCMake(build_ext):
    """Builds the target gradus_python_stubs and copies the extension and the generated stubs."""

    def configure(self) -> None:
        if (BUILD / "CMakeCache.txt").is_file():
            return
        if os.environ.get("GRADUS_BUILD"):
            sys.exit(f"gradus: GRADUS_BUILD is '{BUILD}', which is not a build folder of CMake")
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        subprocess.run(["cmake", "-S", ROOT, "-B", BUILD, *generator, "-DCMAKE_BUILD_TYPE=Release",
                        "-DGRADUS_TESTS=OFF", "-DGRADUS_BENCH=OFF", "-DGRADUS_PYTHON=ON",
                        f"-DPython3_EXECUTABLE={sys.executable}"], check=True)

    def build_extension(self, ext: Extension) -> None:
        if not shutil.which("cmake"):
            sys.exit("gradus: cmake is not installed, and the extension is built with it")
        self.configure()
        subprocess.run(["cmake", "--build", BUILD, "--target", "gradus_python_stubs", "--parallel"],
                       check=True)
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        built = BUILD / "python" / "gradus"
        shutil.copyfile(built / "_core.abi3.so", target)
        if shutil.which("strip"):
            subprocess.run(["strip", "--strip-unneeded", target], check=True)
        for stub in sorted(built.glob("*.pyi")):
            shutil.copyfile(stub, target.parent / stub.name)


files = BUILD / "wheel_files"
shutil.rmtree(files / "build", ignore_errors=True)  # it may have modules that were removed since
files.mkdir(parents=True, exist_ok=True)
os.chdir(HERE)
setup(
    version=version(),
    ext_modules=[Extension("gradus._core", sources=[], py_limited_api=True)],
    cmdclass={"build_ext": BuildWithCMake},
    options={"bdist_wheel": {"py_limited_api": "cp311"},
             "build": {"build_base": str(files / "build")},
             "egg_info": {"egg_base": str(files)}},
)
