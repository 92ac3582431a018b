# SPDX-License-Identifier: Apache-2.0
"""Synthetic datasets: the same options give the same data on every machine.

The options of each function are those of the command ``gradus synth``, with ``_`` for ``-``.
"""
from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from gradus import _core
from gradus._notes import collected
from gradus._threads import resolve
from gradus.data import Dataset

__all__ = ["web", "mcrank", "mixture", "clicks"]

_TYPES: dict[str, type] = {"flag": bool, "count": int, "real": float, "choice": str, "text": str}


def web(*, threads: int | None = None, **options: Any) -> Dataset:
    """Data like web search: 136 features of mixed kinds, about 120 pages per query."""
    return _synth("web", threads, options)


def mcrank(*, threads: int | None = None, **options: Any) -> Dataset:
    """McRank's artificial set: polynomials of 50 uniform features."""
    return _synth("mcrank", threads, options)


def mixture(*, threads: int | None = None, **options: Any) -> Dataset:
    """One feature, normal within each grade, in one query."""
    return _synth("mixture", threads, options)


def clicks(*, threads: int | None = None, **options: Any) -> Dataset:
    """Clicks on advertisements: sparse, rare, in time order."""
    return _synth("clicks", threads, options)


def _synth(kind: str, threads: int | None, options: dict[str, Any]) -> Dataset:
    given = {name: _text(value) for name, value in options.items()}
    with collected() as notes:
        core = _core.Dataset.synth(kind, given, threads=resolve(threads), notes=notes)
    return Dataset._wrap(core)


def _text(value: object) -> object:
    """Lists of numbers as the library takes them: "52,32,13"."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        return value
    return ",".join(_core.number_text(float(item)) for item in value)


def _default(param: dict[str, Any]) -> object:
    initial = param["initial"]
    kind = param["kind"]
    if kind == "flag":
        return initial not in ("", "false", "0")
    if initial == "":
        return None
    return _TYPES[kind](initial)


def _describe(function: Callable[..., Dataset], operation: str) -> None:
    """Sets the signature and the documentation of a function from the library's table."""
    parameters = []
    lines = [inspect.getdoc(function) or "", "", "Parameters", "----------"]
    for param in _core.params(operation):
        name = param["name"].replace("-", "_")
        default = _default(param)
        parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default,
                                            annotation=_TYPES[param["kind"]]))
        lines.append(f"{name} : {_TYPES[param['kind']].__name__}, default {default!r}")
        lines += textwrap.wrap(param["help"], 90, initial_indent="    ", subsequent_indent="    ")
    parameters.append(inspect.Parameter("threads", inspect.Parameter.KEYWORD_ONLY, default=None,
                                        annotation=int | None))
    lines += ["threads : int, optional", "    Default: that of `gradus.set_threads`.", "",
              "Returns", "-------", "Dataset"]
    function.__doc__ = "\n".join(lines) + "\n"
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        parameters, return_annotation=Dataset)


for _function in (web, mcrank, mixture, clicks):
    _describe(_function, f"synth {_function.__name__}")
