# SPDX-License-Identifier: Apache-2.0
"""What estimators have after fit: scores, the learning curve, importance, files.

A model is immutable: copies of an estimator share it, and pickles contain its bytes.
"""
from __future__ import annotations

import copy
import copyreg
import shlex
from collections.abc import Callable, Iterator
from os import PathLike, fspath
from types import MethodType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core, _html
from ._estimator import Estimator, not_fitted
from ._notes import collected
from ._parameters import option_value, parameters, store, typed
from .data import Dataset, as_dataset, check_features

if TYPE_CHECKING:
    from ._tables import Table

Array = npt.NDArray[Any]
Scores = npt.NDArray[np.float64]
Function = TypeVar("Function", bound=Callable[..., Any])
Self = TypeVar("Self", bound="Fitted")

# methods whose models predict grades, and those that also predict their probabilities
PROBABILITIES = frozenset(("cocr", "mcrank", "mcrank-ordinal", "propodds", "adaboost-mh",
                           "calibrated"))
GRADES = PROBABILITIES | {"orboost", "svor-imc", "svor-exc", "svor-sl"}

FEW_ROWS = 64  # scored on the calling thread, without a dataset


def _read_model(content: bytes) -> _core.Model:
    return _core.Model.from_bytes(content)


copyreg.pickle(_core.Model, lambda model: (_read_model, (model.to_bytes(),)))


class _Available:
    """A method that only estimators with a certain capability have."""

    def __init__(self, function: Callable[..., Any], capability: str) -> None:
        self._function = function
        self._capability = capability
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self._function
        if not instance._is_capable(self._capability):
            raise AttributeError(self.__name__)
        return MethodType(self._function, instance)


def available_if(capability: str) -> Callable[[Function], Function]:
    """Return a decorator for methods that need "grades" or "probabilities"."""
    def decorate(function: Function) -> Function:
        return _Available(function, capability)  # type: ignore[return-value]
    return decorate


class Recipe(NamedTuple):
    """How a model was trained.

    Attributes
    ----------
    command : str
        Command line that trains the same model from files; names in capitals stand for them. Empty
        if functions of Python, `objective` or `metric`, took part.
    parameters : dict
        Keyword arguments of the estimator that do the same.
    """

    command: str
    parameters: dict[str, Any]

    def __str__(self) -> str:
        """Return the command line."""
        return self.command


class Ranking:
    """Ranked rows, query by query.

    Attributes
    ----------
    query : numpy.ndarray
        Id of the query.
    row : numpy.ndarray
        Position of the row in the input, from 0.
    rank : numpy.ndarray
        Rank within the query, from 1.
    score : numpy.ndarray
        Score, in descending order within a query.
    """

    def __init__(self, query: Array, row: Array, rank: Array, score: Array) -> None:
        self.query, self.row, self.rank, self.score = query, row, rank, score

    columns = ("query", "row", "rank", "score")

    def __len__(self) -> int:
        """Return the number of ranked rows."""
        return len(self.row)

    def __iter__(self) -> Iterator[tuple[Any, int, int, float]]:
        """Iterate over tuples (query, row, rank, score)."""
        lists = [getattr(self, name).tolist() for name in self.columns]
        return iter(zip(*lists))

    @property
    def frame(self) -> Any:
        """The table as a pandas DataFrame."""
        from ._tables import need_pandas
        pandas = need_pandas("Ranking.frame", "list(ranking)")
        return pandas.DataFrame({name: getattr(self, name) for name in self.columns})

    def _cells(self, most: int) -> list[list[str]]:
        items = [row for _, row in zip(range(most), self)]
        return [[str(q), str(row), str(rank), f"{score:.6g}"] for q, row, rank, score in items]

    def __repr__(self) -> str:
        """Return the first 20 rows as text."""
        from ._tables import text_table
        more = f"\n... {len(self)} rows" if len(self) > 20 else ""
        return text_table(self.columns, self._cells(20)) + more

    def _repr_html_(self) -> str:
        note = f"the first 20 of {len(self)} rows" if len(self) > 20 else ""
        return _html.fragment(_html.table(self.columns, self._cells(20), styles=("text",)),
                              _html.quiet(note))


def ranked(data: Dataset, scores: Scores, top: int | None) -> Ranking:
    """Return the rows of each query by descending score, ties in input order."""
    if top is not None and top < 1:
        raise ValueError(f"top={top}: expected 1 or more rows per query")
    qid = np.asarray(data.qid) if data.has_queries else np.zeros(data.rows, dtype=np.int64)
    _, first, number = np.unique(qid, return_index=True, return_inverse=True)
    order = np.lexsort((np.arange(data.rows), -scores, first[number]))
    starts = first[number][order]
    new = np.r_[True, starts[1:] != starts[:-1]]
    begin = np.maximum.accumulate(np.where(new, np.arange(data.rows), 0))
    rank = np.arange(data.rows) - begin + 1
    if top is not None:
        kept = rank <= top
        order, rank = order[kept], rank[kept]
    return Ranking(qid[order], order, rank, scores[order])


_MISSING = {
    "classes_": "the model has no grades",
    "predict_grade": "the model has no grades",
    "predict_proba": "the model has no grade probabilities",
    "coef_": "the model is not linear",
    "intercept_": "the model is not linear",
    "threshold_": "the model has no thresholds",
    "standard_errors_": "the model has no standard errors",
    "log_likelihood_": "the model was not fitted by maximum likelihood",
    "feature_names_in_": "the training data had no feature names",
    "recipe_": "the model was imported or combined from others, not trained by gradus",
    "checkpoint_": "training was not interrupted, or the method cannot be resumed",
}


class Fitted(Estimator):
    """Scores, facts and files of the model of an estimator."""

    if TYPE_CHECKING:
        model_: _core.Model
        n_features_in_: int
        query: str | int | None
        threads: int | None

    _width = -1  # features that the quick path of predict expects; -1: it cannot be used
    _by_query = False  # the score of a row depends on the other rows of its query
    _curves: dict[str, dict[int, float]] = {}

    def __getattr__(self, name: str) -> Any:
        if name in _MISSING and "model_" in vars(self):
            owner = type(self).__name__
            raise AttributeError(f"'{owner}' object has no '{name}': {_MISSING[name]}")
        return super().__getattr__(name)

    # ---- the model
    def _adopt(self, model: _core.Model) -> None:
        """Make a model that of the estimator."""
        facts = model.info()
        self.model_ = model
        self.n_features_in_ = int(facts["features"])
        within = facts["combination"] in ("borda", "reciprocal-rank", "standardized")
        self._by_query = bool(within or model.options().get("transform") == "query")
        quick = vars(self).get("query") is None and not self._by_query
        self._width = self.n_features_in_ if quick else -1

    def _is_few(self, X: Any, qid: object) -> bool:
        """Whether X is a small array that the model can score without a dataset."""
        return (type(X) is np.ndarray and X.ndim == 2 and X.dtype == np.float32 and qid is None
                and X.shape[1] == self._width and 0 < X.shape[0] <= FEW_ROWS
                and bool(X.flags.c_contiguous and X.flags.aligned))

    @classmethod
    def _from_model(cls: type[Self], model: _core.Model) -> Self:
        """Return a fitted estimator with the parameters that a model was trained with."""
        estimator = cls.__new__(cls)
        given = _changed_options(model)
        given.setdefault("method", model.info()["method"])
        store(estimator, given)
        estimator._adopt(model)
        return estimator

    def _fitted_model(self) -> _core.Model:
        model = vars(self).get("model_")
        if model is None:
            raise not_fitted(self)
        return model  # type: ignore[no-any-return]

    def _is_capable(self, capability: str) -> bool:
        model = vars(self).get("model_")
        if model is None:
            known = PROBABILITIES if capability == "probabilities" else GRADES
            return vars(self).get("method") in known
        facts = model.info()
        return bool(facts["probabilities"] if capability == "probabilities" else facts["grades"])

    # ---- rows to numbers
    def _rows(self, X: object, qid: object = None) -> Dataset:
        """Return the rows of X as data for the model, checked against the training data."""
        model = self._fitted_model()
        given = vars(self)
        whole = isinstance(X, (str, PathLike))
        data = as_dataset(X, None, qid, query=given.get("query"), need_labels=False,
                          threads=self._thread_count())
        # the library ignores further features of files, with a note
        width = data.features if whole else self.n_features_in_
        check_features(data, width, model.feature_names(), type(self).__name__)
        if self._by_query and not data.has_queries:
            raise ValueError("the scores of this model depend on the other rows of the query: pass "
                             "qid, or name the query column with the parameter query")
        return data

    def _scored(self, data: Dataset) -> Scores:
        out = np.empty(data.rows)
        with collected() as notes:
            self.model_.score(data._core, out, threads=self._thread_count(), notes=notes,
                              device=self._plugin())
        return np.asarray(data._to_input(out))

    def _probabilities(self, data: Dataset) -> Scores:
        out = np.empty((data.rows, self.model_.info()["grades"]))
        with collected() as notes:
            self.model_.probabilities(data._core, out.reshape(-1), notes=notes,
                                      threads=self._thread_count(), device=self._plugin())
        return np.asarray(data._to_input(out))

    def _grades(self, data: Dataset) -> Scores:
        out = np.empty(data.rows)
        with collected() as notes:
            self.model_.grades(data._core, out, threads=self._thread_count(), notes=notes,
                               device=self._plugin())
        return np.asarray(data._to_input(out))

    # ---- facts
    @property
    def members_(self) -> list[tuple[Any, float]]:
        """Members of an ensemble, each with its weight; empty for other models."""
        from .postprocessing import ranker_from
        model = self._fitted_model()
        found = (model.member(i) for i in range(model.info()["members"]))
        return [(ranker_from(part[0]), part[1]) for part in found if part is not None]

    @property
    def feature_names_in_(self) -> Array:
        """Names of the features in the training data."""
        names = self._fitted_model().feature_names()
        if names is None:
            raise AttributeError("feature_names_in_")
        return np.array(names, dtype=object)

    @property
    def curve_(self) -> dict[str, Array]:
        """Learning curve: arrays 'round', 'train', 'valid' and one per further evaluation set.

        Values that were not computed are NaN. The metric is that of the parameter `metric`.
        """
        round_, train, valid = self._fitted_model().curve()
        rounds = np.frombuffer(round_, dtype=np.uint64).astype(np.int64)
        curve = {"round": rounds, "train": np.frombuffer(train), "valid": np.frombuffer(valid)}
        for name, values in self._curves.items():
            curve[name] = np.array([values.get(r, np.nan) for r in rounds.tolist()])
        return curve

    @property
    def feature_importances_(self) -> Scores:
        """Importance of each feature, with sum 1; all 0 if the kind of model has none."""
        gains: Scores = np.frombuffer(self._fitted_model().importance()[0])
        total = float(gains.sum())
        return np.divide(gains, total) if total > 0 else gains.copy()

    @property
    def importance_(self) -> Table:
        """Used features by descending importance: a table with feature, gain and splits.

        For trees the gain is the total gain of the feature's splits; for linear models the absolute
        coefficient times the feature's standard deviation, summed over outputs.
        """
        from ._tables import Table
        model = self._fitted_model()
        facts = model.info()
        gain, splits = model.importance()
        gains, counts = np.frombuffer(gain), np.frombuffer(splits, dtype=np.uint64)
        names = model.feature_names() or [str(i + facts["first_id"]) for i in range(len(gains))]
        used = [i for i in np.argsort(-gains, kind="stable").tolist() if counts[i]]
        columns = ("feature", facts["gain_name"] or "gain", facts["count_name"] or "splits")
        rows = [dict(zip(columns, (names[i], float(gains[i]), int(counts[i])))) for i in used]
        return Table(f"importance: {len(used)} of {len(gains)} features are used", columns, rows)

    @property
    def recipe_(self) -> Recipe:
        """How the model was trained: a command line, and keyword arguments."""
        model = self._fitted_model()
        facts = model.info()
        given = _changed_options(model)
        if not given:
            raise AttributeError("recipe_")
        words = ["gradus", "train", "--method", str(given.get("method", facts["method"]))]
        words += ["--train", "TRAIN"] + ["--valid", "VALID"] * bool(facts["validated"])
        words += ["--start", "START"] * bool(facts["start_rounds"])
        for p in parameters("train"):
            if p.key in given and p.name != "method":
                value = given[p.key]
                words += [f"--{p.name}"] if value is True else [f"--{p.name}", _word(value)]
        functions = {key: vars(self).get(key) for key in ("objective", "metric")}
        own = {key: value for key, value in functions.items() if callable(value)}
        return Recipe("" if own else shlex.join([*words, "-o", "MODEL"]), {**given, **own})

    # ---- other models and files
    def with_scoring(self: Self, rule: str | None = None, **options: Any) -> Self:
        """Return a copy whose model has another scoring rule, or fewer rounds.

        Parameters
        ----------
        rule : str, optional
            Scoring rule: 'expected-grade', 'expected-gain', 'median-grade', ...
        **options : object
            Other options of scoring: gains, cost, weights, scales, prior, repair, rounds.

        Returns
        -------
        Ranker
            A fitted copy. The parameters stay those of training.
        """
        from ._parameters import Signature
        table = Signature("score", (), {})
        given = {table.by_key[table.key(key, "with_scoring()")].name: option_value(value)
                 for key, value in options.items()}
        if rule is not None:
            given["scoring"] = rule
        with collected() as notes:
            model = self._fitted_model().rescored(given, notes=notes)
        other = copy.copy(self)
        other._adopt(model)
        return other

    def explain(self, X: object, *, qid: object = None, **options: Any) -> Any:
        """Explain scores by Shapley values; see `gradus.explain`.

        Parameters
        ----------
        X : rows as for predict
            The rows to explain.
        qid : array-like, optional
            Query of each row.
        **options : object
            Options of `gradus.explain`: against='query', rows=[0, 1], ...

        Returns
        -------
        Explanation
            Contributions of the features to each row.
        """
        from .explanation import explain
        return explain(self, self._rows(X, qid), **options)

    def to_bytes(self) -> bytes:
        """Return the content of the file that `save` writes."""
        return self._fitted_model().to_bytes()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, which the command ``gradus`` and `load` read.

        Parameters
        ----------
        path : path
            The file.
        """
        self._fitted_model().write(fspath(path))

    @classmethod
    def load(cls: type[Self], path: str | PathLike[str]) -> Self:
        """Read a model.

        Parameters
        ----------
        path : path
            A model file of gradus, XGBoost (JSON, UBJ), LightGBM (text) or RankLib (XML).

        Returns
        -------
        Ranker
            A fitted estimator; its parameters are those that the model was trained with.
        """
        return cls._from_model(_core.Model.read(fspath(path)))

    @classmethod
    def from_bytes(cls: type[Self], content: bytes) -> Self:
        """Return a fitted estimator from the content of a model file, as `to_bytes` returns it.

        Parameters
        ----------
        content : bytes
            Content of a file that `load` reads, not compressed.

        Returns
        -------
        Ranker
            A fitted estimator.
        """
        return cls._from_model(_core.Model.from_bytes(content))

    def export(self, path: str | PathLike[str], format: str | None = None, *,
               parity: str | PathLike[str] | None = None, **options: Any) -> None:
        """Write the model in the format of another tool.

        Parameters
        ----------
        path : path
            The file.
        format : str, optional
            'onnx', 'xgboost-json', 'lightgbm', 'c', ...; default: by the extension of the file.
        parity : path, optional
            File for test rows with their scores, and a program that checks the exported model.
        **options : object
            Options of the format: name, opset_ml.
        """
        given = {key.replace("_", "-"): value for key, value in options.items()}
        given["format"] = format
        self._fitted_model().export_write(fspath(path), given,
                                          None if parity is None else fspath(parity))

    # ---- notebooks
    def _repr_html_(self) -> str:
        if "model_" not in vars(self):
            return _html.fragment(_html.head(repr(self)), _html.quiet("not fitted"))
        facts = self.model_.info()
        curve = self.curve_
        best = facts["best_round"] or None
        series = {name: values.tolist() for name, values in curve.items() if name != "round"}
        own = vars(self).get("metric")
        facts["metric"] = getattr(own, "__name__", "metric") if callable(own) else facts["metric"]
        chart = _html.curve_svg(curve["round"].tolist(), series, metric=facts["metric"], best=best)
        return _html.card(repr(self), _card_rows(self.model_, facts, curve), chart)


_COUNTS = ("trees", "leaves", "equations", "kernels", "support_rows", "voters", "units", "weights")


def _card_rows(model: _core.Model, facts: dict[str, Any],
               curve: dict[str, Array]) -> list[tuple[object, object]]:
    rows: list[tuple[object, object]] = []
    if facts["train_rows"]:
        queries = f", {facts['train_queries']:,} queries" if facts["train_queries"] > 1 else ""
        rows.append(("trained on", f"{facts['train_rows']:,} rows of {facts['features']:,} features"
                                   + queries))
    if facts["has_rounds"]:
        kept = f"{facts['rounds']:,}"
        done = facts["rounds_done"]
        rows.append(("rounds", f"{kept} of {done:,}" if done else kept))
    counts = model.facts()
    size = ", ".join(f"{counts[name]:,.0f} {name.replace('_', ' ')}" for name in _COUNTS
                     if counts.get(name))
    if size:
        rows.append(("size", size))
    rows += [(f"{facts['metric']}, {name}", f"{value:.4f}")
             for name, value in _last_values(facts, curve)]
    return rows


def _last_values(facts: dict[str, Any], curve: dict[str, Array]) -> list[tuple[str, float]]:
    """The metric on each set in the best round, or the last one before it that was evaluated."""
    last = facts["best_round"] or np.inf
    found = []
    for name, values in curve.items():
        if name == "round":
            continue
        known = values[(curve["round"] <= last) & ~np.isnan(values)]
        if known.size:
            found.append((name, float(known[-1])))
    return found


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else _core.number_text(float(value))  # type: ignore


def _changed_options(model: _core.Model) -> dict[str, Any]:
    """Options of training that the method does not imply, and those that follow from the data."""
    stored = model.options()
    if "method" not in stored:
        return {}
    implying = {name: stored[name] for name in ("method", "preset") if name in stored}
    usual = _core.option_values("train", implying)
    boosted = "leaves" in stored
    changed: dict[str, Any] = {}
    for p in parameters("train"):
        if p.name not in stored or p.name == "preset" and stored[p.name] == p.initial:
            continue
        text = stored[p.name]
        if text != usual[p.name] or boosted and p.rule or p.name in implying:
            changed[p.key] = typed(p, text)
    return changed
