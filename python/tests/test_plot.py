# SPDX-License-Identifier: Apache-2.0
"""Charts: the artists show the right data."""
from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot as plt  # noqa: E402

import gradus  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::gradus.GradusWarning")


@pytest.fixture(autouse=True)
def close():  # type: ignore[no-untyped-def]
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def data() -> gradus.Dataset:
    return gradus.synth.web(queries=20)


@pytest.fixture(scope="module")
def valid() -> gradus.Dataset:
    return gradus.synth.web(queries=12, seed=2)


@pytest.fixture(scope="module")
def ranker(data: gradus.Dataset, valid: gradus.Dataset) -> gradus.Ranker:
    return gradus.Ranker("mcrank", rounds=15, leaves=4).fit(data, eval_set=valid)


def drawn(ax) -> None:  # type: ignore[no-untyped-def]
    """The chart can be rendered, and nothing is cut off."""
    assert isinstance(ax, matplotlib.axes.Axes) and ax.get_title(loc="left")
    ax.figure.canvas.draw()
    box = ax.get_tightbbox()
    width, height = ax.figure.canvas.get_width_height()
    assert box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1


def test_curve(ranker, data) -> None:  # type: ignore[no-untyped-def]
    ax = gradus.plot.curve(ranker)
    drawn(ax)
    lines = {line.get_label().split()[0]: line for line in ax.get_lines()}
    curve = ranker.curve_
    there = np.isfinite(curve["valid"])
    assert np.array_equal(lines["valid"].get_xdata(), curve["round"][there])
    assert np.array_equal(lines["valid"].get_ydata(), curve["valid"][there])
    assert lines["best"].get_xdata()[0] == ranker.model_.info()["best_round"]
    other = gradus.Ranker("regression", rounds=5).fit(data)
    several = gradus.plot.curve({"a": ranker, "b": other})
    drawn(several)
    assert [line.get_label().rsplit(" ", 1)[0] for line in several.get_lines()] == [
        "a (valid)", "b (train)"]
    assert len({line.get_color() for line in several.get_lines()}) == 2
    assert len({line.get_linestyle() for line in several.get_lines()}) == 2
    linear = gradus.Ranker("regression", learner="linear").fit(data)
    if not len(linear.curve_["round"]):
        with pytest.raises(ValueError, match="no learning curve"):
            gradus.plot.curve(linear)


def test_reliability(ranker, valid) -> None:  # type: ignore[no-untyped-def]
    found = gradus.reliability(ranker, valid)
    ax = gradus.plot.reliability(ranker, valid)
    drawn(ax)
    there = np.isfinite(found.predicted)
    diagonal, line = ax.get_lines()
    assert np.array_equal(line.get_xdata(), found.predicted[there])
    assert np.array_equal(line.get_ydata(), found.observed[there])
    assert f"{found.error:.4f}" in line.get_label() and list(diagonal.get_ydata()) == [0, 1]
    drawn(gradus.plot.reliability(found))
    better = gradus.calibrate(ranker, valid, "isotonic")
    assert len(gradus.plot.reliability({"a": ranker, "b": better}, valid).get_lines()) == 3
    with pytest.raises(TypeError, match="held-out data"):
        gradus.plot.reliability(ranker)


def test_compare(ranker, valid) -> None:  # type: ignore[no-untyped-def]
    e = gradus.evaluate(valid, {"ours": ranker, "random": "random", "one": "feature:3"})
    ax = gradus.plot.compare(e, test="t")
    drawn(ax)
    rows = gradus.compare(e, test="t")
    assert [t.get_text() for t in ax.get_yticklabels()] == [f"{r['b']} - {r['a']}" for r in rows]
    points = [line.get_xdata()[0] for line in ax.get_lines() if line.get_marker() == "o"]
    assert points == [r["difference"] for r in rows]
    spans = [tuple(line.get_xdata()) for line in ax.get_lines()[1:] if len(line.get_xdata()) == 2]
    assert spans == [(r["low"], r["high"]) for r in rows]
    drawn(gradus.plot.compare(rows))


def test_waterfall(ranker, valid) -> None:  # type: ignore[no-untyped-def]
    x = ranker.explain(valid, rows=[0, 4], against="query", output=1)
    ax = gradus.plot.waterfall(x, 1, count=5)
    drawn(ax)
    steps, base, value = x.steps(1, 5)
    bars = ax.patches
    assert [bar.get_width() for bar in bars] == pytest.approx([change for _, change in steps])
    assert bars[0].get_x() == pytest.approx(base)
    assert bars[-1].get_x() + bars[-1].get_width() == pytest.approx(value)
    assert f"{value:.4f}" in ax.get_title(loc="left") and "row 4" in ax.get_title(loc="left")


def test_importance(ranker, valid) -> None:  # type: ignore[no-untyped-def]
    ax = gradus.plot.importance(ranker, count=6)
    drawn(ax)
    shares = np.sort(ranker.feature_importances_)[::-1][:6] * 100
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(list(shares))
    p = gradus.permutation_importance(ranker, valid, repeats=2)
    permuted = gradus.plot.importance(p, count=4)
    drawn(permuted)
    assert [bar.get_width() for bar in permuted.patches] == pytest.approx(
        list(np.sort(p.importance)[::-1][:4]))
    assert [t.get_text() for t in permuted.get_yticklabels()] == [
        p.feature_names[i] for i in p.order()[:4]]
    x = ranker.explain(valid, rows=slice(0, 5), output=1)
    drawn(gradus.plot.importance(x))


def test_dependence_and_metrics(ranker, valid) -> None:  # type: ignore[no-untyped-def]
    feature = int(np.argmax(ranker.feature_importances_))
    d = gradus.partial_dependence(ranker, valid, feature, 5)
    ax = gradus.plot.dependence(ranker, valid, feature, points=5)
    drawn(ax)
    assert np.array_equal(ax.get_lines()[-1].get_ydata(), d.effect)
    assert d.name in ax.get_title(loc="left")
    with pytest.raises(TypeError, match="data and a feature"):
        gradus.plot.dependence(ranker)
    e = gradus.evaluate(valid, {"ours": ranker, "random": "random"}, "ndcg@10,map")
    ax = gradus.plot.metrics(e, "map")
    drawn(ax)
    assert list(ax.get_lines()[-1].get_xdata()) == [e["ours", "map"], e["random", "map"]]


def test_given_axes(ranker, valid) -> None:  # type: ignore[no-untyped-def]
    figure, (left, right) = plt.subplots(1, 2)
    assert gradus.plot.curve(ranker, ax=left) is left
    assert gradus.plot.importance(ranker, ax=right) is right
    assert len(plt.get_fignums()) == 1


def test_matplotlib_is_imported_late() -> None:
    code = ("import sys, gradus; sys.exit(any(m in sys.modules for m in "
            "('matplotlib', 'pandas', 'scipy', 'sklearn', 'IPython')))")
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
