# SPDX-License-Identifier: Apache-2.0
"""gradus: learning to rank from graded relevance labels."""
from gradus import _core, plot, synth
from gradus._core import (
    ArgumentError,
    Cancelled,
    Error,
    FileError,
    FormatError,
    MemoryLimitError,
    NumberError,
)
from gradus._estimator import NotFittedError
from gradus._notes import GradusWarning
from gradus._threads import get_threads, set_threads
from gradus.postprocessing import (
    Reliability,
    calibrate,
    distil,
    ensemble,
    ensemble_select,
    reliability,
)
from gradus.automatic import Automatic, auto
from gradus.callbacks import StopTraining, TrainingState, checkpoint, progress, record
from gradus.catalogues import (
    conventions,
    costs,
    experiments,
    export_formats,
    import_formats,
    learners,
    methods,
    metrics,
    objectives,
    parameters,
    significance_tests,
)
from gradus.comparison import Comparison, compare
from gradus.data import Dataset, as_dataset, from_arrow, read
from gradus.evaluation import (
    Confusion,
    Evaluation,
    confusion,
    evaluate,
    evaluate_run,
    scores_of,
    write_scores,
)
from gradus.explanation import (
    Explanation,
    PartialDependence,
    PermutationImportance,
    explain,
    partial_dependence,
    permutation_importance,
)
from gradus.ordinal import OrdinalClassifier
from gradus.ranker import Ranker
from gradus.report import Reproduction, report, reproduce
from gradus.tuning import Tuning, tune

__version__ = _core.version()

__all__ = [
    # estimators and callbacks
    "OrdinalClassifier", "Ranker", "StopTraining", "TrainingState", "checkpoint", "progress",
    "record",
    # data
    "Dataset", "as_dataset", "from_arrow", "read", "synth",
    # evaluation, tests, tuning, calibration, explanations, reports
    "Confusion", "Evaluation", "confusion", "evaluate", "evaluate_run", "scores_of", "write_scores",
    "Comparison", "compare", "Tuning", "tune", "Automatic", "auto",
    "Reliability", "calibrate", "distil", "ensemble", "ensemble_select", "reliability",
    "Explanation", "PartialDependence",
    "PermutationImportance", "explain", "partial_dependence", "permutation_importance",
    "Reproduction", "plot", "report", "reproduce",
    # what there is
    "conventions", "costs", "experiments", "export_formats", "import_formats", "learners",
    "methods", "metrics", "objectives", "parameters", "significance_tests",
    # settings, warnings, errors
    "get_threads", "set_threads", "GradusWarning", "ArgumentError", "Cancelled", "Error",
    "FileError", "FormatError", "MemoryLimitError", "NotFittedError", "NumberError",
]
