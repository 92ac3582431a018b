# SPDX-License-Identifier: Apache-2.0
"""OrdinalClassifier: classes, probabilities, the proportional odds model."""
from __future__ import annotations

import pickle

import numpy as np
import pytest

from gradus import (Dataset, GradusWarning, OrdinalClassifier, Ranker, calibrate, confusion,
                    ensemble, evaluate, permutation_importance, reliability, report)
from gradus._core import report_available
from gradus._fitted import GRADES
from small_sets import QUICK, arrays, web

pytestmark = pytest.mark.filterwarnings("ignore::gradus.GradusWarning")


def ratings(rows=600, seed=0):
    """Return three features and classes that follow a proportional odds model."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 3))
    latent = X @ [1.5, -1.0, 0.0] + random.logistic(size=rows)
    return X, np.digitize(latent, [-1.0, 1.0])


def test_classes_may_be_anything_sortable():
    X, y = ratings()
    plain = OrdinalClassifier(rounds=10).fit(X, y)
    for names in (np.array(["a bad", "b fair", "c good"]), np.array([10, 20, 30]),
                  np.array([-1.0, 0.0, 5.0]), np.array([False, True, True])):
        named = OrdinalClassifier(rounds=10).fit(X, names[y])
        assert named.classes_.tolist() == np.unique(names).tolist()
        if len(named.classes_) == 3:
            assert np.array_equal(named.predict(X), names[plain.predict(X)])
            assert (named.to_bytes() == plain.to_bytes()) == (names.tolist() != [10, 20, 30])
            assert named.score(X, names[y]) == plain.score(X, y)
    again = pickle.loads(pickle.dumps(named))
    assert again.classes_.tolist() == [False, True]


@pytest.mark.parametrize("y, message", [
    (np.ones(20), "one class"), (np.linspace(0, 1, 20), "Unknown label type"),
    (np.r_[np.nan, np.arange(19)], "NaN"), (np.array([1, "a"] * 10, dtype=object), "sorted")])
def test_wrong_classes(y, message):
    with pytest.raises(ValueError, match=message):
        OrdinalClassifier().fit(np.arange(40.0).reshape(20, 2), y)


def test_methods_without_grades_are_refused():
    X, y = ratings(50)
    with pytest.raises(ValueError, match="does not model grades"):
        OrdinalClassifier("lambdamart").fit(X, y)
    with pytest.raises(ValueError, match="propods"):
        OrdinalClassifier("propods").fit(X, y)


@pytest.mark.parametrize("method", sorted(GRADES))
def test_every_method(method):
    X, y = ratings()
    options = {key: 30 if key == "rounds" else value for key, value in QUICK[method].items()}
    qid = np.arange(len(y)) // 10 if method == "calibrated" else None
    held_out = ratings(200, 1) if qid is None else (*ratings(200, 1), qid[:200])
    classifier = OrdinalClassifier(method, **options).fit(X, y, qid, eval_set=held_out)
    assert classifier.score(*ratings(300, 2)) > 0.5  # 0.37: always the most frequent class
    assert np.array_equal(classifier.predict(X[:3].astype(np.float32)), classifier.predict(X)[:3])
    if hasattr(classifier, "predict_proba"):
        shares = classifier.predict_proba(X)
        assert np.array_equal(classifier.predict(X), classifier.classes_[shares.argmax(axis=1)])
        assert np.array_equal(classifier.predict_proba(X[:3].astype(np.float32)), shares[:3])


def test_classes_of_evaluation_sets():
    X, y = ratings()
    with pytest.raises(ValueError, match="class 7 in row 1"):
        OrdinalClassifier(rounds=3).fit(X, y, eval_set=(X[:2], np.array([1, 7])))


def test_datasets_have_their_grades():
    classifier = OrdinalClassifier("mcrank", rounds=5).fit(web())
    ranker = Ranker("mcrank", rounds=5, metric="u-pairs").fit(web())
    assert classifier.to_bytes() == ranker.to_bytes()
    assert classifier.classes_.tolist() == [0, 1, 2, 3, 4]
    assert classifier.score(web()) == np.mean(ranker.predict_grade(web()) == web().labels)


def test_repr_and_metric():
    assert repr(OrdinalClassifier()) == "OrdinalClassifier('propodds')"
    assert OrdinalClassifier().metric == "u-pairs"


def test_small_data_have_small_leaves():
    X, y = ratings(40)
    classifier = OrdinalClassifier(rounds=5).fit(X, y)
    assert classifier.model_.options()["min-rows"] == "4" and classifier.min_rows is None
    assert len(set(classifier.predict(X))) > 1
    assert OrdinalClassifier(rounds=5, min_rows=7).fit(X, y).model_.options()["min-rows"] == "7"


def test_proportional_odds():
    X, y = ratings()
    model = OrdinalClassifier("propodds", learner="linear", transform="none").fit(X, y)
    output = model.intercept_ + X @ model.coef_
    above = 1 / (1 + np.exp(model.threshold_[None, :] - output[:, None]))
    expected = -np.diff(np.column_stack([np.ones(len(y)), above, np.zeros(len(y))]), axis=1)
    assert np.allclose(model.predict_proba(X), expected, atol=1e-6)
    assert np.allclose(model.coef_, [1.5, -1.0, 0.0], atol=4 * model.standard_errors_["coef"])
    assert model.log_likelihood_ == pytest.approx(np.log(expected[np.arange(len(y)), y]).sum(), rel=1e-6)
    assert model.standard_errors_["threshold"].shape == model.threshold_.shape == (2,)


def test_statsmodels():
    ordinal = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    X, y = ratings()
    theirs = ordinal.OrderedModel(y, X.astype(np.float32).astype(float), distr="logit").fit(
        method="bfgs", disp=False, gtol=1e-8)
    ours = OrdinalClassifier("propodds", learner="linear", transform="none", ridge=0).fit(X, y)
    assert np.allclose(ours.coef_, theirs.params[:3], atol=1e-4)
    assert np.allclose(ours.standard_errors_["coef"], theirs.bse[:3], rtol=1e-3)
    assert ours.log_likelihood_ == pytest.approx(theirs.llf, rel=1e-6)


def test_trees_have_no_coefficients():
    X, y = ratings(300)
    model = OrdinalClassifier(rounds=3).fit(X, y)
    for name in ("coef_", "intercept_", "standard_errors_"):
        with pytest.raises(AttributeError, match="model"):
            getattr(model, name)
    assert model.threshold_.shape == (2,)


def test_load(tmp_path):
    X, y = ratings()
    model = OrdinalClassifier(rounds=5, leaves=4).fit(X, y)
    model.save(tmp_path / "m")
    again = OrdinalClassifier.load(tmp_path / "m")
    assert np.array_equal(again.predict(X), model.predict(X)) and again.leaves == 4


@pytest.mark.filterwarnings("error::gradus.GradusWarning")
def test_files_have_no_names(tmp_path):
    X, y = ratings()
    named = OrdinalClassifier(rounds=5, classes=GOOD).fit(X, GOOD[y])
    with pytest.warns(GradusWarning, match="low, middle, high: the classes of a loaded .* 0 to 2"):
        named.save(tmp_path / "m")
    with pytest.warns(GradusWarning, match="pickle"):
        named.to_bytes()
    again = OrdinalClassifier.load(tmp_path / "m")
    assert np.array_equal(GOOD[again.predict(X).astype(int)], named.predict(X))
    numbers = OrdinalClassifier(rounds=5).fit(X, y + 1)
    numbers.save(tmp_path / "m")
    again = OrdinalClassifier.load(tmp_path / "m")
    assert again.classes_.tolist() == [1, 2, 3]
    assert np.array_equal(again.predict(X), numbers.predict(X))
    pickle.dumps(named)


def test_missing_labels():
    X, _, _ = arrays()
    with pytest.raises(ValueError, match="requires y to be passed"):
        OrdinalClassifier().fit(X)


# ---- the order of classes
GOOD = np.array(["low", "middle", "high"])


def test_order_of_a_categorical():
    pandas = pytest.importorskip("pandas")
    X, y = ratings()
    plain = OrdinalClassifier(rounds=10).fit(X, y)
    text = pandas.Categorical(GOOD[y], categories=[*GOOD, "unused"], ordered=True)
    for labels in (text, pandas.Series(text), pandas.DataFrame({"y": text})):
        for weight in (None, np.r_[0.0, np.ones(len(y) - 1)]):
            named = OrdinalClassifier(rounds=10).fit(X, labels, sample_weight=weight,
                                                     eval_set=(X, text))
            assert named.classes_.tolist() == GOOD.tolist()
        named = OrdinalClassifier(rounds=10).fit(X, labels)
        assert named.to_bytes() == plain.to_bytes()
        assert named.score(X, labels) == plain.score(X, y)
    falling = pandas.Categorical(y, categories=[2, 1, 0], ordered=True)
    assert OrdinalClassifier(rounds=3).fit(X, falling).classes_.tolist() == [2, 1, 0]


def test_order_as_a_parameter():
    base = pytest.importorskip("sklearn.base")
    X, y = ratings()
    classifier = OrdinalClassifier(rounds=10, classes=GOOD.tolist())
    assert base.clone(classifier).get_params()["classes"] == GOOD.tolist()
    classifier = base.clone(classifier).fit(X, GOOD[y])
    assert classifier.classes_.tolist() == GOOD.tolist()
    assert np.array_equal(classifier.predict(X), GOOD[OrdinalClassifier(rounds=10).fit(X, y).predict(X)])
    again = pickle.loads(pickle.dumps(classifier))
    assert again.score(X, GOOD[y]) == classifier.score(X, GOOD[y])
    with pytest.raises(ValueError, match="'high', which is not in the parameter classes"):
        OrdinalClassifier(classes=["low", "middle"]).fit(X, GOOD[y])
    with pytest.raises(ValueError, match="twice"):
        OrdinalClassifier(classes=["low", "low", "middle", "high"]).fit(X, GOOD[y])


@pytest.mark.filterwarnings("error::gradus.GradusWarning")
def test_warning_of_the_alphabetical_order():
    X, y = ratings()
    with pytest.warns(GradusWarning, match="alphabetical order: high, low, middle") as found:
        assert OrdinalClassifier(rounds=3).fit(X, GOOD[y]).classes_.tolist() == sorted(GOOD)
    assert len(found) == 1
    OrdinalClassifier(rounds=3, classes=GOOD).fit(X, GOOD[y])
    OrdinalClassifier(rounds=3).fit(X, y)


# ---- labels outside the class
@pytest.mark.parametrize("method", ["propodds", "cocr", "adaboost-mh", "svor-imc"])
@pytest.mark.parametrize("values", [[1, 2, 3], [-1, 0, 1], [10, 20, 40], [2.0, 0.0, 1.0], GOOD])
def test_functions_take_the_classes_of_y(method, values):
    X, y = ratings()
    names = np.array(values)
    options = {key: 30 if key == "rounds" else value for key, value in QUICK[method].items()}
    classifier = OrdinalClassifier(method, classes=values, **options).fit(X, names[y])
    test_X, test_y = ratings(300, 1)
    labels = names[test_y]
    accuracy = classifier.score(test_X, labels)
    right = np.mean(classifier.predict(test_X) == labels)
    assert accuracy == right > 0.4
    assert classifier.score((test_X, labels)) == accuracy
    matrix = confusion((test_X, labels), classifier)
    grades = evaluate((test_X, labels), classifier, "accuracy", grades=True)
    assert matrix.accuracy == pytest.approx(list(grades.values())[0]["accuracy"])
    assert matrix.accuracy == pytest.approx(accuracy, abs=0.1)  # cocr has another rule for grades
    assert matrix.counts.sum(axis=1).tolist() == np.bincount(test_y).tolist()
    if method == "propodds":
        plain = OrdinalClassifier(method, **options).fit(X, y)
        assert reliability(classifier, (test_X, labels)).log_loss == pytest.approx(
            reliability(plain, (test_X, test_y)).log_loss)
        better = calibrate(classifier, (test_X, labels))
        assert set(better.predict(test_X)) <= set(names.tolist())
        assert permutation_importance(classifier, (test_X, labels), "u-pairs", seed=1)
    if names.dtype.kind == "U":
        for use in (classifier.score, lambda data: confusion(data, classifier),
                    lambda data: reliability(classifier, data)):
            with pytest.raises(ValueError, match="pass \\(X, y\\)"):
                use(Dataset(test_X, test_y))
        with pytest.raises(ValueError, match="numbers"):
            classifier.score(test_X, test_y)
    else:
        data = Dataset(test_X, labels)
        assert classifier.score(data) == accuracy
        assert np.array_equal(confusion(data, classifier).counts, matrix.counts)


def test_confusion_names_the_classes():
    X, y = ratings()
    for values in (GOOD, np.array([-1, 0, 1]), np.array([1, 2, 3])):
        classifier = OrdinalClassifier(rounds=5, classes=values).fit(X, values[y])
        matrix = confusion((X, values[y]), classifier)
        assert matrix.names == [str(value) for value in values]
        assert all(str(value) in repr(matrix) for value in values)


def test_classes_that_the_model_does_not_have_are_refused(tmp_path):
    X, y = ratings()
    classifier = OrdinalClassifier(rounds=5, classes=GOOD).fit(X, GOOD[y])
    other = OrdinalClassifier(rounds=5).fit(X, y)
    with pytest.raises(ValueError, match="member 2: the model has numbers"):
        ensemble([other, classifier], (X, y, np.arange(len(y)) // 10))
    if report_available():
        with pytest.raises(ValueError, match="the model has numbers"):
            report(classifier, tmp_path / "r.html", data=(X, y))


@pytest.mark.parametrize("values", [[1, 2, 3], [-1, 0, 1]])
def test_evaluation_sets_are_encoded_like_y(values):
    X, y = ratings()
    names = np.array(values)
    test_X, test_y = ratings(300, 1)
    curves = [OrdinalClassifier(rounds=10, metric="rmse").fit(X, names[y], eval_set=held).curve_
              for held in ((test_X, names[test_y]), Dataset(test_X, names[test_y]))]
    assert np.array_equal(curves[0]["valid"], curves[1]["valid"])


def test_score_takes_queries():
    X, y = ratings()
    qid = np.arange(len(y)) // 10
    classifier = OrdinalClassifier(rounds=10, transform="query").fit(X, y, qid)
    accuracy = np.mean(classifier.predict(X, qid) == y)
    assert classifier.score(X, y, qid=qid) == accuracy
    assert classifier.score(X, y, group=[10] * 60) == accuracy
    assert classifier.score(Dataset(X, y, qid)) == classifier.score((X, y, qid)) == accuracy
    with pytest.raises(ValueError, match="pass qid"):
        classifier.score(X, y)
    with pytest.raises(ValueError, match="3 labels"):
        classifier.score(X, y[:3], qid=qid)
