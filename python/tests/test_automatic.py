# SPDX-License-Identifier: Apache-2.0
"""auto: the same model as the command's, its description, repetition, interruption."""
from __future__ import annotations

import json
import math
import os
import subprocess
from pathlib import Path

import pytest

import gradus

pytestmark = pytest.mark.filterwarnings("ignore::gradus.GradusWarning")
METHODS = ["regression", "mcrank", "listnet"]


@pytest.fixture(scope="module")
def data() -> gradus.Dataset:
    return gradus.synth.mcrank(queries=20, documents=8, features=5)


@pytest.fixture(scope="module")
def result(data: gradus.Dataset) -> gradus.Automatic:
    test = gradus.synth.mcrank(queries=8, documents=8, features=5, first_query=201)
    return gradus.auto(data, test=test, budget=4, methods=METHODS, folds=3, threads=1)


def test_result(data: gradus.Dataset, result: gradus.Automatic) -> None:
    assert len(result.trials) == 4 and result.folds == 3
    assert sum(t["weight"] for t in result.trials) == pytest.approx(1)
    assert result.expected.low < result.expected.mean < result.expected.high
    assert 0 <= result.p <= 1 and 0 <= result.test_p <= 1
    assert isinstance(result.best, gradus.Ranker) and isinstance(result.single_model, gradus.Ranker)
    assert len(result.best.predict(data)) == len(data)
    assert any("only 20 queries" in text for text in result.warnings)
    for shown in (repr(result), result._repr_html_()):
        assert f"{result.expected.mean:.4f}" in shown and result.best_single.split()[0] in shown


def test_max_rounds(data: gradus.Dataset) -> None:
    timed = gradus.auto(data, budget="0.000001s", methods=["regression", "mcrank"], folds=3, max_rounds=7)
    assert timed.max_rounds == 1 and timed.skipped == ["mcrank"]
    assert timed.repeat == {"budget": 1, "methods": ["regression"], "folds": 3, "max_rounds": 1}
    assert gradus.auto(data, **timed.repeat).best.to_bytes() == timed.best.to_bytes()
    assert gradus.auto(data, budget=1, methods="regression", folds=3, max_rounds=2).trials[0]["chosen"][-1] in "12"


def test_frame(result: gradus.Automatic) -> None:
    pytest.importorskip("pandas")
    assert list(result.frame["weight"]) == [t["weight"] for t in result.trials]


def test_equals_the_command(data: gradus.Dataset, tmp_path: Path) -> None:
    command = os.environ.get("GRADUS")
    if not command:
        pytest.skip("GRADUS does not name the command")
    data.write(tmp_path / "train.txt")
    out = subprocess.run([command, "auto", "--train", "train.txt", "--budget", "3", "--folds", "3", "--methods",
                          ",".join(METHODS), "-o", "auto.model", "--json", "-q"], cwd=tmp_path, check=True,
                         capture_output=True, text=True).stdout
    done = json.loads(out.splitlines()[-1])
    here = gradus.auto(gradus.read(tmp_path / "train.txt"), budget=3, folds=3, methods=METHODS)
    assert here.best.to_bytes() == (tmp_path / "auto.model").read_bytes()
    assert here.expected.mean == done["expected"]["mean"]


def test_repeat(data: gradus.Dataset) -> None:
    timed = gradus.auto(data, budget="0.4s", folds=3, members=2, seed=3)
    again = gradus.auto(data, **timed.repeat)
    assert again.best.to_bytes() == timed.best.to_bytes()


def test_probabilities(data: gradus.Dataset) -> None:
    result = gradus.auto(data, budget=2, folds=3, probabilities=True)
    assert result.best.predict_proba(data).sum(axis=1) == pytest.approx(1)
    assert math.isnan(result.test.mean)


def test_callbacks_and_journal(data: gradus.Dataset, tmp_path: Path) -> None:
    seen: list[int] = []
    journal = tmp_path / "auto.jsonl"

    def stop(state) -> None:  # type: ignore[no-untyped-def]
        seen.append(state["done"])
        if state["done"] == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        gradus.auto(data, budget=4, methods=METHODS, folds=3, journal=journal, callbacks=[stop])
    assert "call auto with the same arguments again" in "".join(stopped.value.__notes__)
    assert seen == [1, 2]
    resumed = gradus.auto(data, budget=4, methods=METHODS, folds=3, journal=journal)
    whole = gradus.auto(data, budget=4, methods=METHODS, folds=3)
    assert resumed.best.to_bytes() == whole.best.to_bytes()


@pytest.mark.parametrize("options, words", [
    ({"methods": "nothing"}, "unknown method"),
    ({"budget": "soon"}, "budget"),
    ({"folds": 50}, "20 queries"),
    ({"member": 3}, "member"),
    ({"methods": []}, "methods is empty"),
])
def test_refused(data: gradus.Dataset, options: dict[str, object], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        gradus.auto(data, **options)  # type: ignore[arg-type]


def test_data_without_labels() -> None:
    with pytest.raises(ValueError, match=r"no labels: pass a tuple \(X, y, qid\), a Dataset"):
        gradus.auto([[0.5, 1.0], [0.25, 2.0]], budget=1)


def test_few_folds(data: gradus.Dataset) -> None:
    timed = gradus.auto(data, budget="0.000001s", methods=["regression"])
    assert timed.folds == 2
    assert timed.repeat == {"budget": 1, "methods": ["regression"], "folds": 2, "max_rounds": 1}
    assert gradus.auto(data, **timed.repeat).best.to_bytes() == timed.best.to_bytes()
