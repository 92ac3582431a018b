# SPDX-License-Identifier: Apache-2.0
"""Charts by matplotlib, in the colours of the report page.

Every function draws on the Axes `ax`, or on those of a new figure, and returns them. The palette is
safe for colour-blind readers, and series differ in dash or marker as well.
"""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _html
from .postprocessing import Reliability
from .postprocessing import reliability as measure_reliability
from .comparison import Comparison
from .comparison import compare as compare_systems
from .evaluation import Evaluation, named_systems, need_model
from .report import Reproduction
from .explanation import (Explanation, PartialDependence, PermutationImportance, feature_labels,
                          partial_dependence)

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # type: ignore[import]

INK, QUIET, GRID = _html.LIGHT["ink"], _html.LIGHT["quiet"], _html.LIGHT["grid"]
GOOD, BAD = _html.LIGHT["good"], _html.LIGHT["bad"]
SERIES = _html.SERIES
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)), (0, (1, 1)),
                            (0, (9, 3)), (0, (3, 1, 1, 1)), (0, (3, 5)))
_MARKERS = "osD^vPX*"


def _axes(ax: Axes | None, width: float = 6.4, height: float = 4.0) -> Axes:
    """The Axes to draw on."""
    if ax is None:
        try:
            import matplotlib.pyplot as plt  # type: ignore[import]
        except ImportError:
            raise ImportError("gradus.plot needs matplotlib, which is not installed (pip install "
                              "matplotlib)") from None
        ax = plt.subplots(figsize=(width, height), layout="constrained")[1]
    return ax


def _dress(ax: Axes, title: str, x: str, y: str, grid: str = "y") -> Axes:
    """Titles, labels and a light grid."""
    ax.set_title(title, loc="left", color=INK, fontsize=12, fontweight="semibold", pad=10)
    ax.set_xlabel(x, color=QUIET)
    ax.set_ylabel(y, color=QUIET)
    ax.tick_params(colors=QUIET, length=0)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(_html.LIGHT["rule"])
    ax.set_axisbelow(True)
    ax.grid(True, axis=grid, color=GRID, linewidth=1)
    return ax


def _legend(ax: Axes, **options: Any) -> None:
    ax.legend(frameon=False, labelcolor=INK, fontsize=9.5, handlelength=2.6, **options)


def _named(systems: Any) -> dict[str, Any]:
    given = named_systems(systems)
    if len(given) > len(SERIES):
        raise ValueError(f"a chart shows at most {len(SERIES)} systems, found {len(given)}")
    return given


# ---- learning curves

def _curve_of(model: _core.Model) -> tuple[Any, Any, Any]:
    rounds, train, valid = model.curve()
    return (np.frombuffer(rounds, dtype=np.uint64).astype(np.float64),
            np.frombuffer(train, dtype=np.float64), np.frombuffer(valid, dtype=np.float64))


def curve(ranker: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the learning curve of an estimator, or of several.

    Parameters
    ----------
    ranker : fitted estimator, path of a model file, or dict or list of them
        One: training and validation data. Several: validation data of each (training data, if there
        are no others).
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    models = {name: need_model(system, "curve") for name, system in _named(ranker).items()}
    metric, drawn = "", 0
    ax = _axes(ax)
    for i, (name, model) in enumerate(models.items()):
        rounds, train, valid = _curve_of(model)
        info = model.info()
        metric = metric or str(info["metric"])
        series = {"train": train, "valid": valid}
        if len(models) > 1:
            seen = "valid" if np.isfinite(valid).any() else "train"
            series = {f"{name} ({seen})": series[seen]}
        for k, (label, values) in enumerate(series.items()):
            there = np.isfinite(values)
            if not there.any():
                continue
            at = i + k if len(models) == 1 else i
            ax.plot(rounds[there], values[there], color=SERIES[at], linestyle=_DASHES[at],
                    linewidth=2, label=f"{label} {values[there][-1]:.4f}",
                    marker="o" if there.sum() == 1 else None)
            drawn += 1
        if info["best_round"] and len(models) == 1:
            ax.axvline(info["best_round"], color=QUIET, linewidth=1, linestyle=":",
                       label=f"best round {info['best_round']}")
    if drawn == 0:
        raise ValueError("no learning curve: the estimator was trained without a metric, or not in "
                         "rounds")
    _dress(ax, f"{metric} by round", "round", metric)
    _legend(ax)
    return ax


# ---- calibration

def reliability(ranker: Any, data: Any = None, *, bins: int = 10, ax: Axes | None = None) -> Axes:
    """Draw the reliability diagram: observed frequencies against predicted probabilities.

    Parameters
    ----------
    ranker : fitted estimator with grade probabilities, dict or list of them, or Reliability
        What to draw. Points below the diagonal are overconfident.
    data : Dataset, or what `gradus.as_dataset` converts to one
        Held-out rows; not needed for a `Reliability`.
    bins : int
        Number of bins.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    if isinstance(ranker, Reliability):
        measured = {"": ranker}
    elif data is None:
        raise TypeError("reliability: held-out data are needed")
    else:
        measured = {name: system if isinstance(system, Reliability)
                    else measure_reliability(system, data, bins)
                    for name, system in _named(ranker).items()}
    ax = _axes(ax, 5.2, 5.0)
    ax.plot([0, 1], [0, 1], color=QUIET, linewidth=1, linestyle=":", label="perfect calibration")
    for i, (name, found) in enumerate(measured.items()):
        there = np.isfinite(found.predicted)
        weight = found.weight[there]
        ax.plot(found.predicted[there], found.observed[there], color=SERIES[i],
                linestyle=_DASHES[i], linewidth=2,
                label=f"{name + ': ' if name else ''}calibration error {found.error:.4f}")
        ax.scatter(found.predicted[there], found.observed[there], color=SERIES[i],
                   marker=_MARKERS[i], s=18 + 160 * weight / max(weight.max(initial=0.0), 1e-300),
                   alpha=0.75, zorder=3)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal", adjustable="box")
    _dress(ax, "Reliability of P(grade or higher)", "predicted probability", "observed frequency",
           "both")
    _legend(ax, loc="upper left")
    return ax


# ---- comparisons

def compare(evaluation: Evaluation | Comparison, *, ax: Axes | None = None,
            **options: Any) -> Axes:
    """Draw the differences of systems with their confidence intervals.

    Parameters
    ----------
    evaluation : Evaluation or Comparison
        What to draw; an evaluation is compared with ``**options`` first.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    **options
        As for `gradus.compare`.

    Returns
    -------
    matplotlib.axes.Axes
    """
    found = (evaluation if isinstance(evaluation, Comparison)
             else compare_systems(evaluation, **options))
    rows = list(found)
    ax = _axes(ax, 6.4, 1.5 + 0.5 * len(rows))
    ax.axvline(0, color=QUIET, linewidth=1)
    for i, row in enumerate(rows):
        better = (row["difference"] < 0) == found.lower_is_better
        clear = row["p_adjusted"] < 1.0 - found.confidence
        colour = (GOOD if better else BAD) if clear else QUIET
        if not math.isnan(row["low"]):
            ax.plot([row["low"], row["high"]], [i, i], color=colour, linewidth=2.5,
                    solid_capstyle="butt")
        ax.plot([row["difference"]], [i], marker="o", markersize=8, color=colour,
                markerfacecolor=colour if clear else "white", markeredgewidth=2, linestyle="none")
        p = row["p_adjusted"]
        words = "" if math.isnan(p) else "p < .001" if p < 0.0005 else f"p = {p:.3f}"
        ax.annotate(f"{row['difference']:+.4f}   {words}", (row["difference"], i),
                    xytext=(0, 11), textcoords="offset points", ha="center", color=colour,
                    fontsize=9.5, bbox={"color": "white", "pad": 0.5}, zorder=1)
    ax.set_yticks(range(len(rows)), [f"{row['b']} - {row['a']}" for row in rows])
    ax.set_ylim(len(rows) - 0.5, -0.7)
    better = "lower" if found.lower_is_better else "higher"
    _dress(ax, f"Difference of {found.metric} ({better} is better)",
           f"{found.confidence:.0%} interval; {found.test} test, Holm-adjusted p", "", "x")
    ax.margins(x=0.12)
    ax.tick_params(axis="y", labelcolor=INK)
    return ax


# ---- explanations

def waterfall(explanation: Explanation, row: int = 0, *, count: int = 10, target: int = 0,
              ax: Axes | None = None) -> Axes:
    """Draw how the features lead from the reference to the score of a row.

    Parameters
    ----------
    explanation : Explanation
        From `gradus.explain`.
    row : int
        Position of the row in the explanation.
    count : int
        Features to show; the others are added up.
    target : int
        Position in ``explanation.targets``.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    steps, base, value = explanation.steps(row, count, target)
    ax = _axes(ax, 6.4, 1.6 + 0.36 * len(steps))
    total = base
    span = max(1e-12, *(abs(change) for _, change in steps)) if steps else 1.0
    for i, (_, change) in enumerate(steps):
        colour = GOOD if change >= 0 else BAD
        ax.barh(i, change, left=total, height=0.62, color=colour)
        right = max(total, total + change)
        ax.annotate(f"{change:+.4f}", (right, i), xytext=(4, 0), textcoords="offset points",
                    va="center", color=colour, fontsize=9.5)
        total += change
        if i + 1 < len(steps):
            ax.plot([total, total], [i - 0.31, i + 1.31], color=QUIET, linewidth=0.8)
    ax.axvline(base, color=QUIET, linewidth=1, linestyle=":", zorder=0)
    ax.axvline(value, color=INK, linewidth=1, zorder=0)
    ax.set_yticks(range(len(steps)), [_html.shorten(name, 34) for name, _ in steps])
    ax.set_ylim(max(len(steps), 1) - 0.4, -0.6)
    low, high = ax.get_xlim()
    ax.set_xlim(low - 0.02 * span, high + 0.16 * (high - low))
    name = explanation.targets[target]
    at = int(explanation.rows[row])
    _dress(ax, f"{name} of row {at}: {value:.4f}",
           f"from {base:.4f} ({explanation.base_name(row)}) to {value:.4f}", "", "x")
    ax.tick_params(axis="y", labelcolor=INK)
    return ax


def importance(ranker: Any, *, count: int = 20, ax: Axes | None = None) -> Axes:
    """Draw the importance of features.

    Parameters
    ----------
    ranker : fitted estimator, path of a model file, PermutationImportance or Explanation
        An estimator: its gains (trees) or the like; an explanation: mean absolute contributions.
    count : int
        Maximum number of features.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    names, sizes, low, high, title, x = _importance_of(ranker)
    order = [int(i) for i in np.argsort(-sizes, kind="stable")[:count] if sizes[i] != 0.0]
    if not order:
        raise ValueError("no feature is important: all importances are 0")
    ax = _axes(ax, 6.4, 1.4 + 0.27 * len(order))
    ax.barh(range(len(order)), sizes[order], height=0.66, color=SERIES[0])
    if low is not None and np.isfinite(low[order]).all():
        ax.hlines(range(len(order)), low[order], high[order], color=INK, linewidth=1.5)
    ax.set_yticks(range(len(order)), [_html.shorten(names[i], 30) for i in order])
    ax.set_ylim(len(order) - 0.4, -0.6)
    _dress(ax, title, x, "", "x")
    ax.tick_params(axis="y", labelcolor=INK)
    return ax


def _importance_of(of: Any) -> tuple[list[str], Any, Any, Any, str, str]:
    if isinstance(of, PermutationImportance):
        return (of.feature_names, of.importance, of.low, of.high, "Permutation importance",
                f"decrease of {of.metric}, with 95% interval")
    if isinstance(of, Explanation):
        return (of.feature_names, of.importance(), None, None, "Importance of features",
                f"mean |contribution| to {of.targets[0]}, {len(of.rows)} rows")
    model = need_model(of, "importance")
    info = model.info()
    gains = np.frombuffer(model.importance()[0], dtype=np.float64)
    total = float(gains.sum())
    name = str(info["gain_name"]) or "importance"
    return (feature_labels(model), gains / total * 100 if total > 0 else gains, None, None,
            "Importance of features", f"{name}, % of the total")


def dependence(ranker: Any, data: Any = None, feature: int | str | None = None, *,
               points: int = 20, ax: Axes | None = None) -> Axes:
    """Draw how scores depend on a feature.

    Parameters
    ----------
    ranker : fitted estimator, path of a model file, or PartialDependence
        The model.
    data : Dataset, or what `gradus.as_dataset` converts to one
        Rows; not needed for a `PartialDependence`.
    feature : int or str
        Column from 0 (int), or name or id (str).
    points : int
        Maximum number of values of the feature.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    if isinstance(ranker, PartialDependence):
        found = ranker
    elif data is None or feature is None:
        raise TypeError("dependence: data and a feature are needed")
    else:
        found = partial_dependence(ranker, data, feature, points)
    ax = _axes(ax)
    if np.isfinite(found.low).all():
        ax.fill_between(found.value, found.low, found.high, color=SERIES[0], alpha=0.18,
                        linewidth=0, label="95% interval over queries")
    ax.axhline(0, color=QUIET, linewidth=1)
    ax.plot(found.value, found.effect, color=SERIES[0], linewidth=2, marker="o", markersize=4,
            label="mean change of the score")
    _dress(ax, f"Dependence of the score on {found.name}", found.name, "change of the mean score")
    _legend(ax)
    return ax


def metrics(evaluation: Evaluation, metric: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the distribution over queries of a metric, one box per system.

    Parameters
    ----------
    evaluation : Evaluation
        From `gradus.evaluate`.
    metric : str, optional
        Which metric; default: the first.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    used = evaluation.metrics[0] if metric is None else metric
    ax = _axes(ax, 6.4, 1.5 + 0.5 * len(evaluation.systems))
    values = [evaluation.by_query[s][used] for s in evaluation.systems]
    boxes = ax.boxplot([v[np.isfinite(v)] for v in values], vert=False, widths=0.5, whis=(5, 95),
                       showfliers=False, patch_artist=True, medianprops={"color": INK})
    for i, box in enumerate(boxes["boxes"]):
        box.set(facecolor="white", edgecolor=SERIES[i % len(SERIES)], linewidth=2)
    means = [evaluation[s, used] for s in evaluation.systems]
    ax.plot(means, range(1, len(means) + 1), linestyle="none", marker="D", color=INK, markersize=6,
            label="mean")
    ax.set_yticks(range(1, len(means) + 1),
                  [_html.shorten(s, 30) for s in evaluation.systems])
    ax.invert_yaxis()
    _dress(ax, f"{used} by query", f"box: quartiles, whiskers: 5% to 95%; convention "
           f"{evaluation.convention}", "", "x")
    ax.tick_params(axis="y", labelcolor=INK)
    _legend(ax, loc="best")
    return ax


def figure(reproduction: Reproduction, index: int = 0, *, ax: Axes | None = None) -> Axes:
    """Draw a figure of a reproduced experiment.

    Parameters
    ----------
    reproduction : Reproduction
        From `gradus.reproduce`.
    index : int
        Which of its figures.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    content = reproduction.figures[index]
    ax = _axes(ax)
    for i, series in enumerate(content["series"]):
        x, y = (np.array([np.nan if v is None else v for v in series[name]], dtype=np.float64)
                for name in ("x", "y"))
        theory = bool(series["theory"])
        ax.plot(x, y, color=QUIET if theory else SERIES[i % len(SERIES)], label=series["name"],
                linestyle=_DASHES[i % len(_DASHES)], linewidth=1.2 if theory else 2)
    _dress(ax, _html.shorten(content["title"], 70), content["x"], content["y"])
    _legend(ax)
    return ax


__all__: Sequence[str] = ["compare", "curve", "dependence", "figure", "importance", "metrics",
                          "reliability", "waterfall"]
