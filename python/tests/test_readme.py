# SPDX-License-Identifier: Apache-2.0
"""Runs the Python examples of README.md, docs/guide/python.md and the pages of the site."""
from __future__ import annotations

import os
from pathlib import Path

import pytest

from documents import run_page

SOURCE = Path(os.environ.get("SOURCE") or Path(__file__).parents[2])
PAGES = [SOURCE / "README.md", SOURCE / "python/README.md", SOURCE / "docs/guide/python.md",
         *sorted((SOURCE / "python/docs").glob("*.rst"))]
# pages without Python
PLAIN = {"install.rst"}


@pytest.mark.filterwarnings("ignore::gradus.GradusWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("pandas")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    count = run_page(page, page.read_text())
    assert (count > 0) != (page.name in PLAIN)
