# SPDX-License-Identifier: Apache-2.0
"""OrdinalClassifier: the methods of gradus that model grades, as a scikit-learn classifier."""
from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, ClassVar

import numpy as np

from . import _core
from ._fitted import GRADES, Array, Scores, available_if
from ._notes import warn
from ._options import OrdinalOptions
from ._training import labels_of, order_of, queries_of_group
from .data import Dataset, as_dataset, with_labels
from .ranker import BaseRanker, complete_docstring

FEW_TRAINING_ROWS = 200


# their models depend on the values of grades, not only on the order
BY_VALUE = frozenset(("adaboost-mh", "calibrated", "cocr"))
LARGEST_GRADE = 1 << 24  # labels are float32


class Classes:
    """The classes of the training data in their order, and the grade of each.

    Whole numbers from 0 in ascending order are their own grades, so that all functions of the
    package and model files have the same values as y. The grades of other classes, and of methods
    that depend on the values of grades, are their numbers from 0.

    Parameters
    ----------
    y : array
        Class of each row.
    order : list, optional
        All classes from low to high; default: sorted.
    by_value : bool
        Whether the method depends on the values of grades.
    """

    def __init__(self, y: Array, order: list[Any] | None = None, by_value: bool = False) -> None:
        self._check(y)
        self._sorted: Array = self._distinct(y)
        if len(self._sorted) < 2:
            raise ValueError("y has one class only, 2 or more classes are expected")
        self.text = isinstance(self._sorted[0], (str, bytes))
        places = np.arange(len(self._sorted)) if order is None else self._places(order)
        self.values: Array = self._sorted[places]
        self._numbers = np.argsort(places)
        counted = np.arange(len(places))
        self.own = not self.text and self._are_grades() and (
            not by_value or np.array_equal(self.values, counted))
        if order is None and self.text and len(places) > 2:
            warn(f"the classes are text and in alphabetical order: {self.shown()}; give their "
                 "order with the parameter classes, or y as an ordered Categorical of pandas")

    @staticmethod
    def _check(y: Array) -> None:
        if y.dtype.kind == "f":
            missing = ~np.isfinite(y)
        else:
            missing = np.array([y.dtype.kind == "O" and _is_missing(item) for item in y],
                               dtype=bool)
        if np.any(missing):
            row = int(np.flatnonzero(missing)[0])
            raise ValueError(f"y has {y[row]} in row {row}; classes must not be NaN or infinity")
        if y.dtype.kind == "f" and np.any(y != np.floor(y)):
            raise ValueError("Unknown label type: 'continuous'. Classes must be whole numbers or "
                             "text; for other numbers use Ranker('regression')")

    @staticmethod
    def _distinct(y: Array) -> Array:
        try:
            return np.unique(y)
        except TypeError:
            raise ValueError("Unknown label type: the classes in y cannot be sorted; they must all "
                             "be numbers or all be text") from None

    def _places(self, order: list[Any]) -> Array:
        """Return the positions in the sorted classes of those that occur, in the given order."""
        if len(set(order)) != len(order):
            raise ValueError("the parameter classes has a class twice")
        position = {value: i for i, value in enumerate(self._sorted.tolist())}
        left_out = position.keys() - set(order)
        if left_out:
            raise ValueError(f"y has the class {min(left_out)!r}, which is not in the parameter "
                             "classes")
        return np.array([position[value] for value in order if value in position])

    def _are_grades(self) -> bool:
        if self.values.dtype.kind not in "biuf":
            return False
        ascending = bool(np.all(self.values[1:] > self.values[:-1]))
        return ascending and self.values[0] >= 0 and int(self.values[-1]) <= LARGEST_GRADE

    def shown(self) -> str:
        """Return the first classes as text."""
        names = [str(value) for value in self.values[:6]]
        return ", ".join(names) + (", ..." if len(self.values) > 6 else "")

    def check_kind(self, y: Array) -> None:
        """Raise ValueError for numbers instead of text, or text instead of numbers."""
        text = y.dtype.kind in "US" or y.dtype.kind == "O" and any(
            isinstance(item, (str, bytes)) for item in y)
        if text != self.text:
            found, expected = ("text", "numbers") if text else ("numbers", "text")
            raise ValueError(f"the labels are {found}, but the classes of the training data are "
                             f"{expected}: {self.shown()}" + ("" if text else
                             ". A Dataset or a file has no text labels: pass (X, y)"))

    def __call__(self, y: Array | None) -> Array | None:
        """Return the grades of rows by their classes."""
        if y is None:
            return None
        self.check_kind(y)
        at = np.minimum(np.searchsorted(self._sorted, y), len(self._sorted) - 1)
        found = self._sorted[at]
        if not np.array_equal(found, y):
            row = int(np.flatnonzero(found != y)[0])
            raise ValueError(f"y has the class {y[row]!r} in row {row}, which is not in the "
                             "training data")
        grades: Array = found.astype(np.float64) if self.own else self._numbers[at]
        return grades

    def dataset(self, data: Dataset) -> Dataset:
        """Return data, whose labels are classes, with their grades as labels."""
        if self.own or not data.has_labels:
            return data
        return with_labels(data, self(data.labels))


def _is_missing(item: Any) -> bool:
    try:
        return item is None or bool(item != item)
    except TypeError:  # NA of pandas
        return True


class OrdinalClassifier(OrdinalOptions, BaseRanker):
    """Classifier of ordered classes, such as ratings from bad to good.

    The classes are the distinct values of y, numbers or text, from low to high: in the order of the
    parameter `classes`, else of y if it is an ordered Categorical of pandas, else sorted. Whole
    numbers from 0 are grades of the model; other classes are counted from 0 in the model, and files
    have only these numbers: keep the estimator with pickle. `predict` returns the most
    probable class; methods without probabilities (the support vector methods) compare their output
    with thresholds. ``learner='linear'`` with the default method is the proportional odds model of
    statistics: `coef_`, `threshold_` and `standard_errors_` describe it.

    Parameters are those of `Ranker`, and `classes`. Two defaults differ: `metric`, which selects
    the best round on eval_set, is the fraction of pairs of rows in the right order, because these
    data rarely have queries; and with fewer than 200 rows `min_rows`, the minimum of rows in a
    leaf, is a tenth of them.

    Attributes
    ----------
    classes_ : numpy.ndarray
        The classes from low to high.
    coef_, intercept_ : numpy.ndarray, float
        Of linear models.
    threshold_ : numpy.ndarray
        Thresholds on the output, one fewer than classes, of methods that have them.
    standard_errors_ : dict
        Standard errors of 'coef' and 'threshold', of models fitted by maximum likelihood.
    log_likelihood_ : float
        Logarithm of the likelihood of the training data, likewise.
    n_features_in_, feature_names_in_, curve_, importance_, recipe_, checkpoint_, model_
        As in `Ranker`.

    Examples
    --------
    >>> import gradus, numpy
    >>> X = numpy.random.default_rng(0).normal(size=(300, 2))
    >>> y = numpy.digitize(X[:, 0], [-1, 1])
    >>> model = gradus.OrdinalClassifier("propodds", rounds=30).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    _estimator_type: ClassVar[str] = "classifier"
    _classes: Classes | None = None

    def _encoder(self, y: Any) -> Callable[[Array | None], Array | None]:
        method = vars(self).get("method")
        if method is not None and method not in GRADES:
            _core.check_options("train", {"method": method})
            raise ValueError(f"method {method!r} does not model grades; those that do: "
                             f"{', '.join(sorted(GRADES))}")
        if y is None:
            return lambda labels: labels
        given = vars(self).get("classes")
        order = order_of(y) if given is None else np.asarray(given).reshape(-1).tolist()
        labels = labels_of(y)
        assert labels is not None
        return Classes(labels, order, method in BY_VALUE)

    def _take_encoder(self, encoder: Callable[[Array | None], Array | None]) -> None:
        if isinstance(encoder, Classes):
            self._classes = encoder
        else:
            vars(self).pop("_classes", None)

    def _dataset(self, X: Any, y: object, qid: object, weight: object = None,
                 query_weight: object = None,
                 encoder: Callable[[Any], Any] | None = None) -> Dataset:
        data = super()._dataset(X, y, qid, weight, query_weight, encoder)
        if isinstance(encoder, Classes) and y is None and not isinstance(X, tuple):
            return encoder.dataset(data)
        return data

    def _encoded(self) -> Classes | None:
        """Return the classes if the model has other values than y had."""
        classes = self._classes
        return None if classes is None or classes.own else classes

    def _labelled(self, data: Any) -> Dataset:
        """Return data, whose labels are classes, with the labels that the model has for them."""
        classes = self._encoded()
        if classes is None:
            return as_dataset(data)
        if isinstance(data, tuple) and len(data) in (2, 3) and data[1] is not None:
            return as_dataset(data[0], classes(labels_of(data[1])), *data[2:],
                              query=vars(self).get("query"))
        return classes.dataset(as_dataset(data))

    def _training_options(self, train: Dataset) -> dict[str, object]:
        options = self._options()
        if train.rows < FEW_TRAINING_ROWS and "min-rows" not in options \
                and "preset" not in options and self._accepts("min-rows"):
            options["min-rows"] = max(1, train.rows // 10)
        return options

    @property
    def classes_(self) -> Array:
        """The classes from low to high."""
        values = np.array(self._fitted_model().info()["grade_values"])
        return values if self._classes is None else self._classes.values

    def predict(self, X: Any, qid: Any = None) -> Array:
        """Return the class of each row.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame, Arrow table, Dataset or path
            The rows, with the features of the training data.
        qid : array-like, optional
            Query of each row: only models that rescale features by query
            (``transform='query'``) need it.

        Returns
        -------
        numpy.ndarray
            Values of `classes_`.
        """
        model = self._fitted_model()
        if self._is_capable("probabilities"):
            chosen = np.argmax(self.predict_proba(X, qid), axis=1)
        else:
            grades = self._grades(self._rows(X, qid))
            chosen = np.searchsorted(np.array(model.info()["grade_values"]), grades)
        result: Array = self.classes_[chosen]
        return result

    @available_if("probabilities")
    def predict_proba(self, X: Any, qid: Any = None) -> Scores:
        """Return the probability of each class.

        Parameters
        ----------
        X : rows as for predict
            The rows.
        qid : array-like, optional
            Query of each row, as for predict.

        Returns
        -------
        numpy.ndarray
            float64, rows x classes.
        """
        if self._is_few(X, qid):
            out = np.empty((X.shape[0], len(self.classes_)))
            self.model_.score_rows(X, X.shape[0], self._width, self._width, None, out.reshape(-1))
            return out
        return self._probabilities(self._rows(X, qid))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, *, qid: Any = None,
              group: Any = None) -> float:
        """Return the accuracy: the fraction of rows whose class is predicted.

        Parameters
        ----------
        X : rows as for predict
            The rows.
        y : array-like, optional
            Their classes; default: the labels of X, if it is a Dataset or a file.
        sample_weight : array-like, optional
            Weight of each row.
        qid : array-like, optional
            Query of each row, as for predict.
        group : array-like, optional
            Instead of qid: numbers of rows of consecutive queries.

        Returns
        -------
        float
            From 0 to 1.
        """
        qid = qid if group is None else queries_of_group(group, qid)
        if isinstance(X, tuple) and y is None and qid is None and len(X) in (2, 3):
            X, y, qid = X[0], X[1], X[2] if len(X) == 3 else None
        if y is None:
            data = self._dataset(X, None, qid)
            X, y, qid = data, data.labels, None
        labels = np.asarray(y).reshape(-1)
        if self._classes is not None:
            self._classes.check_kind(labels)
        predicted = self.predict(X, qid)
        if len(predicted) != len(labels):
            raise ValueError(f"y has {len(labels)} labels, but X has {len(predicted)} rows")
        return float(np.average(predicted == labels, weights=sample_weight))

    # ---- files
    def _warn_of_names(self) -> None:
        classes = self._encoded()
        if classes is not None:
            warn(f"model files do not contain the classes {classes.shown()}: the classes of a "
                 f"loaded model are 0 to {len(classes.values) - 1}; pickle keeps them")

    def to_bytes(self) -> bytes:
        """Return the content of the file that `save` writes."""
        content = super().to_bytes()
        self._warn_of_names()
        return content

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, which the command ``gradus`` and `load` read.

        The file has grades, not classes: for text and negative numbers, which a loaded model has
        as numbers from 0, there is a warning. To keep the classes, pickle the estimator.

        Parameters
        ----------
        path : path
            The file.
        """
        super().save(path)
        self._warn_of_names()

    # ---- linear models
    def _equation(self) -> tuple[Array, Array]:
        """Coefficients, outputs x features, and intercepts."""
        model = self._fitted_model()
        found = [model.equation(i) for i in range(model.info()["outputs"])]
        if not found or any(equation is None for equation in found):
            raise AttributeError("coef_")
        numbers = [np.frombuffer(equation["coefficients"]) for equation in found if equation]
        intercepts = np.array([equation["intercept"] for equation in found if equation])
        return np.array([self._all_features(row) for row in numbers]), intercepts

    def _all_features(self, numbers: Array) -> Array:
        """Numbers of all features, of which a model of sparse data has only the used ones."""
        columns = self.model_.columns()
        if columns is None:
            return numbers
        every = np.zeros(self.n_features_in_)
        every[np.frombuffer(columns, dtype=np.uint32)] = numbers
        return every

    @property
    def coef_(self) -> Array:
        """Coefficient of each feature, for linear models; outputs x features if there are several.

        They apply to the features after the model's transform, if it has one.
        """
        numbers, _ = self._equation()
        return np.asarray(numbers[0]) if len(numbers) == 1 else numbers

    @property
    def intercept_(self) -> Any:
        """Intercept of linear models: the output of a row is this plus ``X @ coef_``."""
        _, intercepts = self._equation()
        return float(intercepts[0]) if len(intercepts) == 1 else intercepts

    @property
    def threshold_(self) -> Array:
        """Thresholds on the output, one fewer than classes.

        With the proportional odds method the odds of a class above number k (from 0) are
        ``exp(output - threshold_[k])``.
        """
        values = self._fitted_model().info()["thresholds"]
        if values is None:
            raise AttributeError("threshold_")
        return np.array(values)

    @property
    def standard_errors_(self) -> dict[str, Array]:
        """Standard errors of 'coef' and 'threshold', for models fitted by maximum likelihood."""
        found = self._fitted_model().errors()
        if found is None:
            raise AttributeError("standard_errors_")
        errors = {}
        if found["coefficients"] is not None:
            errors["coef"] = self._all_features(np.frombuffer(found["coefficients"]))
        if found["thresholds"] is not None:
            errors["threshold"] = np.frombuffer(found["thresholds"])
        return errors

    @property
    def log_likelihood_(self) -> float:
        """Logarithm of the likelihood of the training data."""
        value = float(self._fitted_model().info()["log_likelihood"])
        if np.isnan(value):
            raise AttributeError("log_likelihood_")
        return value


complete_docstring(OrdinalClassifier)
