# SPDX-License-Identifier: Apache-2.0
"""scikit-learn: its checks of estimators, cross-validation, searches, pipelines, stacking.

Checks that a method cannot pass are listed below with the reason; a check that is listed but passes is a
failure of these tests, too.
"""
from __future__ import annotations

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone, is_classifier, is_regressor  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.ensemble import StackingClassifier, StackingRegressor  # noqa: E402
from sklearn.feature_selection import SelectFromModel  # noqa: E402
from sklearn.linear_model import LogisticRegression, Ridge  # noqa: E402
from sklearn.model_selection import (GridSearchCV, GroupKFold, cross_val_predict,  # noqa: E402
                                     cross_val_score)
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from gradus import OrdinalClassifier, Ranker  # noqa: E402
from gradus._fitted import GRADES  # noqa: E402
from small_sets import QUICK, arrays, web  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::gradus.GradusWarning")

# The check trains on labels such as -0.37, and the method on grades.
GRADES_ONLY = {"check_regressors_train", "check_regressor_data_not_an_array",
               "check_regressors_no_decision_function", "check_fit_idempotent",
               "check_fit_check_is_fitted", "check_n_features_in"}
# The check shuffles the rows: steps on random rows, sums, and the order of ties depend on their order.
ROW_ORDER = {"check_sample_weights_invariance"}
# The check sets alpha to 0.01, and ranksvm is crr with alpha 0.
ALPHA = {"check_regressors_train"}

RANKERS: dict[str, set[str]] = {
    "lambdamart": GRADES_ONLY | ROW_ORDER, "cocr": GRADES_ONLY, "mcrank": GRADES_ONLY,
    "mcrank-ordinal": GRADES_ONLY, "propodds": GRADES_ONLY, "orboost": GRADES_ONLY,
    "svor-imc": GRADES_ONLY | ROW_ORDER, "svor-exc": GRADES_ONLY | ROW_ORDER,
    "svor-sl": GRADES_ONLY | ROW_ORDER, "crr": ROW_ORDER, "ranksvm": ROW_ORDER | ALPHA,
    "ranknet": ROW_ORDER, "lambdarank": GRADES_ONLY | ROW_ORDER, "listnet": ROW_ORDER,
    "listmle": set(), "netreg": set(), "adaboost-mh": GRADES_ONLY, "pairrank": GRADES_ONLY,
    "rankboost": set(), "adarank-map": set(), "adarank-ndcg": GRADES_ONLY, "coordinate-ascent": set(),
}
CLASSIFIERS: dict[str, set[str]] = {
    "cocr": set(), "mcrank": set(), "mcrank-ordinal": set(), "propodds": set(), "orboost": set(),
    "svor-imc": set(), "svor-exc": set(), "svor-sl": set(), "adaboost-mh": set(),
}


def failures(estimator):
    """Return the names of the checks that fail."""
    found = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for one, check in check_estimator(estimator, generate_only=True):
            try:
                check(one)
            except Exception:
                found.add(name_of(check))
    return found


def name_of(check):
    while hasattr(check, "func"):  # partial(partial(check, kind=...), name)
        check = check.func
    return check.__name__


@pytest.mark.parametrize("estimator", [Ranker("regression"), OrdinalClassifier("propodds")], ids=repr)
def test_all_checks_pass(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(estimator)


@pytest.mark.parametrize("method", RANKERS)
def test_checks_of_rankers(method):
    assert failures(Ranker(method, one_query=True, **QUICK[method])) == RANKERS[method]


@pytest.mark.parametrize("method", CLASSIFIERS)
def test_checks_of_classifiers(method):
    options = {**QUICK[method], **({"rounds": 20} if "rounds" in QUICK[method] else {})}
    assert failures(OrdinalClassifier(method, **options)) == CLASSIFIERS[method]


def test_every_method_is_listed():
    assert set(RANKERS) | {"regression", "calibrated"} == set(QUICK)
    assert set(CLASSIFIERS) | {"calibrated"} == GRADES
    X, y, qid = arrays()
    with pytest.raises(ValueError, match="validation data"):  # which the checks do not pass to fit
        Ranker("calibrated", **QUICK["calibrated"]).fit(X, y, qid)


# ---- with a query column in X

def with_queries(queries=20, seed=1):
    X, y, qid = arrays(queries, seed)
    return np.column_stack([qid, X]), y, qid


def test_kinds_of_estimators():
    assert is_regressor(Ranker()) and is_classifier(OrdinalClassifier())
    assert clone(Ranker("mcrank", leaves=5)).get_params() == Ranker("mcrank", leaves=5).get_params()


def test_cross_val_score_is_the_ranking_metric():
    X, y, qid = with_queries()
    folds = list(GroupKFold(4).split(X, y, qid))
    found = cross_val_score(Ranker(query=0, rounds=5), X, y, cv=folds)
    for value, (train, test) in zip(found, folds):
        one = Ranker(rounds=5).fit(X[train, 1:], y[train], qid[train])
        assert value == one.score(X[test, 1:], y[test], qid[test]) > 0.4
    by_group = cross_val_score(Ranker(query=0, rounds=5), X, y, cv=GroupKFold(4), groups=qid)
    assert np.array_equal(found, by_group)


def test_grid_search():
    X, y, qid = with_queries()
    search = GridSearchCV(Ranker(query=0, rounds=4), {"num_leaves": [3, 6], "method": ["lambdamart", "mcrank"]},
                          cv=GroupKFold(3)).fit(X, y, groups=qid)
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    assert search.best_estimator_.leaves == search.best_params_["num_leaves"]
    assert search.predict(X).shape == y.shape


def test_pipeline():
    X, y, qid = with_queries()
    scale = ColumnTransformer([("query", "passthrough", [0]), ("rest", StandardScaler(), slice(1, None))])
    pipe = make_pipeline(scale, Ranker("ranksvm", query=0, steps=2000)).fit(X, y)
    assert pipe.score(X, y) > 0.4 and pipe.predict(X).shape == y.shape
    folds = list(GroupKFold(3).split(X, y, qid))
    assert (cross_val_score(pipe, X, y, cv=folds) > 0.4).all()
    by_qid = make_pipeline(StandardScaler(), Ranker(rounds=4)).fit(X[:, 1:], y, ranker__qid=qid)
    assert by_qid.predict(X[:, 1:]).shape == y.shape


def test_pipeline_of_data_frames():
    pandas = pytest.importorskip("pandas")
    X, y, qid = arrays()
    frame = pandas.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    frame.insert(2, "q", [f"query {q}" for q in qid])
    scores = cross_val_score(Ranker(query="q", rounds=5), frame, y, cv=GroupKFold(4), groups=qid)
    assert np.array_equal(scores, cross_val_score(Ranker(query=0, rounds=5), *with_queries()[:2],
                                                  cv=GroupKFold(4), groups=qid))


def test_stacking():
    X, y, qid = with_queries()
    folds = list(GroupKFold(3).split(X, y, qid))
    stack = StackingRegressor([("trees", Ranker(query=0, rounds=4)),
                               ("regression", Ranker("regression", query=0, rounds=4))], Ridge(), cv=folds)
    assert stack.fit(X, y).predict(X).shape == y.shape
    assert np.corrcoef(stack.predict(X), y)[0, 1] > 0.3
    both = StackingClassifier([("odds", OrdinalClassifier(rounds=4)), ("logit", LogisticRegression())],
                              OrdinalClassifier("propodds", rounds=3), cv=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert both.fit(X[:, 1:], np.minimum(y, 2)).score(X[:, 1:], np.minimum(y, 2)) > 0.5


def test_probabilities_out_of_fold():
    X, y, _ = arrays()
    y = np.minimum(y, 2)
    found = cross_val_predict(OrdinalClassifier(rounds=4), X, y, cv=3, method="predict_proba")
    assert found.shape == (len(y), 3) and np.allclose(found.sum(axis=1), 1)


def test_select_from_model():
    X, y, qid = arrays()
    selector = SelectFromModel(Ranker(rounds=5).fit(X, y, qid), prefit=True)
    assert 0 < selector.transform(X).shape[1] < X.shape[1]


def test_not_fitted_error_is_that_of_scikit_learn():
    from sklearn.exceptions import NotFittedError
    with pytest.raises(NotFittedError):
        Ranker().predict(web().X)
