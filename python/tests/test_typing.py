# SPDX-License-Identifier: Apache-2.0
"""Type checkers know the package: mypy --strict on programs of users, right and wrong."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

import gradus

TYPING = Path(__file__).with_name("typing")
PACKAGE = Path(gradus.__file__).parent


@lru_cache(maxsize=None)
def errors() -> dict[str, dict[int, str]]:
    """Returns the errors that mypy finds in the clients and the package, by file and line."""
    pytest.importorskip("mypy")
    if not (PACKAGE / "_options.pyi").exists():
        pytest.fail("the stubs have not been generated")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary",
         "--cache-dir", str(PACKAGE.parents[1] / "mypy_cache"), "--config-file=", "client.py",
         "client_wrong.py"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=TYPING,
        env={**os.environ, "MYPYPATH": str(PACKAGE.parent)})
    found: dict[str, dict[int, str]] = {}
    for line in done.stdout.splitlines():
        match = re.fullmatch(r"(.+?):(\d+): (error|note): (.*)", line)
        assert match, line
        if match[3] == "error":
            found.setdefault(os.path.basename(match[1]), {})[int(match[2])] = match[4]
    return found


def test_a_correct_client_passes() -> None:
    assert errors().get("client.py", {}) == {}


def test_each_mistake_is_found() -> None:
    lines = (TYPING / "client_wrong.py").read_text().splitlines()
    expected = {number: line.partition("  # ")[2] for number, line in enumerate(lines, 1)
                if line.startswith("gradus.")}
    found = errors()["client_wrong.py"]
    assert len(expected) == 9
    assert sorted(found) == sorted(expected)
    for number, message in expected.items():
        assert found[number].startswith(message), f"{number}: {found[number]}"


def test_the_package_itself_is_typed() -> None:
    found = {file: lines for file, lines in errors().items() if not file.startswith("client")}
    assert found == {}


@pytest.mark.parametrize("name, line", [
    ("_options.pyi", "leaves: int | None = None"), ("_options.pyi", "bins: int | None = 255"),
    ("_options.pyi", "num_leaves: int | None = None"),
    ("_options.pyi", "seed: int | None = 1"), ("synth.pyi", "queries: int = 1000")])
def test_stubs_have_defaults(name: str, line: str) -> None:
    assert line in re.sub(r"\s+", " ", (PACKAGE / name).read_text())
