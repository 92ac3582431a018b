# SPDX-License-Identifier: Apache-2.0
"""The C extension: objects of libgradus with the least possible Python around them.

Arrays are passed as buffers (numpy arrays are buffers) of exactly the documented item type, C-contiguous;
the modules above convert. Functions that fill an array take it as the argument `out`. Small arrays are
returned as bytes, for numpy.frombuffer. The GIL is released while the library works. Results do not
depend on `threads`; 0 means one thread per CPU. Notes of the library are appended to the list `notes`
after the call. `options` map option names, with '-' or '_', to values; None values are skipped.
Paths may also be bytes or os.PathLike.
"""
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

Buffer: TypeAlias = Any  # an object with the buffer protocol; collections.abc.Buffer from 3.12
Options: TypeAlias = Mapping[str, object] | None
Notes: TypeAlias = list[str] | None
# called with a phase ("reading") and the fraction done; an exception cancels the operation
Progress: TypeAlias = Callable[[str, float], object] | None

class Error(Exception):
    """Base class of the errors of gradus."""

class ArgumentError(Error, ValueError): ...  # GRADUS_BAD_ARGUMENT
class FormatError(Error, ValueError): ...  # GRADUS_BAD_FORMAT
class NumberError(Error, ValueError): ...  # GRADUS_BAD_NUMBER
class MemoryLimitError(Error, MemoryError): ...  # GRADUS_NO_MEMORY
class FileError(Error, OSError): ...  # GRADUS_NO_FILE
class Cancelled(Error): ...  # GRADUS_CANCELLED, if no callback raised and no signal arrived

# ---- the library and its tables
def version() -> str: ...
def build_info() -> dict[str, Any]: ...  # version, compiler, architecture, kernels, cpu_features {name: bool}, components {name: str | None}
def params(operation: str) -> list[dict[str, Any]]:
    """Each with name, argument, help, initial, choices (list or None), low, high, kind ("flag", "count",
    "real", "choice", "text"), path ("none", "read", "read-list", "read-folders", "written"), rule, aliases."""
def param_find(operation: str, name: str) -> dict[str, Any] | None: ...
def param_renamed(operation: str, name: str) -> str | None: ...
def catalogue(name: str) -> list[tuple[str, str, str]]: ...  # (name, summary, details)
def formats() -> list[dict[str, Any]]: ...  # name, used_by, extension, methods (list or None), tolerance
def experiments() -> list[dict[str, str]]: ...
def option_use(method: str, learner: str | None, option: str) -> Literal["unused", "used", "tuned"]: ...
def method_facts(options: Options) -> dict[str, bool]: ...  # by_rounds, needs_queries, needs_grades
def method_accepts(options: Options, name: str) -> bool: ...
def check_options(operation: str, options: Options) -> dict[str, str]:
    """Checks names and values; returns the options given, as text, with their present names."""
def option_values(operation: str, options: Options) -> dict[str, str]:
    """The values of all options as text: those given, those that they imply, and defaults."""
def metric_facts(metric: str) -> dict[str, bool]: ...  # lower_is_better, geometric, uses_gains
def suggest(word: str, names: Sequence[str]) -> str | None: ...
def number_text(number: float) -> str: ...
def label_text(label: float) -> str: ...

# ---- data
class Dataset:
    rows: int
    features: int
    queries: int
    has_queries: bool
    sparse: bool
    first_id: int
    @staticmethod
    def read(paths: Sequence[str], options: Options = None, *, threads: int = 0, max_memory: int = 0,
             notes: Notes = None, progress: Progress = None) -> Dataset: ...
    @staticmethod
    def from_arrays(*, rows: int, features: int, labels: Buffer, values: Buffer | None = None, stride: int = 0,
                    row_starts: Buffer | None = None, columns: Buffer | None = None,
                    entries: Buffer | None = None, query_starts: Buffer | None = None,
                    row_weights: Buffer | None = None, query_weights: Buffer | None = None,
                    feature_names: Sequence[str] | None = None, query_names: Sequence[str] | None = None,
                    document_names: Sequence[str] | None = None, row_query_ids: Buffer | None = None,
                    row_query_names: Sequence[str] | None = None, threads: int = 0,
                    notes: Notes = None) -> Dataset:
        """float32 values, entries, labels, weights; uint64 starts; uint32 columns; int64 ids. Arrays are
        borrowed, and kept alive, unless row_query_ids or row_query_names are given: then they are copied."""
    @staticmethod
    def from_arrow(stream: object, options: Options = None, *, threads: int = 0, max_memory: int = 0,
                   notes: Notes = None, progress: Progress = None) -> Dataset:
        """stream: a capsule "arrow_array_stream", or an object with __arrow_c_stream__."""
    @staticmethod
    def synth(kind: str, options: Options = None, *, threads: int = 0, notes: Notes = None,
              progress: Progress = None) -> Dataset: ...
    @staticmethod
    def join(sets: Sequence[Dataset], *, threads: int = 0, notes: Notes = None) -> Dataset: ...
    def write(self, path: str, options: Options = None, *, threads: int = 0, notes: Notes = None,
              progress: Progress = None) -> None: ...
    def array(self, name: Literal["values", "row_starts", "columns", "entries", "labels", "query_starts",
                                  "row_weights", "query_weights"]) -> memoryview | None:
        """A read-only view of the dataset's own array, which keeps it alive; None if absent. values has
        the shape (rows, features), the others one dimension."""
    def feature_names(self) -> list[str] | None: ...
    def query_names(self) -> list[str] | None: ...
    def document_names(self) -> list[str] | None: ...
    def file_order(self, out: Buffer) -> None: ...  # uint64, one per row
    def label_kind(self, *, threads: int = 0) -> Literal["grades", "numbers", "other"]: ...
    def fingerprint(self, *, threads: int = 0) -> int: ...
    def check_valid(self, valid: Dataset, *, threads: int = 0, notes: Notes = None) -> None: ...
    def subset(self, queries: Buffer, *, threads: int = 0) -> Dataset: ...  # uint64
    def transform(self, options: Options = None, *, threads: int = 0, notes: Notes = None) -> Dataset: ...
    def split(self, out: Buffer, options: Options = None) -> int: ...  # uint64 part of each query; returns the parts
    def describe(self, *, threads: int = 0) -> dict[str, Any]: ...  # members of gradus_description
    def overlap(self, other: Dataset, *, threads: int = 0) -> dict[str, Any]: ...  # members of gradus_overlap
    def find_feature(self, word: str) -> int: ...
    def find_query(self, word: str) -> int: ...
    def find_document(self, query: int, word: str) -> int: ...

# ---- models
class Model:
    @staticmethod
    def read(path: str) -> Model: ...
    @staticmethod
    def from_bytes(content: Buffer) -> Model: ...  # gradus' own format or another tool's
    @staticmethod
    def ensemble(models: Sequence[Model], valid: Dataset | None = None, options: Options = None, *,
                 threads: int = 0, notes: Notes = None) -> Model: ...
    def write(self, path: str) -> None: ...
    def to_bytes(self) -> bytes: ...
    def score_rows(self, values: Buffer, rows: int, features: int, stride: int, scores: Buffer | None,
                   probabilities: Buffer | None = None, /) -> None:
        """float32 values; float64 scores and probabilities. One thread; the rows are one query. The
        fastest call for few rows."""
    def score(self, data: Dataset, out: Buffer, *, threads: int = 0, notes: Notes = None,
              progress: Progress = None, device: str | None = None) -> None: ...  # float64, in dataset order
    def probabilities(self, data: Dataset, out: Buffer, *, threads: int = 0, notes: Notes = None,
                      device: str | None = None) -> None: ...  # device: the path of a plug-in
    def grades(self, data: Dataset, out: Buffer, *, threads: int = 0, notes: Notes = None,
               device: str | None = None) -> None: ...
    def rescored(self, options: Options = None, *, notes: Notes = None) -> Model: ...
    def calibrated(self, data: Dataset, options: Options = None, *, threads: int = 0,
                   notes: Notes = None) -> Model: ...
    def distilled(self, data: Dataset, options: Options = None, *, threads: int = 0, notes: Notes = None) -> Model: ...
    def member(self, index: int) -> tuple[Model, float] | None: ...
    def info(self) -> dict[str, Any]:
        """Members of gradus_model_info; grade_values and thresholds as lists (or None), plus first_id and size."""
    def facts(self) -> dict[str, int | float | bool | str]: ...
    def lines(self) -> dict[str, str]: ...  # the facts of type line with {name} replaced
    def options(self) -> dict[str, str]: ...
    def curve(self) -> tuple[bytes, bytes, bytes]: ...  # uint64 rounds, float64 train and valid
    def results(self) -> dict[str, float]: ...
    def calibrations(self) -> list[dict[str, Any]]: ...  # method, parameters: list of name, output, value
    def feature_names(self) -> list[str] | None: ...
    def importance(self) -> tuple[bytes, bytes]: ...  # float64 gains, uint64 splits
    def equation(self, output: int) -> dict[str, Any] | None: ...  # intercept; coefficients, means, spreads as bytes
    def errors(self) -> dict[str, bytes | None] | None: ...  # coefficients, thresholds
    def columns(self) -> bytes | None: ...  # uint32
    def tree(self, index: int) -> list[dict[str, Any]] | None:
        """Nodes: members of gradus_tree_node, and model: intercept, features, factors of a leaf, or None."""
    def export(self, options: Options) -> bytes: ...
    def export_write(self, path: str, options: Options = None, parity: str | None = None) -> None: ...
    def reliability(self, data: Dataset, bins: int = 10, *, threads: int = 0) -> dict[str, Any]: ...
    def permutation_importance(self, data: Dataset, options: Options = None, repeats: int = 5, seed: int = 1, *,
                               threads: int = 0, progress: Progress = None) -> bytes:
        """float64, features x 3: importance, low, high."""
    def partial_dependence(self, data: Dataset, feature: int, points: int = 20, *, threads: int = 0,
                           progress: Progress = None) -> bytes:
        """float64, points x 5: value, score, effect, low, high."""

def is_model_file(path: str) -> bool: ...

# ---- training
class TrainingState(TypedDict):
    round: int
    rounds: int
    metric: str
    lower_is_better: bool
    train: float
    valid: float
    others: list[float]
    best_round: int
    best_valid: float
    stopped: str
    by_rounds: bool
    steps: int
    kept: int
    exhausted: bool
    bin_seconds: float
    train_seconds: float
    evaluate_seconds: float

class Training:
    def __init__(self, train: Dataset, valid: Dataset | None = None, options: Options = None, *,
                 start: Model | None = None, resume: bool = False, initial: Buffer | None = None,
                 initial_valid: Buffer | None = None, others: Sequence[Dataset] = (),
                 objective: Callable[[memoryview, memoryview, memoryview], tuple[Buffer, Buffer] | None] | None = None,
                 metric: Callable[[Dataset, memoryview], float] | None = None, threads: int = 0,
                 max_memory: int = 0, notes: Notes = None, progress: Progress = None,
                 device: str | None = None, collectives: object | None = None) -> None:
        """objective(scores, gradients, hessians) fills the last two (float32), or returns a tuple of two other
        arrays; metric(data, scores) returns a number, higher is better. Both may keep their arrays, which are
        copies. data is one of the datasets above or, while a transform is chosen on more than 20,000 rows, a
        new one with some of the queries. The methods raise RuntimeError while another one is running."""
    def step(self) -> bool:
        """Trains one round; True: finished. A signal or an exception in a callback is raised, and
        checkpoint() then returns the state after the last complete round."""
    def state(self) -> TrainingState: ...
    def checkpoint(self) -> Model: ...
    def finish(self) -> Model: ...

# ---- evaluation, statistics, explanations
def evaluate(data: Dataset, scores: Buffer, options: Options = None, *, threads: int = 0,
             notes: Notes = None) -> dict[str, Any]:
    """convention, switches, query_names (list or None), results: list of dicts with the members of
    gradus_result (by_query: float64 bytes)."""
def evaluate_run(qrels: str, run: str, options: Options = None, *, threads: int = 0,
                 notes: Notes = None) -> dict[str, Any]: ...
def scores(data: Dataset, what: str, out: Buffer, seed: int = 1, *, threads: int = 0, notes: Notes = None) -> None: ...
def scores_write(data: Dataset, scores: Buffer, path: str, run_name: str | None = None) -> None: ...
def confusion(data: Dataset, predicted: Buffer) -> tuple[bytes, bytes]: ...  # float64 grades, float64 counts
def compare(values: Sequence[Buffer], options: Options = None, *, threads: int = 0) -> list[dict[str, Any]]: ...
def ensemble_select(data: Dataset, scores: Buffer, options: Options = None, *, threads: int = 0,
                    notes: Notes = None) -> bytes: ...  # float64 scores, members x rows; float64 weights
def adjust_p(p: Buffer) -> bytes: ...
def combine_p(p: Buffer) -> tuple[float, float]: ...

class Explainer:
    def __init__(self, model: Model, options: Options = None) -> None: ...
    def run(self, data: Dataset, rows: Buffer | None = None, *, threads: int = 0, notes: Notes = None,
            progress: Progress = None) -> dict[str, Any]:
        """rows: uint64, None: all. against, exact, zero_means; targets: list of str; features: uint64 bytes
        (F of them); rows: uint64 (R); value and base: float64, R x T; contributions: float64, R x T x F; errors:
        the same or None; values: float32, R x F; references: float32 R x F or None; reference: int64 per row, -1:
        several."""

# ---- experiments
def tune(train: Dataset | None, valid: Dataset | None = None, test: Dataset | None = None,
         options: Options = None, *, watch: Callable[[dict[str, Any]], object] | None = None,
         threads: int = 0, max_memory: int = 0, notes: Notes = None,
         progress: Progress = None) -> dict[str, Any]:
    """places and trials: lists of dicts with the members of gradus_place (those of `best` merged, its time as
    best_seconds) and gradus_trial; facts: members of gradus_tuning_facts; model: Model or None."""
def auto(train: Dataset | None, valid: Dataset | None = None, test: Dataset | None = None,
         options: Options = None, *, watch: Callable[[dict[str, Any]], object] | None = None,
         threads: int = 0, max_memory: int = 0, notes: Notes = None,
         progress: Progress = None) -> dict[str, Any]:
    """members: list of dicts with the members of gradus_auto_member; warnings: list of str; facts: members of
    gradus_auto_facts, intervals as tuples (mean, low, high); model, single: Model or None."""
def reproduce(name: str, options: Options = None, *, threads: int = 0, notes: Notes = None,
              progress: Progress = None) -> str: ...  # JSON
def report(path: str, systems: Sequence[tuple[str, Model | None, str | None]],
           sets: Sequence[tuple[str, Dataset | None]], runs: Sequence[str] = (), *, title: str | None = None,
           command: str | None = None, evaluate: Options = None, compare: Options = None, read: Options = None,
           seed: int = 1, threads: int = 0, notes: Notes = None, progress: Progress = None) -> None: ...
def report_available() -> bool: ...
