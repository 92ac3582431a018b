# SPDX-License-Identifier: Apache-2.0
"""What searches for settings have in common: progress, callbacks, interruption."""
from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _html
from ._notes import collected
from ._threads import resolve as thread_count
from .data import as_dataset


class _Display:
    """Shows the state of a search: a line rewritten in terminals and notebooks."""

    def __init__(self) -> None:
        self.last = 0.0
        self.width = 0
        self.handle: Any = None
        self.notebook = False
        if "IPython" in sys.modules:
            from IPython import get_ipython  # type: ignore[import]
            shell = get_ipython()
            self.notebook = shell is not None and "ZMQ" in type(shell).__name__

    def is_visible(self) -> bool:
        return self.notebook or sys.stderr.isatty()

    def __call__(self, state: Mapping[str, Any]) -> None:
        done, planned = state["done"], state["planned"]
        if time.monotonic() - self.last < 0.2 and done != planned:
            return
        self.last = time.monotonic()
        best = state["best"]
        runs = "training run" if (planned or done) == 1 else "training runs"
        text = f"{done}/{planned} {runs}" if planned else f"{done} {runs}"
        if math.isfinite(state["most"]):
            text += f", {state['used']:.0f} of {state['most']:.0f} s"
        if state["best_method"] and not math.isnan(best):
            text += (f", best {state['metric']} {best:.4f}: {state['best_method']} "
                     f"{state['best_settings']}").rstrip()
        self._show(text)

    def _show(self, text: str) -> None:
        if self.notebook:
            from IPython.display import display  # type: ignore[import]
            shown = {"text/plain": text, "text/html": _html.fragment(_html.quiet(text))}
            if self.handle is None:
                self.handle = display(shown, raw=True, display_id=True)
            else:
                self.handle.update(shown, raw=True)
            return
        try:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns
        except (OSError, ValueError):
            columns = 80
        short = _html.shorten(text, max(20, columns - 1))
        sys.stderr.write("\r" + short.ljust(self.width))
        sys.stderr.flush()
        self.width = len(short)

    def end(self) -> None:
        if self.handle is not None:
            self.handle.update({"text/plain": "", "text/html": ""}, raw=True)
        elif self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


class _Lines(_Display):
    """One line per training run, where lines cannot be rewritten."""

    def is_visible(self) -> bool:
        return True

    def _show(self, text: str) -> None:
        sys.stderr.write(text + "\n")

    def end(self) -> None:
        pass


def _display(progress: bool | None) -> _Display | None:
    if progress is False:
        return None
    display = _Display()
    if progress and not display.is_visible():
        return _Lines()
    return display if display.is_visible() else None


def _interrupted(error: BaseException, name: str, journal: str | None) -> None:
    if journal is None:
        error.add_note(f"no trial was kept: with journal='{name}.jsonl' an interrupted search can "
                       "be resumed")
    else:
        error.add_note(f"finished trials are in '{journal}'; call {name} with the same arguments "
                       "again to resume")


def _labelled(data: Any) -> Any:
    """Convert data, and say how to pass labels if they are missing."""
    try:
        return as_dataset(data)
    except ValueError as error:
        if "requires y" not in str(error):
            raise
        raise ValueError("the data have no labels: pass a tuple (X, y, qid), a Dataset, a table "
                         "converted by gradus.as_dataset, or a file") from None


def search(function: Callable[..., Any], name: str, sets: Sequence[Any],
           options: Mapping[str, str], *, journal: str | None, progress: bool | None,
           callbacks: Sequence[Callable[[Mapping[str, Any]], object]],
           threads: int | None) -> Any:
    """Run a search of the library, and show its progress.

    Parameters
    ----------
    function, name
        The function of the extension, and its name in messages.
    sets
        Data for training, validation and testing; None: not given.
    """
    data = [None if given is None else _labelled(given) for given in sets]
    display = _display(progress)
    watchers = ([display] if display else []) + list(callbacks)

    def watch(state: Mapping[str, Any]) -> None:
        for watcher in watchers:
            watcher(state)

    try:
        with collected() as notes:
            return function(*(d if d is None else d._core for d in data), options,
                            watch=watch if watchers else None, threads=thread_count(threads),
                            notes=notes)
    except KeyboardInterrupt as error:
        _interrupted(error, name, journal)
        raise
    finally:
        if display:
            display.end()
