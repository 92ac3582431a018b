# SPDX-License-Identifier: Apache-2.0
"""Notes of the library as Python warnings."""
from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


class GradusWarning(UserWarning):
    """A note of the library: something unusual in the data or options that does no harm."""


@contextmanager
def collected() -> Iterator[list[str]]:
    """Give a list for the notes of library calls, and warn of each at the end of the block.

    Nothing is reported if the block raises an exception.
    """
    notes: list[str] = []
    yield notes
    for note in notes:
        warn(note)


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
