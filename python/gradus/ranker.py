# SPDX-License-Identifier: Apache-2.0
"""Ranker: all training methods of gradus as a scikit-learn estimator."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from . import _core
from ._fitted import FEW_ROWS, Array, Fitted, Ranking, Scores, available_if, ranked
from ._notes import collected
from ._options import RankerOptions
from ._training import (Run, check_set, is_whole, labels_of, named_sets, need_labels,
                        queries_of_group, take_rows, used_rows, weights_of_queries)
from .callbacks import Callback
from .data import Dataset, as_dataset

Self = TypeVar("Self", bound="BaseRanker")
Encoder = Callable[[Any], Any]
_FLOAT32 = np.dtype(np.float32)


class BaseRanker(Fitted):
    """Training: what Ranker and OrdinalClassifier have in common."""

    def _encoder(self, y: Any) -> Encoder:
        """Return a function that turns labels into grades, made from the training labels."""
        return lambda labels: labels

    def _take_encoder(self, encoder: Encoder) -> None:
        """Keep what predictions need of the encoder."""

    def _dataset(self, X: Any, y: object, qid: object, weight: object = None,
                 query_weight: object = None, encoder: Encoder | None = None) -> Dataset:
        """Return labelled rows."""
        given = vars(self)
        if isinstance(X, tuple) and y is None and qid is None and len(X) in (2, 3):
            X, y, qid = X[0], X[1], X[2] if len(X) == 3 else None
        need_labels(X, y, self)
        labels = labels_of(y)
        labels = encoder(labels) if encoder else labels
        return as_dataset(X, labels, qid, weight=weight, query_weight=query_weight,
                          query=given.get("query"), threads=self._thread_count())

    def fit(self: Self, X: Any, y: Any = None, qid: Any = None, *, group: Any = None,
            sample_weight: Any = None, query_weight: Any = None, eval_set: Any = None,
            eval_names: Sequence[str] | None = None,
            callbacks: Callback | Sequence[Callback] | None = None,
            init_model: Any = None, resume_from: Any = None, initial: Any = None,
            initial_valid: Any = None) -> Self:
        """Train a model.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame, Arrow table, Dataset or path
            Features, one row per document. A Dataset or a file has labels and queries, too.
        y : array-like
            Label of each row: its grade.
        qid : array-like, optional
            Query of each row: numbers or text, in any order.
        group : array-like, optional
            Instead of qid: numbers of rows of consecutive queries.
        sample_weight : array-like, optional
            Weight of each row. Rows of weight 0 are removed before training: they do not count in
            rules that depend on the number of rows, in bins, or as documents of their query.
        query_weight : array-like, optional
            Weight of each query, in order of first appearance.
        eval_set : tuple, Dataset, path, or a list or dict of them
            Evaluation sets: (X, y), (X, y, qid), a Dataset or a file. The first selects the best
            round and ends training (`patience`), the others are only reported.
        eval_names : sequence of str, optional
            Names of the sets in `curve_` and callbacks; default: valid, valid_2, ...
        callbacks : callable, or sequence of callables, optional
            Called with a `TrainingState` after each round: `gradus.progress()`.
        init_model : path or Ranker, optional
            Warm start: new rounds are added to this model of the same method.
        resume_from : bytes or path, optional
            Checkpoint of an interrupted training with the same data and parameters
            (``checkpoint_``): the result is the model of the uninterrupted training.
        initial : array-like, optional
            Initial score of each row; the model predicts what is added to it.
        initial_valid : array-like, optional
            The same for the first evaluation set.

        Returns
        -------
        self
        """
        run, rest, encoder = self._prepared(X, y, qid, group, sample_weight, query_weight,
                                            initial, eval_set, eval_names, callbacks)
        given = vars(self)
        metric = given.get("metric")
        self.__dict__.pop("checkpoint_", None)
        try:
            model = run.fit(start=init_model, resume=resume_from, initial=rest,
                            initial_valid=initial_valid, objective=given.get("objective"),
                            metric=metric if callable(metric) else None,
                            threads=self._thread_count(), device=self._plugin(),
                            max_memory=int(given.get("max_memory") or 0),
                            comm=given.get("comm"))
        except BaseException as error:
            if run.checkpoint is not None:
                self.checkpoint_ = run.checkpoint
            if isinstance(error, _core.Error) and run.train.rows == 1:
                raise type(error)(f"{error}; the training data have 1 sample") from None
            raise
        self._curves = run.curves
        self._take_encoder(encoder)
        self._adopt(model)
        return self

    def _prepared(self, X: Any, y: Any, qid: Any, group: Any, weight: Any, query_weight: Any,
                  initial: Any, eval_set: Any, names: Sequence[str] | None,
                  callbacks: Any) -> tuple[Run, Any, Encoder]:
        """Return the training of these data, the initial scores of its rows, and the encoder."""
        _core.check_options("train", self._options())
        if isinstance(X, tuple) and y is None and qid is None and len(X) in (2, 3):
            X, y, qid = X[0], X[1], X[2] if len(X) == 3 else None
        qid = qid if group is None else queries_of_group(group, qid)
        rows = None if is_whole(X) else used_rows(weight)
        if rows is not None and len(np.asarray(weight)) == _length(X):
            query_weight = weights_of_queries(query_weight, qid, rows)
            X, y, qid, weight, initial = (take_rows(v, rows) for v in (X, y, qid, weight, initial))
        encoder = self._encoder(y if y is not None or not isinstance(X, tuple) else X[1])
        train = self._dataset(X, y, qid, weight, query_weight, encoder)
        sets = [(name, self._dataset(item, None, None, encoder=encoder))
                for name, item in named_sets(eval_set, names)]
        for name, data in sets:
            check_set(name, data, train)
        run = Run(train, sets, self._training_options(train), callbacks or ())
        return run, initial, encoder

    def _training_options(self, train: Dataset) -> dict[str, object]:
        return self._options()


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


class Ranker(RankerOptions, BaseRanker):  # complete_docstring adds the parameters
    """Learning to rank: all training methods of gradus.

    A scikit-learn estimator: `get_params`, `clone`, `cross_val_score`, `GridSearchCV`, `Pipeline`
    work, the last ones with the queries as a column of X (parameter `query`). Parameters are the
    options of ``gradus train``; None means the default, or the rule that derives it from the data.
    Values are checked by `fit`, which rejects options that the method does not have.

    Attributes
    ----------
    n_features_in_ : int
        Number of features.
    feature_names_in_ : numpy.ndarray
        Their names, if the training data had names.
    classes_ : numpy.ndarray
        Grades of the training data, for methods that model grades.
    curve_ : dict
        Learning curve: arrays 'round', 'train', 'valid' and one per further evaluation set.
    importance_ : Table
        Used features by descending importance.
    feature_importances_ : numpy.ndarray
        Importance of each feature, with sum 1.
    recipe_ : Recipe
        How the model was trained: a command line, and keyword arguments.
    checkpoint_ : bytes
        After an interrupted training: for ``fit(resume_from=...)``, or to write to a file.
    model_ : gradus._core.Model
        The model of the library.

    Examples
    --------
    >>> import gradus
    >>> train, test = gradus.synth.web(queries=40).split([0.7, 0.3])
    >>> ranker = gradus.Ranker("lambdamart", rounds=20, leaves=15).fit(train)
    >>> round(ranker.score(test), 2) > 0.4
    True
    """

    def predict(self, X: Any, qid: Any = None) -> Scores:
        """Return the scores of rows; higher is better.

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
            float64, in the order of the rows.
        """
        width = self._width
        if type(X) is np.ndarray and width >= 0 and qid is None and X.dtype is _FLOAT32:
            shape = X.shape
            if len(shape) == 2 and shape[1] == width and 0 < shape[0] <= FEW_ROWS \
                    and X.flags.c_contiguous and X.flags.aligned:
                out: Scores = np.empty(shape[0])
                self.model_.score_rows(X, shape[0], width, width, out)
                return out
        return self._scored(self._rows(X, qid))

    @available_if("probabilities")
    def predict_proba(self, X: Any, qid: Any = None) -> Scores:
        """Return the probability of each grade, for methods that model grades.

        Parameters
        ----------
        X : rows as for predict
            The rows.
        qid : array-like, optional
            Query of each row, as for predict.

        Returns
        -------
        numpy.ndarray
            float64, rows x grades; `classes_` has the grades.
        """
        return self._probabilities(self._rows(X, qid))

    @available_if("grades")
    def predict_grade(self, X: Any, qid: Any = None) -> Scores:
        """Return the predicted grade of rows, for methods that model grades.

        Parameters
        ----------
        X : rows as for predict
            The rows.
        qid : array-like, optional
            Query of each row, as for predict.

        Returns
        -------
        numpy.ndarray
            float64, values of `classes_`. For models with thresholds: the number of thresholds that
            the output reaches; for others the most probable grade.
        """
        return self._grades(self._rows(X, qid))

    @property
    def classes_(self) -> Scores:
        """Grades of the training data, for methods that model grades."""
        values = self._fitted_model().info()["grade_values"]
        if not values:
            raise AttributeError("classes_")
        return np.array(values, dtype=np.float64)

    def rank(self, X: Any, qid: Any = None, *, top: int | None = None) -> Ranking:
        """Rank the rows of each query.

        Parameters
        ----------
        X : rows as for predict
            The rows.
        qid : array-like, optional
            Query of each row; default: the query column or the queries of the data, else all rows
            are one query.
        top : int, optional
            Rows per query; default: all.

        Returns
        -------
        Ranking
            A table with the columns query, row (position in X), rank (from 1), score. Queries are
            in order of first appearance, ties in the order of the rows.
        """
        data = self._rows(X, qid)
        return ranked(data, self._scored(data), top)

    def score(self, X: Any, y: Any = None, qid: Any = None, *, metric: str | None = None,
              sample_weight: Any = None) -> float:
        """Return how good the ranking of rows is: the metric of training by default.

        Parameters
        ----------
        X : rows as for predict
            The rows. With the parameter `query` their queries are a column of X, so that
            scikit-learn's cross-validation, which passes only X and y, can compute ranking metrics.
        y : array-like
            Label of each row.
        qid : array-like, optional
            Query of each row.
        metric : str, optional
            A metric such as 'ndcg@10', 'map' or 'rmse'; default: the parameter `metric`.
        sample_weight : array-like, optional
            Weight of each row.

        Returns
        -------
        float
            The mean of the metric over queries; higher is better: errors are negated. Without
            queries, for methods that do not compare rows of a query, and if no metric is given,
            the coefficient of determination R2, as scikit-learn's regressors.
        """
        self._fitted_model()
        data = self._dataset(X, y, qid, sample_weight)
        scores = self._scored(self._rows(data))
        chosen = metric if metric is not None else vars(self).get("metric")
        if callable(chosen):
            from ._training import metric_for
            return metric_for(chosen, [data])(data._core, data._to_core(scores))
        if chosen is None and not data.has_queries and not self._compares_rows():
            return _r2(np.asarray(data.labels, dtype=np.float64), scores, data.weights)
        return self._evaluated(data, scores, chosen)

    def _compares_rows(self) -> bool:
        given = {name: vars(self).get(name) for name in ("method", "learner", "preset")}
        try:
            return _core.method_facts(given)["needs_queries"]
        except _core.Error:  # an imported model
            return True

    def _evaluated(self, data: Dataset, scores: Scores, metric: Any) -> float:
        options = {name: value for name, value in self._options().items()
                   if name in ("convention", "label-gain", "gain")}
        if options.get("gain") == "method":
            del options["gain"]
        options["metric"] = metric or self.model_.info()["metric"] or "ndcg@10"
        ordered = np.ascontiguousarray(data._to_core(scores))
        with collected() as notes:
            found = _core.evaluate(data._core, ordered, options, notes=notes,
                                   threads=self._thread_count())
        value = float(found["results"][0]["mean"])
        return -value if _core.metric_facts(str(options["metric"]))["lower_is_better"] else value


def _r2(labels: Scores, scores: Scores, weights: Any) -> float:
    weight = np.ones(len(labels)) if weights is None else np.asarray(weights, dtype=np.float64)
    mean = np.average(labels, weights=weight)
    total = float(np.sum(weight * (labels - mean) ** 2))
    error = float(np.sum(weight * (labels - scores) ** 2))
    if total == 0.0:
        return 1.0 if error == 0.0 else 0.0
    return 1.0 - error / total


def complete_docstring(owner: type[Fitted]) -> None:
    """Add the parameters to the docstring of a class, before its attributes."""
    summary, head, rest = inspect.cleandoc(owner.__doc__ or "").partition("Attributes\n")
    owner.__doc__ = f"{summary}{owner._signature.document()}\n\n{head}{rest}\n"


complete_docstring(Ranker)
