# SPDX-License-Identifier: Apache-2.0
"""The tutorial notebook runs from beginning to end, and is stored without outputs."""
from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(os.environ.get("SOURCE") or Path(__file__).parents[2])
NOTEBOOK = SOURCE / "python/examples/tutorial.ipynb"


def test_outputs_are_stripped() -> None:
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    stored = [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")]
    assert len(cells) > 20 and stored == []


@pytest.fixture
def executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The notebook after all cells have run in a kernel of this Python."""
    nbformat = pytest.importorskip("nbformat")
    execute = pytest.importorskip("nbconvert.preprocessors")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    kernel = tmp_path / "jupyter/kernels/python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps({
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python 3", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    execute.ExecutePreprocessor(timeout=250).preprocess(
        notebook, {"metadata": {"path": str(tmp_path)}})
    return notebook


def test_cells_run_and_show_results(executed: Any) -> None:
    outputs = [out for cell in executed.cells if cell.cell_type == "code" for out in cell.outputs]
    kinds = [kind for out in outputs for kind in out.get("data", {})]
    assert kinds.count("image/png") >= 5  # charts
    assert kinds.count("text/html") >= 7  # tables, cards, progress
    text = "".join(str(out.get("data", {})) for out in outputs)
    assert "LambdaMART is better than BM25" in text
    assert not [out for out in outputs if out.output_type == "error"]
