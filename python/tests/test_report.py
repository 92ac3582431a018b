# SPDX-License-Identifier: Apache-2.0
"""Report pages, and reproduction of experiments."""
from __future__ import annotations

import json
import re

import numpy as np
import pytest

import gradus

pytestmark = pytest.mark.filterwarnings("ignore::gradus.GradusWarning")
needs_page = pytest.mark.skipif(not gradus._core.report_available(),
                                reason="gradus was built without Chart.js")


@pytest.fixture(scope="module")
def data() -> gradus.Dataset:
    return gradus.synth.web(queries=12)


@pytest.fixture(scope="module")
def ranker(data: gradus.Dataset) -> gradus.Ranker:
    return gradus.Ranker("lambdamart", rounds=5).fit(data)


@needs_page
def test_report(data, ranker, tmp_path) -> None:  # type: ignore[no-untyped-def]
    ranker.save(tmp_path / "file.model")
    page = tmp_path / "page.html"
    path = gradus.report({"ours": ranker, "saved": tmp_path / "file.model", "x": "feature:3"}, page,
                         data={"my data": data}, title="A title", metrics="err@5",
                         convention="letor4", test="wilcoxon")
    assert path == str(page)
    text = page.read_text()
    for word in ("A title", "my data", "ours", "saved", "feature:3", "err@5", "letor4", "wilcoxon"):
        assert word in text, word
    assert not re.search(r'<(script|link|img)[^>]+(src|href)="(https?:)?//', text)
    value = gradus.evaluate(data, {"ours": ranker}, "err@5", convention="letor4")["ours", "err@5"]
    assert gradus._core.number_text(value)[:12] in text


@needs_page
def test_report_of_runs_and_files(data, ranker, tmp_path) -> None:  # type: ignore[no-untyped-def]
    journal, file = tmp_path / "j.jsonl", tmp_path / "d.txt"
    gradus.tune(data, "regression", 3, budget=1, space={"rounds": 3}, journal=journal)
    data.write(file)
    page = gradus.report([ranker, str(journal)], tmp_path / "p.html", data=str(file))
    text = open(page).read()
    assert "regression" in text and "d.txt" in text
    one = gradus.report(ranker, tmp_path / "q.html")
    assert "lambdamart" in open(one).read()


@needs_page
def test_errors(data, ranker, tmp_path) -> None:  # type: ignore[no-untyped-def]
    page = tmp_path / "p.html"
    for systems, options, kind, message in (
            ({"a": np.zeros(3)}, {}, TypeError, "system 'a': expected a fitted estimator"),
            ({"a": gradus.Ranker("lambdamart")}, {}, ValueError, "not fitted"),
            (ranker, {"titel": "x"}, ValueError, "titel"),
            ({}, {}, ValueError, "at least one system"),
            (ranker, {"data": data, "metrics": "nddcg"}, ValueError, "nddcg")):
        with pytest.raises(kind, match=message):
            gradus.report(systems, page, **options)
    assert not page.exists()


def test_reproduce(tmp_path) -> None:  # type: ignore[no-untyped-def]
    names = gradus.experiments().names()
    free = [row["name"] for row in gradus.experiments() if not row["needs"]]
    assert names and free
    with pytest.raises(ValueError, match="no-such"):
        gradus.reproduce("no-such")
    phases = []
    found = gradus.reproduce("multipartite-figure2", journal=tmp_path / "j.jsonl",
                             progress=lambda phase, part: phases.append(part))
    assert found.name == "multipartite-figure2" and len(found.figures) >= 2
    assert found.figures[1]["title"] in repr(found) and found.notes[0] in found._repr_html_()
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = gradus.plot.figure(found, 1)
    series = found.figures[1]["series"]
    assert len(ax.get_lines()) == len(series)
    assert ax.get_lines()[0].get_label() == series[0]["name"]
    assert [float(v) for v in ax.get_lines()[0].get_xdata()[:3]] == pytest.approx(
        series[0]["x"][:3])


def test_reproduction_shows_everything() -> None:
    found = gradus.Reproduction(json.dumps({
        "experiment": "table1", "tables": [{"title": "Table 1", "digits": 3,
            "criterion": "values agree within 0.01", "cells": [
            {"row": "MQ2007", "column": "ndcg@10", "ours": 0.4444, "error": None, "paper": 0.45,
             "p": None, "verdict": "agrees"},
            {"row": "MQ2008", "column": "ndcg@10", "ours": 0.5, "error": None, "paper": None,
             "p": None, "verdict": ""}]}],
        "figures": [], "claims": [{"claim": "a beats b", "held": False, "found": "p = .3"}],
        "notes": ["a note"]}))
    text, html = repr(found), found._repr_html_()
    for part in ("table1", "Table 1", "0.444", "0.450", "agrees", "a note", "Rule: values agree within 0.01.",
                 "not confirmed: a beats b (p = .3)"):
        assert part in text and part in html, part
