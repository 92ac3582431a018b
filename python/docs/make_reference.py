# SPDX-License-Identifier: Apache-2.0
"""Writes the reference pages: the public names of the package by subject, from gradus.__all__.

usage: make_reference.py FOLDER

scripts/docs.sh runs it. A public name without a section is an error, so that none is forgotten.
"""
from __future__ import annotations

import inspect
import sys
from pathlib import Path

import gradus

SECTIONS = {
    "Estimators": "Ranker OrdinalClassifier",
    "Training callbacks": "progress record checkpoint TrainingState StopTraining",
    "Data": "Dataset read from_arrow as_dataset",
    "Evaluation and significance": "evaluate evaluate_run scores_of write_scores Evaluation "
                                   "compare Comparison confusion Confusion",
    "Tuning": "tune Tuning auto Automatic",
    "Probabilities and ensembles": "calibrate reliability Reliability ensemble "
                                   "ensemble_select distil",
    "Explanations": "explain Explanation permutation_importance PermutationImportance "
                    "partial_dependence PartialDependence",
    "Reports and reproductions": "report reproduce Reproduction",
    "Tables of what there is": "methods metrics conventions parameters learners objectives costs "
                               "significance_tests export_formats import_formats experiments",
    "Settings": "set_threads get_threads",
    "Errors and warnings": "Error ArgumentError FormatError NumberError FileError MemoryLimitError "
                           "Cancelled NotFittedError GradusWarning",
}
HEAD = """\
Reference
=========

Parameters of the estimators, metrics and methods come from tables of the library, which can also be
printed: ``gradus.parameters("train")``, ``gradus.methods()``, ``gradus.metrics()``,
``gradus.conventions()``.

.. toctree::
   :maxdepth: 1

"""


def entry(name: str) -> str:
    thing = getattr(gradus, name)
    if not inspect.isclass(thing):
        return f".. autofunction:: {name}\n"
    plain = issubclass(thing, Exception)
    members = "" if plain else "   :members:\n   :inherited-members: Mapping, Sequence\n"
    return f".. autoclass:: {name}\n{members}"


def titled(title: str, text: str) -> str:
    return f"{title}\n{'=' * len(title)}\n\n{text}"


def module_page(name: str) -> str:
    entries = [f".. autofunction:: gradus.{name}.{one}\n" for one in getattr(gradus, name).__all__]
    return titled(f"gradus.{name}", f".. automodule:: gradus.{name}\n\n" + "\n".join(entries))


def pages() -> dict[str, str]:
    """Pages by file name, without the table of contents."""
    known = [name for names in SECTIONS.values() for name in names.split()]
    modules = [name for name in gradus.__all__ if inspect.ismodule(getattr(gradus, name))]
    missing = sorted(set(gradus.__all__) - {*known, *modules})
    if missing or set(known) - set(gradus.__all__):
        sys.exit(f"make_reference: no section for {missing}; not public: "
                 f"{sorted(set(known) - set(gradus.__all__))}")
    found = {}
    for title, names in SECTIONS.items():
        file = "reference_" + title.lower().replace(" ", "_")
        found[file] = titled(title, ".. currentmodule:: gradus\n\n"
                             + "\n".join(map(entry, names.split())))
    return {**found, **{f"reference_{name}": module_page(name) for name in modules}}


def main(folder: Path) -> None:
    found = pages()
    for name, text in found.items():
        (folder / f"{name}.rst").write_text(text)
    (folder / "reference.rst").write_text(HEAD + "".join(f"   {name}\n" for name in found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
