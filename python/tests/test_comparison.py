# SPDX-License-Identifier: Apache-2.0
"""compare: statistics and p-values of scipy, signs of errors, baselines, words."""
from __future__ import annotations

import itertools

import numpy as np
import pytest

import gradus
from gradus.evaluation import Evaluation


def made_up(values: dict[str, np.ndarray], lower: bool = False) -> Evaluation:
    """An evaluation with given values by query."""
    return Evaluation({name: {
        "convention": "gradus", "switches": "", "query_names": None,
        "results": [{"metric": "rmse" if lower else "ndcg@10", "mean": float(np.nanmean(v)),
                     "counted": int(np.isfinite(v).sum()), "empty": 0, "short_lists": 0,
                     "by_query": np.asarray(v, np.float64).tobytes(), "lower_is_better": lower,
                     "geometric": False}]} for name, v in values.items()})


def samples(seed: int, queries: int, shift: float = 0.05) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    a = rng.random(queries)
    return {"a": a, "b": np.clip(a + rng.normal(shift, 0.2, queries), 0, 1)}


@pytest.mark.parametrize("seed", range(5))
def test_t_and_welch_equal_scipy(seed: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    values = samples(seed, 35)
    e = made_up(values)
    row = gradus.compare(e, test="t")[0]
    paired = stats.ttest_rel(values["b"], values["a"])
    assert row["statistic"] == pytest.approx(paired.statistic, rel=1e-10)
    assert row["p"] == pytest.approx(paired.pvalue, rel=1e-8)
    assert row["df"] == 34
    d = values["b"] - values["a"]
    reach = stats.t.ppf(0.975, 34) * d.std(ddof=1) / np.sqrt(35)
    interval = (d.mean() - reach, d.mean() + reach)
    assert (row["low"], row["high"]) == pytest.approx(interval, rel=1e-8)
    one = gradus.compare(e, test="t", sided=1)[0]
    assert one["p"] == pytest.approx(
        stats.ttest_rel(values["b"], values["a"], alternative="greater").pvalue, rel=1e-8)
    welch = stats.ttest_ind(values["b"], values["a"], equal_var=False)
    assert gradus.compare(e, test="welch")[0]["p"] == pytest.approx(welch.pvalue, rel=1e-8)


@pytest.mark.parametrize("queries", [12, 30, 80])
def test_wilcoxon_equals_scipy(queries: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(queries)
    a = rng.random(queries)
    b = a + rng.normal(0.1, 0.3, queries)  # no ties, no zeros
    row = gradus.compare(made_up({"a": a, "b": b}), test="wilcoxon")[0]
    mode = "exact" if queries < 50 else "approx"
    expected = stats.wilcoxon(b, a, mode=mode, correction=mode == "approx")
    assert row["p"] == pytest.approx(expected.pvalue, rel=1e-8)


def test_randomization_equals_enumeration() -> None:
    values = samples(7, 10, 0.1)
    d = values["b"] - values["a"]
    sums = [abs(np.dot(signs, d)) for signs in itertools.product((-1, 1), repeat=10)]
    expected = np.mean(np.array(sums) >= abs(d.sum()) - 1e-12)
    row = gradus.compare(made_up(values), test="randomization")[0]
    assert row["p"] == pytest.approx(expected, abs=1e-12)


def test_randomization_is_near_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    values = samples(8, 60, 0.04)
    row = gradus.compare(made_up(values), resamples=20000)[0]
    expected = stats.permutation_test(
        (values["b"], values["a"]), lambda x, y, axis: np.mean(x - y, axis=axis), vectorized=True,
        permutation_type="samples", n_resamples=20000, random_state=1).pvalue
    assert row["p"] == pytest.approx(expected, abs=0.012)
    again = gradus.compare(made_up(values), resamples=20000, threads=2)[0]
    assert again["p"] == row["p"]


def test_counts_and_missing_queries() -> None:
    a = np.array([0.1, 0.2, 0.3, np.nan, 0.5])
    b = np.array([0.2, 0.2, 0.1, 0.9, 0.8])
    row = gradus.compare(made_up({"a": a, "b": b}), test="t")["a", "b"]
    assert (row["queries"], row["wins"], row["ties"], row["losses"]) == (4, 2, 1, 1)
    assert row["difference"] == pytest.approx(np.nanmean(b - a))
    with pytest.raises(KeyError, match="no comparison"):
        gradus.compare(made_up({"a": a, "b": b}))["b", "a"]


def test_sign_of_errors() -> None:
    """For errors, lower is better: wins are queries with the lower value."""
    values = samples(9, 40, -0.2)
    up = gradus.compare(made_up(values), test="t")
    down = gradus.compare(made_up(values, True), test="t")
    assert down[0]["difference"] == pytest.approx(up[0]["difference"]) and down[0]["difference"] < 0
    assert (down[0]["low"], down[0]["high"]) == pytest.approx((up[0]["low"], up[0]["high"]))
    assert down[0]["statistic"] == pytest.approx(up[0]["statistic"])
    assert (down[0]["wins"], down[0]["losses"]) == (up[0]["losses"], up[0]["wins"])
    assert "b is worse than a by" in repr(up) and "b is better than a by" in repr(down)
    assert "lower is better" in repr(down)
    one = gradus.compare(made_up(values, True), test="t", sided=1)[0]
    assert one["p"] == pytest.approx(down[0]["p"] / 2, rel=1e-8)


def test_holm_and_baseline() -> None:
    rng = np.random.default_rng(10)
    base = rng.random(50)
    values = {name: base + rng.normal(shift, 0.2, 50)
              for name, shift in (("a", 0.0), ("b", 0.1), ("c", 0.05), ("d", 0.0))}
    every = gradus.compare(made_up(values), test="t")
    assert [(r["a"], r["b"]) for r in every] == list(itertools.combinations("abcd", 2))
    assert [r["p_adjusted"] for r in every] == pytest.approx(holm([r["p"] for r in every]))
    against = gradus.compare(made_up(values), test="t", baseline="c")
    assert [(r["a"], r["b"]) for r in against] == [("c", "a"), ("c", "b"), ("c", "d")]
    assert [r["p_adjusted"] for r in against] == pytest.approx(holm([r["p"] for r in against]))
    assert against["c", "a"]["difference"] == pytest.approx(-every["a", "c"]["difference"])


def holm(p: list[float]) -> list[float]:
    order = np.argsort(p)
    adjusted, most = [0.0] * len(p), 0.0
    for i, at in enumerate(order):
        most = max(most, min(1.0, (len(p) - i) * p[at]))
        adjusted[at] = most
    return adjusted


def test_words() -> None:
    a = np.linspace(0.1, 0.9, 40)
    b = a + 0.0123 + 0.02 * np.sin(np.arange(40))
    c = a + 0.001 * np.cos(np.arange(40))
    two = gradus.compare(made_up({"a": a, "b": b}), test="t")
    row = two[0]
    expected = (f"b is better than a by {row['difference']:.4f} [{row['low']:.4f}, "
                f"{row['high']:.4f}], p < .001").replace("0.", ".")
    assert two.sentences() == [expected] and expected in repr(two)
    three = gradus.compare(made_up({"a": a, "b": b, "c": c}), test="t")
    words = three.sentences()
    assert "(Holm-adjusted < .001)" in words[0]
    assert words[1].endswith("not significant") and " 0." not in " ".join(words)
    same = gradus.compare(made_up({"a": a, "b": a.copy()}), test="t")
    assert same.sentences()[0].startswith("b equals a on average")


def test_changes_and_frame() -> None:
    values = {"a": np.array([0.1, 0.5, np.nan, 0.3]), "b": np.array([0.2, 0.1, 0.5, 0.3])}
    c = gradus.compare(made_up(values), test="t")
    assert c.changes(0, 2) == [("2", pytest.approx(-0.4)), ("1", pytest.approx(0.1))]
    pytest.importorskip("pandas")
    assert list(c.frame["b"]) == ["b"] and c.frame["p"][0] == c[0]["p"]


def test_errors() -> None:
    values = samples(1, 20)
    e = made_up(values)
    with pytest.raises(TypeError, match="expected an Evaluation"):
        gradus.compare(values)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 2 systems, found 1"):
        gradus.compare(made_up({"a": values["a"]}))
    with pytest.raises(ValueError, match="baseline 'z' was not evaluated: a, b"):
        gradus.compare(e, baseline="z")
    with pytest.raises(ValueError, match="metric 'map' was not evaluated: ndcg@10"):
        gradus.compare(e, metric="map")
    with pytest.raises(ValueError, match="sign"):
        gradus.compare(e, test="sign")
    data = gradus.synth.web(queries=5)
    gmap = gradus.evaluate(data, {"a": "feature:3", "b": "random"}, "gmap")
    with pytest.raises(ValueError, match="geometric"):
        gradus.compare(gmap)
    assert gradus.evaluate(data, ["feature:3", "random"]).compare(test="t")[0]["queries"] <= 5
