# SPDX-License-Identifier: Apache-2.0
"""Data: rows of features with labels, grouped by query.

Float32 arrays with contiguous rows and float32 CSR matrices are used without copying them; all
else is converted once. Rows of the same query need not be contiguous: the library then works on a
copy in which they are, while everything that has one item per row is passed and returned in the
order of the input.
"""
from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from gradus import _arrays, _core, _queries
from gradus._arrays import Array
from gradus._core import Dataset as CoreDataset
from gradus._description import Description, Overlap
from gradus._notes import collected
from gradus._threads import get_threads, resolve

PathLike: TypeAlias = str | os.PathLike[str]
Progress: TypeAlias = Callable[[str, float], object] | None

_Item = TypeVar("_Item", bound=np.generic)


class Dataset:
    """Rows of features with labels, grouped by query. Immutable.

    Made by `read`, `from_arrow`, `as_dataset` and the functions of `gradus.synth`, or from arrays
    by ``Dataset(X, y, qid)``, which takes the arguments of `as_dataset`.

    Attributes
    ----------
    rows, features, queries : int
        Sizes. Without query information all rows form one query.
    has_queries : bool
        Whether there is query information.
    has_labels : bool
        Whether labels were given; otherwise all are 0.
    sparse : bool
        Whether rows are stored sparse.
    """

    _core: CoreDataset
    has_labels: bool

    def __new__(cls, X: object, y: object = None, qid: object = None, **options: Any) -> Dataset:
        return as_dataset(X, y, qid, **options)

    @classmethod
    def _wrap(cls, core: CoreDataset, *, has_labels: bool = True,
              borrowed: bool = False) -> Dataset:
        """borrowed: the rows have the order of the input."""
        data: Dataset = object.__new__(cls)
        data._core = core
        data.has_labels = has_labels
        data._order = None
        data._order_known = borrowed
        return data

    # ---- order of rows

    _order: Array | None  # row of the core at each row of the input; None: the same
    _order_known: bool

    def _input_order(self) -> Array | None:
        if not self._order_known:
            order = np.empty(self.rows, np.uint64)
            self._core.file_order(order)
            moved = bool((order[1:] < order[:-1]).any())
            self._order = order.astype(np.intp) if moved else None
            self._order_known = True
        return self._order

    def _to_input(self, values: npt.NDArray[_Item]) -> npt.NDArray[_Item]:
        """Items per row in the order of the input, from those in the order of the library."""
        order = self._input_order()
        return values if order is None else values[order]

    def _to_core(self, values: npt.NDArray[_Item]) -> npt.NDArray[_Item]:
        """Items per row in the order of the library, from those in the order of the input."""
        order = self._input_order()
        if order is None:
            return values
        moved = np.empty_like(values)
        moved[order] = values
        return moved

    # ---- sizes and content

    @property
    def rows(self) -> int:
        """Number of rows (documents)."""
        return self._core.rows

    @property
    def features(self) -> int:
        """Number of features (columns)."""
        return self._core.features

    @property
    def queries(self) -> int:
        """Number of queries; 1 without query information."""
        return self._core.queries

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and features."""
        return self._core.rows, self._core.features

    @property
    def has_queries(self) -> bool:
        """Whether there is query information."""
        return self._core.has_queries

    @property
    def sparse(self) -> bool:
        """Whether rows are stored sparse."""
        return self._core.sparse

    @property
    def first_id(self) -> int:
        """Number of the first feature in the file, 0 or 1."""
        return self._core.first_id

    def _array(self, name: Any, dtype: type[np.generic]) -> Array | None:
        view = self._core.array(name)
        return None if view is None else np.asarray(view).view(dtype)

    @property
    def X(self) -> Any:
        """The features: a read-only float32 array, or a scipy.sparse CSR matrix.

        Views of the dataset's memory, unless rows of a query were not contiguous in the input.
        """
        if self.sparse:
            return self._sparse_view()
        values = self._array("values", np.float32)
        assert values is not None
        return self._to_input(values)

    def _sparse_view(self) -> Any:
        from scipy import sparse  # type: ignore[import]

        starts = self._array("row_starts", np.uint64)
        columns = self._array("columns", np.uint32)
        entries = self._array("entries", np.float32)
        assert starts is not None
        if columns is None or entries is None:
            columns, entries = np.empty(0, np.uint32), np.empty(0, np.float32)
        small = int(starts[-1]) <= np.iinfo(np.int32).max and self.features < 1 << 31
        indices = columns.view(np.int32) if small else columns.astype(np.int64)
        offsets = starts.astype(np.int32 if small else np.int64)
        matrix = sparse.csr_matrix((entries, indices, offsets), shape=self.shape, copy=False)
        matrix.has_sorted_indices = True
        order = self._input_order()
        return matrix if order is None else matrix[order]

    @property
    def labels(self) -> npt.NDArray[np.float32]:
        """Label of each row; 0 without labels (`has_labels`)."""
        values = self._array("labels", np.float32)
        assert values is not None
        return self._to_input(values)

    @property
    def weights(self) -> npt.NDArray[np.float32] | None:
        """Weight of each row; None: all 1."""
        values = self._array("row_weights", np.float32)
        return None if values is None else self._to_input(values)

    @property
    def query_weights(self) -> npt.NDArray[np.float32] | None:
        """Weight of each query; None: all 1."""
        return self._array("query_weights", np.float32)

    @property
    def query_starts(self) -> npt.NDArray[np.uint64]:
        """Offset of the first row of each query, and the number of rows, in library order."""
        starts = self._array("query_starts", np.uint64)
        return np.array([0, self.rows], np.uint64) if starts is None else starts

    @property
    def qid(self) -> Array | None:
        """Query id of each row: int64 if all ids are whole numbers, else str objects.

        None without query information.
        """
        if not self.has_queries:
            return None
        return self._to_input(_queries.row_ids(self.query_names, self.query_starts))

    @property
    def group(self) -> npt.NDArray[np.int64]:
        """Number of rows of each query."""
        return np.diff(self.query_starts.astype(np.int64))

    @property
    def query_names(self) -> list[str] | None:
        """Id of each query, in order of first appearance; None without ids."""
        return self._core.query_names()

    @property
    def feature_names(self) -> list[str] | None:
        """Name of each feature; None without names."""
        return self._core.feature_names()

    @property
    def document_names(self) -> list[str] | None:
        """Document id of each row; None without ids."""
        names = self._core.document_names()
        order = self._input_order()
        if names is None or order is None:
            return names
        return [names[row] for row in order.tolist()]

    @property
    def label_kind(self) -> str:
        """"grades" (whole numbers from 0), "numbers" (from 0), or "other" (some are negative)."""
        return self._core.label_kind(threads=get_threads())

    @property
    def fingerprint(self) -> int:
        """Hash of everything that training uses of the data, independent of the input format."""
        return self._core.fingerprint(threads=get_threads())

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        queries = _count(self.queries, "query", "queries") if self.has_queries else "no queries"
        parts = [_count(self.rows, "row"), _count(self.features, "feature"), queries]
        parts += [self._label_range()] + (["sparse"] if self.sparse else [])
        return "Dataset: " + ", ".join(parts)

    def _label_range(self) -> str:
        if not self.has_labels:
            return "no labels"
        labels = self._array("labels", np.float32)
        assert labels is not None
        low, high = (_core.number_text(float(value)) for value in (labels.min(), labels.max()))
        return f"label {low}" if low == high else f"labels {low}-{high}"

    # ---- other datasets

    def subset(self, queries: object) -> Dataset:
        """Copy some queries.

        Parameters
        ----------
        queries : list of int or str, or bool array
            Positions of the queries, their ids as text, or one bool per query. The rows of the
            result are grouped by query, in the order given.

        Returns
        -------
        Dataset
        """
        chosen = self._query_positions(queries)
        core = self._core.subset(chosen, threads=get_threads())
        return self._wrap(core, has_labels=self.has_labels)

    def _query_positions(self, queries: object) -> npt.NDArray[np.uint64]:
        words = [queries] if isinstance(queries, (str, int)) else queries
        array = np.asarray(words)
        if array.dtype.kind == "b":
            if array.shape != (self.queries,):
                raise ValueError(f"queries has the shape {array.shape}, expected one bool per "
                                 f"query: ({self.queries},)")
            array = np.flatnonzero(array)
        elif array.dtype.kind in "UO":
            array = np.array([self._core.find_query(str(word)) for word in array.tolist()])
        elif array.size and array.dtype.kind not in "iu":
            raise TypeError(f"queries has dtype {array.dtype}, expected whole numbers, text or "
                            "bool")
        if array.size == 0:
            raise ValueError("queries is empty; expected at least one query")
        if int(array.min()) < 0 or int(array.max()) >= self.queries:
            bad = array[(array < 0) | (array >= self.queries)][0]
            raise ValueError(f"query {bad} does not exist; expected 0 to {self.queries - 1}")
        return np.ascontiguousarray(array, dtype=np.uint64)

    def split(self, fractions: Sequence[float] | None = None, *, folds: int | None = None,
              in_order: bool = False, seed: int = 1) -> list[Any]:
        """Divide the queries at random into parts, or into folds for cross-validation.

        Parameters
        ----------
        fractions : list of float, optional
            Relative sizes of the parts. Default: ``[0.6, 0.2, 0.2]``.
        folds : int, optional
            Number of parts of equal size, each of which is the test set of one fold.
        in_order : bool, default False
            Do not shuffle: the first queries go to the first part.
        seed : int, default 1
            Seed of the shuffle.

        Returns
        -------
        list
            Of the parts, as Datasets; with `folds` of pairs (train, test).
        """
        if folds is not None and folds < 2:
            raise ValueError(f"folds={folds}: expected 2 or more, so that each has a training set")
        parts = self.parts(fractions, folds=folds, in_order=in_order, seed=seed)
        count = int(parts.max()) + 1
        if folds is None:
            count = max(count, 3 if fractions is None else len(fractions))
            return [self._part(parts == part, part) for part in range(count)]
        return [(self.subset(parts != part), self.subset(parts == part)) for part in range(count)]

    def _part(self, chosen: npt.NDArray[np.bool_], part: int) -> Dataset:
        if not chosen.any():
            raise ValueError(f"part {part} of the split has no query: {self.queries} queries are "
                             "too few")
        return self.subset(chosen)

    def parts(self, fractions: Sequence[float] | None = None, *, folds: int | None = None,
              in_order: bool = False, seed: int = 1) -> npt.NDArray[np.int64]:
        """Return the part of each query, from 0. Parameters: see `split`."""
        options: dict[str, object] = {"folds": folds, "in-order": in_order, "seed": seed}
        if fractions is not None:
            if len(fractions) == 0:
                raise ValueError("fractions is empty; expected the relative size of each part")
            options["fractions"] = ",".join(_core.number_text(float(part)) for part in fractions)
        part_of_query = np.empty(self.queries, np.uint64)
        self._core.split(part_of_query, options)
        return part_of_query.astype(np.int64)

    def transform(self, kind: str, *, keep_zeros: bool = False) -> Dataset:
        """Copy with rescaled features, using statistics of the data itself.

        Parameters
        ----------
        kind : {"none", "minmax", "query", "standardise"}
            How features are rescaled.
        keep_zeros : bool, default False
            Scale without shifting, so that zeros stay 0 and sparse rows sparse.
        """
        with collected() as notes:
            core = self._core.transform({"transform": kind, "keep-zeros": keep_zeros},
                                        threads=get_threads(), notes=notes)
        return self._wrap(core, has_labels=self.has_labels)

    def concat(self, *others: Dataset) -> Dataset:
        """Copy the rows of this and other datasets. Queries with the same id are merged.

        Parameters
        ----------
        *others : Dataset
            Datasets with the same features.

        Returns
        -------
        Dataset
            The rows of this dataset first.
        """
        sets = [self, *others]
        with collected() as notes:
            core = _core.Dataset.join([one._core for one in sets], threads=get_threads(),
                                      notes=notes)
        return self._wrap(core, has_labels=all(one.has_labels for one in sets))

    # ---- descriptions and files

    def describe(self) -> Description:
        """Summary: sizes, labels, missing values, constant and duplicate features."""
        return Description(self._core.describe(threads=get_threads()), self.feature_names)

    def overlap(self, other: Dataset) -> Overlap:
        """Find leakage between two datasets: common queries and rows, differing features.

        Parameters
        ----------
        other : Dataset
            Such as the test set of this training set.

        Returns
        -------
        Overlap
            A summary.
        """
        return Overlap(self._core.overlap(other._core, threads=get_threads()))

    def write(self, path: PathLike, **options: object) -> None:
        """Write a file in the format of its extension.

        Parameters
        ----------
        path : str or os.PathLike
            ``.csv``, ``.tsv``, ``.gradus`` (binary), otherwise LETOR text; a final ``.gz`` or
            ``.zst`` compresses it.
        **options
            Options of ``gradus convert`` for writing, with ``_`` for ``-``.
        """
        with collected() as notes:
            self._core.write(os.fspath(path), options, threads=get_threads(), notes=notes)

    def to_pandas(self) -> Any:
        """Return a DataFrame: label, qid, weight and document if present, then the features."""
        import pandas  # type: ignore[import]

        columns: dict[str, object] = {}
        if self.has_labels:
            columns["label"] = self.labels
        for name, values in (("qid", self.qid), ("weight", self.weights),
                             ("document", self.document_names)):
            if values is not None:
                columns[name] = values
        names = self.feature_names or [f"f{self.first_id + i}" for i in range(self.features)]
        if self.sparse:
            table = pandas.DataFrame.sparse.from_spmatrix(self.X, columns=names)
        else:
            table = pandas.DataFrame(self.X, columns=names)
        return pandas.concat([pandas.DataFrame(columns, index=table.index), table], axis=1)

    # ---- copy and pickle

    def __copy__(self) -> Dataset:
        return self

    def __deepcopy__(self, memo: object) -> Dataset:
        return self

    def __reduce__(self) -> tuple[Callable[..., Dataset], tuple[object, ...]]:
        return _unpickle, (_content(self._core), self.has_labels)


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _content(core: CoreDataset) -> bytes:
    """The dataset as a binary file, which also has names, weights and the order of the input."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.gradus")
        core.write(path, threads=get_threads())
        with open(path, "rb") as file:
            return file.read()


def _unpickle(content: bytes, has_labels: bool) -> Dataset:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.gradus")
        with open(path, "wb") as file:
            file.write(content)
        core = _core.Dataset.read([path], threads=get_threads())
        core.array("labels")  # verifies the content, and reads it before the file is removed
        return Dataset._wrap(core, has_labels=has_labels)


# ---- reading


def read(path: PathLike | Iterable[PathLike], *, threads: int | None = None, max_memory: int = 0,
         progress: Progress = None, **options: object) -> Dataset:
    """Read data files.

    Parameters
    ----------
    path : str, os.PathLike, or list of these
        LETOR/SVMlight text, CSV, TSV or gradus binary, plain or compressed with gzip or zstd; the
        format is detected from the content. Several files are read as one dataset.
    threads : int, optional
        Default: that of `set_threads`.
    max_memory : int, default 0
        Limit in bytes; 0: none.
    progress : function, optional
        Called with a phase ("reading") and the fraction done. An exception cancels reading.
    **options
        Options of the operation "read", with ``_`` for ``-``: ``label_column``, ``query_column``,
        ``features``, ``storage``, ``row_weights`` and others.

    Returns
    -------
    Dataset
    """
    paths = _paths(path)
    with collected() as notes:
        core = _core.Dataset.read(paths, options, threads=resolve(threads), max_memory=max_memory,
                                  notes=notes, progress=progress)
    return Dataset._wrap(core, has_labels=_has_labels(core, options))


def _has_labels(core: CoreDataset, options: Mapping[str, object]) -> bool:
    """Labels that may be absent are 0 in all rows then."""
    if not (options.get("label_optional") or options.get("label-optional")):
        return True
    return bool(np.asarray(core.array("labels")).any())


def _paths(path: object) -> list[str]:
    if isinstance(path, (str, os.PathLike)):
        return [_path(path)]
    if not isinstance(path, Iterable) or isinstance(path, (bytes, Mapping)):
        raise TypeError(f"path must be str, os.PathLike or a list of these, not "
                        f"{type(path).__name__}")
    paths = [_path(one) for one in path]
    if not paths:
        raise ValueError("the list of paths is empty")
    return paths


def _path(path: object) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path must be str or os.PathLike, not {type(path).__name__}")
    return os.fsdecode(path)


def from_arrow(table: object, *, label: str | None = None, query: str | None = None,
               weight: str | None = None, document: str | None = None, threads: int | None = None,
               max_memory: int = 0, progress: Progress = None, **options: object) -> Dataset:
    """Read an Arrow stream, such as a table of pyarrow, Polars or DuckDB.

    Parameters
    ----------
    table : object
        With the method ``__arrow_c_stream__``, or a capsule "arrow_array_stream".
    label, query, weight, document : str, optional
        Names of the columns. Default: ``label`` (or ``relevance``, ``grade``, ``rating``, else the
        first column), ``qid`` (or ``query``, ``query_id``), ``weight``, ``docid`` (or
        ``document``). All other columns are features.
    threads, max_memory, progress
        See `read`.
    **options
        Options of the operation "read" that apply to CSV columns, such as ``ignore_column``.

    Returns
    -------
    Dataset
    """
    if not _has_arrow(table) and type(table).__name__ != "PyCapsule":
        raise TypeError(f"expected an object with the method __arrow_c_stream__, not "
                        f"{type(table).__name__}")
    columns = {"label_column": label, "query_column": query, "weight_column": weight,
               "document_column": document}
    given = {name: value for name, value in columns.items() if value is not None}
    twice = sorted(given.keys() & options.keys())
    if twice:
        raise TypeError(f"{twice[0]} and {twice[0].partition('_')[0]} exclude each other")
    with collected() as notes:
        core = _core.Dataset.from_arrow(table, {**options, **given}, threads=resolve(threads),
                                        max_memory=max_memory, notes=notes, progress=progress)
    return Dataset._wrap(core, has_labels=_has_labels(core, options))


def _has_arrow(table: object) -> bool:
    return hasattr(table, "__arrow_c_stream__")


# ---- anything to a dataset


def as_dataset(X: object, y: object = None, qid: object = None, *, weight: object = None,
               query_weight: object = None, group: object = None, query: str | int | None = None,
               label: str | int | None = None, document: object = None,
               feature_names: Sequence[str] | None = None, threads: int | None = None,
               need_labels: bool = True) -> Dataset:
    """Convert arrays, tables and files to a Dataset.

    Parameters
    ----------
    X : Dataset, array, sparse matrix, DataFrame, Arrow table, path, or tuple
        The features. NaN, None and masked values are missing. A tuple is (X, y) or (X, y, qid). A
        Dataset is returned as it is.
    y : array of numbers, optional
        Label of each row.
    qid : array of whole numbers or text, optional
        Query id of each row, in any order. Default: no query information.
    weight : array of numbers, or str, optional
        Weight of each row, or the name of its column.
    query_weight : array of numbers, optional
        Weight of each query, in order of first appearance.
    group : list of int, optional
        Number of rows of each query, in order, instead of `qid`.
    query, label : str or int, optional
        Column of X with query ids or labels, which is then not a feature: a name in tables, an
        index in arrays.
    document : str, or list of str, optional
        Column of a table with document ids, or the ids.
    feature_names : list of str, optional
        Default: the column names of a table if all are text.
    threads : int, optional
        Default: that of `set_threads`.
    need_labels : bool, default True
        Whether labels are required. If not, those that are absent are 0, and a column of a
        DataFrame named by `query`, `label`, `weight` or `document` may be absent.

    Returns
    -------
    Dataset

    Notes
    -----
    Arrays that are not copied must not be changed as long as the dataset is used. These are:
    float32 arrays and DataFrames whose rows are contiguous, float32 CSR matrices with sorted
    indices, and float32 labels and weights, unless the rows of a query are scattered.
    """
    if isinstance(X, tuple) and y is None and qid is None:
        X, y, qid = _unpacked(X)
    given = {"y": y, "qid": qid, "weight": weight, "query_weight": query_weight, "group": group,
             "document": document}
    if isinstance(X, Dataset):
        _refuse_extras(given, X)
        return X
    if _is_path(X) or (_has_arrow(X) and not _arrays.is_frame(X)):
        return _read_table(X, given, {"query": query, "label": label}, threads, need_labels)
    roles: dict[str, object] = {"query": query, "label": label}
    roles.update(_named_columns(given))
    chosen = _arrays.choose(X, roles, feature_names, optional=not need_labels)
    given.update(_from_columns(given, chosen.columns))
    return _from_features(chosen.features, given, need_labels, resolve(threads))


def _named_columns(given: dict[str, object]) -> dict[str, object]:
    """Arguments that may be arrays, but are names of columns."""
    return {name: given[name] for name in ("weight", "document") if isinstance(given[name], str)}


def _unpacked(X: tuple[Any, ...]) -> tuple[object, object, object]:
    if len(X) not in (2, 3):
        raise ValueError(f"a tuple of {len(X)} items; expected (X, y) or (X, y, qid)")
    return (X[0], X[1], X[2] if len(X) == 3 else None)


def _refuse_extras(given: dict[str, object], X: Dataset) -> None:
    for name, value in given.items():
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name} must be None if X is a Dataset, which has its own")


def _is_path(X: object) -> bool:
    if isinstance(X, (str, os.PathLike)):
        return True
    return isinstance(X, list) and bool(X) and all(isinstance(x, (str, os.PathLike)) for x in X)


def _from_columns(given: dict[str, object], columns: dict[str, object]) -> dict[str, object]:
    """The arguments that columns of X replace."""
    replaced: dict[str, object] = {}
    for name in _named_columns(given):
        replaced[name] = columns.get(name)
    for role, name in (("label", "y"), ("query", "qid")):
        if role in columns:
            if given[name] is not None:
                raise ValueError(f"{role} names a column of X, so {name} must be None")
            replaced[name] = columns[role]
    return replaced


def _from_features(features: _arrays.Features, given: dict[str, object], need_labels: bool,
                   threads: int) -> Dataset:
    arguments = features.arguments()
    rows = features.rows
    if given["y"] is None and need_labels:
        raise ValueError("this method requires y to be passed, but the target y is None")
    labels = (np.zeros(rows, np.float32) if given["y"] is None
              else _arrays.labels(given["y"], rows))
    queries = _queries_of(given, rows)
    if queries is not None:
        arguments.update(queries.arguments())
    if given["weight"] is not None:
        arguments["row_weights"] = _arrays.weights(given["weight"], rows)
    if given["query_weight"] is not None:
        count = 1 if queries is None else queries.count
        arguments["query_weights"] = _arrays.weights(given["query_weight"], count, "query_weight",
                                                     "queries")
    if given["document"] is not None:
        arguments["document_names"] = _queries.document_names(given["document"], rows)
    core = _core.Dataset.from_arrays(labels=labels, feature_names=features.names, threads=threads,
                                     **arguments)
    contiguous = queries is None or queries.starts is not None
    return Dataset._wrap(core, has_labels=given["y"] is not None, borrowed=contiguous)


def _queries_of(given: dict[str, object], rows: int) -> _queries.Queries | None:
    if given["group"] is not None:
        if given["qid"] is not None:
            raise ValueError("qid and group exclude each other")
        return _queries.from_sizes(given["group"], rows)
    return None if given["qid"] is None else _queries.from_ids(given["qid"], rows)


def _read_table(X: Any, given: dict[str, object], roles: dict[str, str | int | None],
                threads: int | None, need_labels: bool) -> Dataset:
    """A file or an Arrow stream, whose labels, queries and weights may be given as arrays."""
    columns: dict[str, object] = dict(roles)
    columns.update(_named_columns(given))
    named: dict[str, Any] = {role: _column_word(name, role) for role, name in columns.items()
                             if name is not None}
    options: dict[str, Any] = {}
    if given["y"] is not None or not need_labels:
        options["label_optional"] = True
    if _has_arrow(X):
        data = from_arrow(X, threads=threads, **named, **options)
    else:
        options.update({f"{role}_column": name for role, name in named.items()})
        data = read(X, threads=threads, **options)
    replaced = {name: value for name, value in given.items()
                if value is not None and not isinstance(value, str)}
    return _with(data, replaced, resolve(threads)) if replaced else data


def _column_word(column: object, role: str) -> str:
    """The library numbers columns from 1."""
    if isinstance(column, str):
        return column
    if isinstance(column, bool) or not isinstance(column, (int, np.integer)) or column < 0:
        raise TypeError(f"{role} must be the name of a column or its index from 0, not {column!r}")
    return str(int(column) + 1)


def _with(data: Dataset, replaced: dict[str, object], threads: int) -> Dataset:
    """The features of a dataset with other labels, queries or weights."""
    labels = data.labels if data.has_labels else None
    given = {"y": replaced.get("y", labels), "weight": replaced.get("weight", data.weights),
             "qid": replaced.get("qid"), "group": replaced.get("group"),
             "query_weight": replaced.get("query_weight"),
             "document": replaced.get("document", data.document_names)}
    if given["qid"] is None and given["group"] is None:
        given["qid"] = data.qid
        given["query_weight"] = replaced.get("query_weight", data.query_weights)
    chosen = _arrays.choose(data.X, {}, data.feature_names, optional=True)
    return _from_features(chosen.features, given, False, threads)


def with_labels(data: Dataset, labels: object) -> Dataset:
    """Return data with other labels."""
    return _with(data, {"y": labels}, resolve(None))


# ---- checks at predict


def check_features(data: Dataset, features: int, names: Sequence[str] | None,
                   estimator: str = "the model") -> None:
    """Raise an error unless the data have the features that a model was trained with.

    Parameters
    ----------
    data : Dataset
    features : int
        Number of features at fit.
    names : list of str or None
        Their names, which are compared if the data have names, too.
    estimator : str
        For the message.
    """
    found = data.feature_names
    if found is not None and names is not None and list(names) != found:
        raise ValueError(_differing_names(found, list(names)))
    if data.features != features:
        raise ValueError(f"X has {data.features} features, but {estimator} is expecting {features} "
                         "features as input.")


def _differing_names(found: list[str], names: list[str]) -> str:
    text = "The feature names should match those that were passed during fit.\n"
    unseen, missing = sorted(set(found) - set(names)), sorted(set(names) - set(found))
    for title, words in (("Feature names unseen at fit time", unseen),
                         ("Feature names seen at fit time, yet now missing", missing)):
        if words:
            text += f"{title}:\n" + "".join(f"- {word}\n" for word in words[:5])
            text += "- ...\n" if len(words) > 5 else ""
    if not unseen and not missing:
        text += "Feature names must be in the same order as they were in fit.\n"
    return text
