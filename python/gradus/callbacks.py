# SPDX-License-Identifier: Apache-2.0
"""Functions called after each round of training, and the state that they receive.

A callback is any function of one argument, a `TrainingState`. It may raise `StopTraining` to end
training with the rounds so far; any other exception leaves a checkpoint in the estimator
(``checkpoint_``) and is passed on. If a callback has a method ``phase(what, fraction)``, it is
called while training prepares, and a method ``close()`` when training ends in any way. Stopping
when the validation metric no longer improves is an option of training: ``patience``.
"""
from __future__ import annotations

import math
import shutil
import sys
import time
from collections.abc import Callable, MutableMapping
from os import PathLike, fspath
from typing import Any, Protocol, TextIO

from . import _core


class StopTraining(Exception):
    """Raised by a callback to end training; the model keeps the rounds so far."""


class TrainingState:
    """The state of training after a round.

    Attributes
    ----------
    round, rounds : int
        Rounds done, and requested.
    metric : str
        Name of the metric; empty if nothing is evaluated.
    lower_is_better : bool
        Whether the metric is an error.
    train, valid : float
        Most recent values of the metric; NaN: not evaluated.
    others : dict
        The same for the further sets of eval_set, by name.
    best_round : int
        Best round on the validation set; 0 without validation data.
    best_valid : float
        Value of the metric in that round.
    done : bool
        This was the last round.
    stopped : str
        Why training ended; empty if it has not.
    by_rounds : bool
        False: the method is fitted in a single step.
    seconds : float
        Time since the start of training.
    method : str
        The method.
    """

    def __init__(self, training: _core.Training, done: bool, names: list[str], started: float,
                 method: str, metric: str = "") -> None:
        state = training.state()
        self._training = training
        self.round = state["round"]
        self.rounds = state["rounds"]
        self.metric = metric or state["metric"]
        self.lower_is_better = state["lower_is_better"]
        self.train = state["train"]
        self.valid = state["valid"]
        self.others = dict(zip(names, state["others"]))
        self.best_round = state["best_round"]
        self.best_valid = state["best_valid"]
        self.stopped = state["stopped"]
        self.by_rounds = state["by_rounds"]
        self.done = done
        self.seconds = time.monotonic() - started
        self.method = method

    def checkpoint(self) -> bytes:
        """Return a checkpoint for ``fit(resume_from=...)``; also the content of a file for it."""
        return self._training.checkpoint().to_bytes()

    def __repr__(self) -> str:
        """Return the round and the values of the metric."""
        return f"<TrainingState: {_words(self)}>"


class Callback(Protocol):
    """Type of a callback."""

    def __call__(self, state: TrainingState, /) -> object:
        """Receive the state after a round."""


def _words(state: TrainingState) -> str:
    """The state in one line: 'round 20 of 300  ndcg@10 train 0.71 valid 0.69'."""
    words = f"round {state.round} of {state.rounds}" if state.by_rounds else "fitted"
    if not state.metric:
        return words
    values = [("train", state.train), ("valid", state.valid), *state.others.items()]
    shown = [f"{name} {value:.4f}" for name, value in values if not math.isnan(value)]
    if state.best_round:
        shown.append(f"best {state.best_valid:.4f} in round {state.best_round}")
    return f"{words}  {state.metric} {'  '.join(shown)}" if shown else words


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _left(state: TrainingState) -> str:
    """Time left, from the rounds so far."""
    if state.done or not state.by_rounds or state.round == 0:
        return ""
    seconds = state.seconds / state.round * (state.rounds - state.round)
    return f"{_clock(seconds)} left"


class _Lines:
    """Plain lines, about twenty per training: for files and pipes."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._next = 1

    def show(self, state: TrainingState) -> None:
        if state.round < self._next and not state.done:
            return
        step = max(1, state.rounds // 20)
        self._next = (state.round // step + 1) * step
        print(f"{state.method}: {_words(state)}", file=self._file, flush=True)

    def phase(self, what: str, fraction: float) -> None:
        return

    def close(self) -> None:
        return


class _Terminal:
    """One line that is rewritten, at most ten times per second."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._last = 0.0
        self._open = False

    def _due(self, force: bool) -> bool:
        now = time.monotonic()
        if not force and now - self._last < 0.1:
            return False
        self._last = now
        return True

    def _write(self, line: str) -> None:
        width = max(20, shutil.get_terminal_size().columns - 1)
        self._file.write("\r" + line[:width].ljust(width))
        self._file.flush()
        self._open = True

    def show(self, state: TrainingState) -> None:
        if not self._due(state.done):
            return
        words = f"{_words(state)}  {_left(state)}".rstrip()
        width = shutil.get_terminal_size().columns - len(words) - 6
        bar = _bar(state.round / max(1, state.rounds), min(30, width))
        self._write(f"{bar}{words}")

    def phase(self, what: str, fraction: float) -> None:
        if what != "fitting" and self._due(False):
            self._write(f"{what} {fraction:.0%}")

    def close(self) -> None:
        if self._open:
            self._file.write("\n")
            self._file.flush()
            self._open = False


def _bar(fraction: float, width: int) -> str:
    if width < 5:
        return ""
    full = int(fraction * width)
    return "[" + "#" * full + "." * (width - full) + "] "


class _Notebook:
    """An HTML element that is updated, at most five times per second."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._last = 0.0

    def show(self, state: TrainingState) -> None:
        now = time.monotonic()
        if not state.done and now - self._last < 0.2:
            return
        self._last = now
        self._update(f"{_words(state)}  {_left(state)}", state.round / max(1, state.rounds))

    def _update(self, words: str, fraction: float) -> None:
        from html import escape

        from IPython.display import HTML, display  # type: ignore[import]
        page = HTML(f'<div><progress max="1" value="{fraction:.4f}" style="width:16em"></progress> '
                    f'<code>{escape(words)}</code></div>')
        if self._handle is None:
            self._handle = display(page, display_id=True)
        else:
            self._handle.update(page)

    def phase(self, what: str, fraction: float) -> None:
        return

    def close(self) -> None:
        return


def _in_notebook() -> bool:
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module else None
    return shell is not None and hasattr(shell, "kernel")


class progress:
    """Show the progress of training: a bar in terminals and notebooks, lines elsewhere.

    Parameters
    ----------
    file : file object, optional
        Where to write; default: standard error. Notebooks show the bar below the cell.

    Examples
    --------
    >>> import gradus
    >>> data = gradus.synth.web(queries=20)
    >>> model = gradus.Ranker(rounds=10).fit(data, callbacks=[gradus.progress()])
    """

    def __init__(self, file: TextIO | None = None) -> None:
        self._file = file
        self._display: _Lines | _Terminal | _Notebook | None = None

    def _shown(self) -> _Lines | _Terminal | _Notebook:
        if self._display is None:
            file = self._file if self._file is not None else sys.stderr
            if self._file is None and _in_notebook():
                self._display = _Notebook()
            else:
                self._display = _Terminal(file) if file.isatty() else _Lines(file)
        return self._display

    def __call__(self, state: TrainingState) -> None:
        """Show a state."""
        self._shown().show(state)

    def phase(self, what: str, fraction: float) -> None:
        """Show what training prepares.

        Parameters
        ----------
        what : str
            The phase: 'binning'.
        fraction : float
            How much of it is done.
        """
        self._shown().phase(what, fraction)

    def close(self) -> None:
        """End the line; the next training begins a new one."""
        self._shown().close()
        self._display = None


def record(history: MutableMapping[str, list[float]]) -> Callable[[TrainingState], None]:
    """Return a callback that appends the values of each round to lists in a dictionary.

    Parameters
    ----------
    history : dict
        Receives the lists 'round', 'train', 'valid' and one per further set of eval_set.

    Returns
    -------
    callable
        For ``fit(callbacks=[...])``.
    """
    def callback(state: TrainingState) -> None:
        values = {"round": state.round, "train": state.train, "valid": state.valid, **state.others}
        for name, value in values.items():
            history.setdefault(name, []).append(value)
    return callback


def checkpoint(path: str | PathLike[str], seconds: float = 60.0) -> Callable[[TrainingState], None]:
    """Return a callback that saves a checkpoint from time to time.

    Parameters
    ----------
    path : path
        File for the checkpoint, replaced each time. ``fit(resume_from=path)`` and the command
        ``gradus train --resume`` continue from it.
    seconds : float
        Time between checkpoints; 0: after every round.

    Returns
    -------
    callable
        For ``fit(callbacks=[...])``.
    """
    last = time.monotonic()

    def callback(state: TrainingState) -> None:
        nonlocal last
        if not state.by_rounds or time.monotonic() - last < seconds:
            return
        state._training.checkpoint().write(fspath(path))
        last = time.monotonic()
    return callback
