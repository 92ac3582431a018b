# SPDX-License-Identifier: Apache-2.0
"""The parameter device: the plug-in of the tests runs the kernels for CUDA as C."""
from __future__ import annotations

from pathlib import Path

import gradus
import numpy as np
import pytest

PLUGIN = Path(gradus.__file__).parents[2] / "tests" / "plugins" / "libgradus-cuda.so"


def make_rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 5)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.clip(np.nan_to_num(X[:, 0]) * 1.5 + 1, 0, 4).astype(int)
    return X, y, np.repeat(np.arange(40), 10)


def test_a_device_gives_the_same_model_and_scores() -> None:
    X, y, qid = make_rows()
    cpu = gradus.Ranker("lambdamart", rounds=4).fit(X, y, qid)
    device = gradus.Ranker("lambdamart", rounds=4, device=str(PLUGIN)).fit(X, y, qid)
    assert device.model_.to_bytes() == cpu.model_.to_bytes()
    assert np.array_equal(device.predict(X), cpu.predict(X))


def test_what_a_device_cannot_train_is_refused() -> None:
    X, y, qid = make_rows()
    with pytest.raises(gradus.ArgumentError, match="cannot be trained on a GPU"):
        gradus.Ranker("ranksvm", device=PLUGIN).fit(np.nan_to_num(X), y, qid)
    gradus.Ranker("ranksvm", device="cpu").fit(np.nan_to_num(X), y, qid)  # the context has no device left


def test_bad_devices() -> None:
    X, y, qid = make_rows()
    with pytest.raises(gradus.Error, match="cannot open"):
        gradus.Ranker(device="/nonexistent.so").fit(X, y, qid)
    with pytest.raises(ValueError, match="device='auto' is for the command only: choose 'cpu' or 'cuda'"):
        gradus.Ranker(device="auto").fit(X, y, qid)
    with pytest.raises(ValueError, match="device must be 'cpu', 'cuda' or the path of a plug-in, not 'gpu'"):
        gradus.Ranker(device="gpu").fit(X, y, qid)
    with pytest.raises(TypeError, match="device must be"):
        gradus.Ranker(device=1).fit(X, y, qid)
