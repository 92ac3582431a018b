# SPDX-License-Identifier: Apache-2.0
"""Notes of the library as Python warnings."""
from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


class GradusWarning(UserWarning):
    """A note of the library: something unusual in the data or options that does no harm."""


# notes that report what was chosen from the data, which the recipe of the model contains, too, and
# that all rows are one query, which methods that compare rows of a query refuse
_INFORMATION = ("chosen for ", "chose ", "after ", "rate ", "the training data have no query ids",
                "the validation data have no query ids")


def report_notes(notes: list[str]) -> None:
    """Warn of notes; log those that need no attention, with the logger "gradus"."""
    for note in notes:
        if note.startswith(_INFORMATION):
            logging.getLogger("gradus").info(note)
        else:
            warn(note)


@contextmanager
def collected() -> Iterator[list[str]]:
    """Give a list for the notes of library calls, and report them at the end of the block.

    Nothing is reported if the block raises an exception.
    """
    notes: list[str] = []
    yield notes
    report_notes(notes)


def warn(message: str, category: type[Warning] = GradusWarning) -> None:
    """Warn at the first caller outside this package."""
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_inside(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def _is_inside(module: str) -> bool:
    return module.partition(".")[0] in ("gradus", "contextlib")
