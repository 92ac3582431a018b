# SPDX-License-Identifier: Apache-2.0
"""Models of Ranker equal those of the command, byte for byte, for the same data and options."""
from __future__ import annotations

import os
import shlex
import subprocess

import numpy as np
import pytest

import gradus
from gradus import Ranker, _core
from small_sets import QUICK, arrays

pytestmark = [
    pytest.mark.skipif("GRADUS" not in os.environ, reason="GRADUS does not name the command"),
    pytest.mark.filterwarnings("ignore::gradus.GradusWarning")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("same")
    gradus.Dataset(*arrays(12)).write(folder / "train.txt")  # features have ids from 0, as in arrays
    gradus.Dataset(*arrays(6, 2)).write(folder / "valid.txt")
    return folder


def command(folder, *words):
    done = subprocess.run([os.environ["GRADUS"], *map(str, words)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def command_options(method):
    table = gradus.Ranker._signature.by_key
    options = {table[key].name: value for key, value in QUICK[method].items()}
    words = []
    for name, value in options.items():
        words += [f"--{name}", ",".join(map(str, value)) if isinstance(value, list) else value]
    return words


def test_all_methods_are_tested():
    trained = [row for row in _core.params("train") if row["name"] == "method"][0]["choices"]
    assert list(QUICK) == trained


@pytest.mark.parametrize("method", QUICK)
def test_model_of_the_command(folder, method):
    command(folder, "train", "--method", method, *command_options(method), "--train", "train.txt", "--valid",
            "valid.txt", "-o", "command.model", "--threads", "1")
    expected = (folder / "command.model").read_bytes()
    by_path = Ranker(method, **QUICK[method]).fit(folder / "train.txt", eval_set=str(folder / "valid.txt"))
    assert by_path.to_bytes() == expected
    X, y, qid = arrays(12)
    by_array = Ranker(method, threads=2, **QUICK[method]).fit(X, y, qid, eval_set=arrays(6, 2))
    assert by_array.to_bytes() == expected


@pytest.mark.parametrize("method", ["lambdamart", "mcrank", "crr", "listnet"])
def test_command_of_the_recipe(folder, method):
    ranker = Ranker(method, **QUICK[method], seed=5).fit(folder / "train.txt")
    words = shlex.split(ranker.recipe_.command.replace("TRAIN", "train.txt").replace("MODEL", "recipe.model"))
    command(folder, *words[1:])
    assert (folder / "recipe.model").read_bytes() == ranker.to_bytes()


def test_csv_and_frame(folder):
    pandas = pytest.importorskip("pandas")
    X, y, qid = arrays(12)
    frame = pandas.DataFrame(X, columns=[f"name{i}" for i in range(X.shape[1])])
    frame.insert(0, "label", y.astype(int))
    frame.insert(1, "qid", qid)
    frame.to_csv(folder / "train.csv", index=False)
    command(folder, "train", "--train", "train.csv", "--rounds", "4", "-o", "csv.model")
    expected = (folder / "csv.model").read_bytes()
    ranker = Ranker(query="qid", rounds=4).fit(frame.drop(columns="label"), frame["label"])
    assert ranker.to_bytes() == expected
    assert Ranker(rounds=4).fit(folder / "train.csv").to_bytes() == expected
    assert np.array_equal(ranker.predict(folder / "train.csv"), ranker.predict(frame.drop(columns="label")))


def test_weights(folder):
    X, y, qid = arrays(12)
    weight = np.round(np.linspace(0.5, 2, len(y)), 3)
    (folder / "weights.txt").write_text("".join(f"{w}\n" for w in weight))
    command(folder, "train", "--train", "train.txt", "--row-weights", "weights.txt", "--rounds", "4", "-o",
            "weighted.model")
    ranker = Ranker(rounds=4).fit(X, y, qid, sample_weight=weight)
    assert ranker.to_bytes() == (folder / "weighted.model").read_bytes()


def test_scores_of_the_command(folder):
    ranker = Ranker(rounds=5).fit(folder / "train.txt")
    ranker.save(folder / "scored.model")
    command(folder, "score", "scored.model", "valid.txt", "-o", "scores.txt")
    assert np.allclose(np.loadtxt(folder / "scores.txt"), ranker.predict(folder / "valid.txt"), rtol=1e-12)


def test_command_resumes_a_checkpoint_of_python(folder):
    ranker = Ranker(rounds=6)

    def stop(state):
        if state.round == 3:
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        ranker.fit(folder / "train.txt", callbacks=[stop])
    (folder / "resumed.model.checkpoint").write_bytes(ranker.checkpoint_)
    command(folder, "train", "--train", "train.txt", "--rounds", "6", "--resume", "-o", "resumed.model")
    expected = Ranker(rounds=6).fit(folder / "train.txt").to_bytes()
    assert (folder / "resumed.model").read_bytes() == expected
