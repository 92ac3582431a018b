# SPDX-License-Identifier: Apache-2.0
"""What notebooks show: well-formed HTML that needs nothing from elsewhere, in light and dark."""
from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import gradus
from gradus import _html
from gradus._tables import text_table

pytestmark = pytest.mark.filterwarnings("ignore::gradus.GradusWarning")
VOID = {"br", "hr", "img", "input", "meta", "link", "line", "rect", "circle", "polyline", "path"}


class Checker(HTMLParser):
    """Checks that tags match, and collects what is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag, attrs) -> None:  # type: ignore[no-untyped-def]
        self.tags.append(tag)
        for name, value in attrs:
            assert name not in ("src", "href", "onclick", "onload"), (tag, name)
            assert value is not None and "url(" not in value
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs) -> None:  # type: ignore[no-untyped-def]
        self.handle_starttag(tag, attrs)
        assert tag in VOID

    def handle_endtag(self, tag) -> None:  # type: ignore[no-untyped-def]
        assert self.open and self.open.pop() == tag

    def handle_data(self, data) -> None:  # type: ignore[no-untyped-def]
        if "style" not in self.open:
            self.texts.append(data)


def checked(html: str) -> Checker:
    found = Checker()
    found.feed(html)
    found.close()
    assert not found.open and "script" not in found.tags
    assert not re.search(r"https?://|@import|nan|None|inf(?!o)", html.split("</style>", 1)[-1])
    assert html.startswith('<div class="gradus"><style>')
    return found


@pytest.fixture(scope="module")
def things() -> dict[str, object]:
    data, valid = gradus.synth.web(queries=15), gradus.synth.web(queries=10, seed=2)
    ranker = gradus.Ranker("mcrank", rounds=12, leaves=4).fit(data, eval_set=valid)
    e = gradus.evaluate(valid, {"<b>&\"": ranker, "random": "random"}, "ndcg@10,map")
    x = ranker.explain(valid, rows=[0, 1], output=1)
    return {
        "ranker": ranker, "unfitted": gradus.Ranker("mcrank"), "evaluation": e,
        "comparison": gradus.compare(e), "row": x[0], "explanation": x,
        "reliability": gradus.reliability(ranker, valid),
        "permutation": gradus.permutation_importance(ranker, valid, repeats=1),
        "dependence": gradus.partial_dependence(ranker, valid, 3, 4),
        "tuning": gradus.tune(data, "regression", 3, budget=1, space={"rounds": 3}),
        "methods": gradus.methods(), "metrics": gradus.metrics(), "costs": gradus.costs(),
        "conventions": gradus.conventions(), "formats": gradus.export_formats(),
        "importers": gradus.import_formats(), "tests": gradus.significance_tests(),
        "experiments": gradus.experiments(), "parameters": gradus.parameters("evaluate"),
        "learners": gradus.learners(), "objectives": gradus.objectives(),
    }


def test_every_fragment(things) -> None:  # type: ignore[no-untyped-def]
    for name, thing in things.items():
        found = checked(thing._repr_html_())
        assert "".join(found.texts).strip(), name
        assert repr(thing) and "</" not in repr(thing), name


def test_names_are_escaped(things) -> None:  # type: ignore[no-untyped-def]
    html = things["evaluation"]._repr_html_()
    assert "<b>" not in html and "&lt;b&gt;&amp;&quot;" in html
    assert '<b>&"' in checked(html).texts


def test_charts(things) -> None:  # type: ignore[no-untyped-def]
    for name, tag in (("ranker", "polyline"), ("row", "rect"), ("explanation", "rect")):
        found = checked(things[name]._repr_html_())
        assert found.tags.count("svg") == 1 and tag in found.tags, name


def test_table_values(things) -> None:  # type: ignore[no-untyped-def]
    e = things["evaluation"]
    texts = checked(e._repr_html_()).texts
    for system in e:
        for metric in e.metrics:
            assert f"{e[system, metric]:.4f}" in texts
    assert 'class="best"' in e._repr_html_()


def luminance(colour: str) -> float:
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_contrast_in_both_themes() -> None:
    for theme in (_html.LIGHT, _html.DARK):
        for name, colour in theme.items():
            if name in ("card", "rule", "grid", "wash"):
                continue
            a, b = sorted((luminance(colour), luminance(theme["card"])))
            assert (b + 0.05) / (a + 0.05) >= 4.5, name


def test_colours_are_those_of_the_report() -> None:
    import pathlib
    css = pathlib.Path(__file__).parents[2] / "web" / "report.css"
    if not css.exists():
        pytest.skip("no web/report.css beside the tests")
    light, dark = css.read_text().split(":root[data-theme='dark']", 1)
    for name, colour in _html.LIGHT.items():
        assert f"--{name}: {colour};" in light
        assert f"--{name}: {_html.DARK[name]};" in dark


def test_card_and_curve() -> None:
    rounds = [10.0, 20.0, 30.0]
    svg = _html.curve_svg(rounds, {"train": [0.5, 0.6, 0.7], "valid": [0.5, np.nan, 0.55]},
                          metric="ndcg@10", best=20)
    found = checked(_html.card("Title", [("rounds", 30)], svg, note="a note"))
    assert found.tags.count("polyline") == 2
    assert {"Title", "rounds", "30", "a note", "train 0.7000", "valid 0.5500"} <= set(found.texts)
    assert _html.curve_svg([1.0], {"train": [0.5]}) == ""
    assert _html.curve_svg([], {}) == ""
    flat = _html.curve_svg([1.0, 2.0], {"train": [0.5, 0.5]})
    assert "polyline" in flat and "nan" not in flat


def test_ticks() -> None:
    for low, high in ((0.0, 1.0), (0.512, 0.547), (-3.0, 250.0), (1e-9, 3e-9)):
        found = _html.ticks(low, high)
        assert 2 <= len(found) <= 7
        assert all(low - 1e-12 <= t <= high * (1 + 1e-9) for t in found)
    assert _html.ticks(2.0, 2.0) == [2.0] and _html.ticks(float("nan"), 1.0) == []


def test_text_tables() -> None:
    table = text_table(["name", "value"], [["a", "1.0"], ["long name", "22.5"]])
    assert table == "name       value\na            1.0\nlong name   22.5"
    wrapped = text_table(["n", "help"], [["a", "word " * 30]], (0, 1), width=40)
    assert all(len(line) <= 40 for line in wrapped.splitlines()) and "\n   word" in wrapped


def test_catalogues(things) -> None:  # type: ignore[no-untyped-def]
    assert "lambdamart" in gradus.methods().names() and "ndcg" in gradus.metrics().names()
    assert {"letor4", "xgboost"} <= set(gradus.conventions().names())
    formats = {row["name"]: row for row in gradus.export_formats()}
    assert formats["onnx"]["extension"] and formats["onnx"]["tolerance"] >= 0
    options = {row["name"]: row for row in gradus.parameters("train")}
    assert "leaves" in options and "lambda_" in options and "lambda" not in options
    assert gradus.parameters("compare")[0]["name"] == "test"
    pytest.importorskip("pandas")
    assert list(gradus.metrics().frame["name"]) == gradus.metrics().names()
    with pytest.raises(ValueError):
        gradus.parameters("no such operation")


def test_without_pandas(things, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    import builtins
    real = builtins.__import__

    def refuse(name, *rest, **more):  # type: ignore[no-untyped-def]
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    for name in ("evaluation", "comparison", "explanation", "tuning", "reliability", "metrics"):
        with pytest.raises(ImportError, match="needs pandas, which is not installed"):
            things[name].frame
