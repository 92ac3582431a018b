# SPDX-License-Identifier: Apache-2.0
"""The number of threads that the library uses unless a call says otherwise."""
from __future__ import annotations

import operator

_threads = 0


def set_threads(threads: int) -> None:
    """Set the number of threads of all further calls.

    Results do not depend on it.

    Parameters
    ----------
    threads : int
        Number of threads; 0: one per CPU.
    """
    global _threads
    _threads = _checked(threads)


def get_threads() -> int:
    """Return the number of threads set by `set_threads`; 0: one per CPU."""
    return _threads


def resolve(threads: int | None) -> int:
    """The value of a keyword argument `threads`, of which None means the common setting."""
    return _threads if threads is None else _checked(threads)


def _checked(threads: int) -> int:
    if isinstance(threads, bool):
        raise TypeError("threads must be a whole number, not bool")
    count = operator.index(threads)
    if count < 0:
        raise ValueError(f"threads is {count}, expected 0 (one per CPU) or more")
    return count
