# SPDX-License-Identifier: Apache-2.0
"""Query columns, evaluation sets and weights mean the same in all functions."""
import warnings

import numpy as np
import pytest

import gradus

GENERATOR = np.random.default_rng(1)
X = GENERATOR.random((600, 5), dtype=np.float32)
Y = np.floor(4 * X[:, 0] * X[:, 1] + GENERATOR.random(600)).clip(0, 4)
Q = np.repeat(np.arange(30), 20)
XQ = np.column_stack([Q, X]).astype(np.float32)


def ranker(method="lambdamart", **options):
    return gradus.Ranker(method, rounds=5, leaves=7, **options)


def test_functions_use_the_query_column():
    by_column = ranker("mcrank", query=0).fit(XQ, Y)
    plain = ranker("mcrank").fit(X, Y, qid=Q)
    rows = gradus.Dataset(X, Y, Q)
    for function in (
            lambda r, data: gradus.evaluate(data, {"r": r}).means["r"]["ndcg@10"],
            lambda r, data: gradus.reliability(r, data).error,
            lambda r, data: gradus.permutation_importance(r, data).importance.tolist(),
            lambda r, data: gradus.calibrate(r, data).predict_proba(rows).tolist(),
            lambda r, data: gradus.ensemble([r], data).predict(rows).tolist(),
            lambda r, data: gradus.confusion(data, r).counts.tolist()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert function(by_column, (XQ, Y)) == function(plain, rows)


def test_other_features_are_refused_everywhere():
    fitted = ranker("mcrank").fit(X, Y, qid=Q)
    wide = gradus.Dataset(XQ, Y, Q)
    for function in (lambda: fitted.predict(wide), lambda: fitted.predict(XQ),
                     lambda: gradus.evaluate(wide, fitted), lambda: gradus.calibrate(fitted, wide),
                     lambda: gradus.reliability(fitted, wide),
                     lambda: ranker().fit(X, Y, qid=Q, eval_set=(XQ, Y, Q))):
        with pytest.raises(ValueError, match="6 features"):
            function()


def test_an_evaluation_set_needs_queries():
    with pytest.raises(ValueError, match=r"'valid' has no queries.*eval_set=\(X, y, qid\)"):
        ranker().fit(X, Y, qid=Q, eval_set=(X, Y))
    with pytest.warns(gradus.GradusWarning, match="all rows are one query"):
        gradus.evaluate((X, Y), ranker().fit(X, Y, qid=Q))


def test_a_dataset_needs_labels():
    with pytest.raises(ValueError, match="has no labels"):
        ranker("regression").fit(gradus.as_dataset(X, need_labels=False))


def test_rows_of_weight_zero_are_removed_with_their_queries():
    queries = np.tile([7, 8, 9], 200)
    weights = np.ones(600)
    weights[0] = 0  # now query 8 appears first
    given = ranker("regression").fit(X, Y, queries, sample_weight=weights,
                                     query_weight=[10, 20, 30])
    expected = ranker("regression").fit(X[1:], Y[1:], queries[1:], sample_weight=np.ones(599),
                                        query_weight=[20, 30, 10])
    assert given.to_bytes() == expected.to_bytes()
    weights[queries == 8] = 0
    left = weights > 0
    given = ranker("regression").fit((X, Y, queries), sample_weight=weights,
                                     query_weight=[10, 20, 30])
    expected = ranker("regression").fit(X[left], Y[left], queries[left],
                                        sample_weight=weights[left], query_weight=[30, 10])
    assert given.to_bytes() == expected.to_bytes()


def test_members_of_an_ensemble():
    rows = gradus.Dataset(X, Y, Q)
    parts = [ranker().fit(rows), ranker("regression").fit(rows)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        members = gradus.ensemble(parts, rows).members_
    assert [member.method for member, _ in members] == ["lambdamart", "regression"]
    assert all(weight > 0 for _, weight in members)
    assert parts[0].members_ == []
