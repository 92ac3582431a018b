# SPDX-License-Identifier: Apache-2.0
"""Parameters of Python classes and functions, built at run time from the library's tables.

A row of a table (``_core.params``) becomes a keyword parameter: '-' is '_', and a name that is a
keyword of Python, or that scikit-learn takes for a method, gets a '_' at the end (``lambda_``,
``transform_``; the plain names are accepted, too). The value None means "not given": the library
then uses its default, or the rule that derives it from the data. Names that other tools have for an
option (``num_leaves``) are accepted and stored under the present name (``leaves``).
"""
from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from . import _core

# names that scikit-learn has for parameters of the package
_SKLEARN = {"random_state": "seed", "n_jobs": "threads"}

_METHODS = frozenset(("transform",))  # an estimator with this attribute is a transformer


class Parameter(NamedTuple):
    """A parameter of a constructor or function.

    Attributes
    ----------
    key : str
        Name in Python.
    name : str
        Name of the library's option; empty for a parameter of the Python package only.
    types : str
        Type as in docstrings: 'int'.
    hint : str
        Type as in annotations and stubs.
    text : str
        Description: help, range, default and other names.
    kind : str
        Kind of the library's option: 'flag', 'count', 'real', 'choice' or 'text'.
    initial : str
        The library's default as text.
    rule : str
        How training derives the default from the data; empty: it is `initial`.
    aliases : tuple of str
        Other names.
    """

    key: str
    name: str
    types: str
    hint: str
    text: str
    kind: str = ""
    initial: str = ""
    rule: str = ""
    aliases: tuple[str, ...] = ()


def key_of(name: str) -> str:
    """Return the Python name of an option: 'lambda_' for 'lambda'."""
    key = name.replace("-", "_")
    return key + "_" if keyword.iskeyword(key) or key in _METHODS else key


def _alias_names(aliases: object) -> tuple[str, ...]:
    words: Iterable[str]
    if not aliases:
        return ()
    if isinstance(aliases, str):
        words = aliases.split()
    else:
        words = list(aliases)  # type: ignore[call-overload]
    return tuple(key_of(word) for word in words)


_TYPES = {"flag": "bool", "count": "int", "real": "float", "choice": "str", "text": "str"}
_LISTS = "str or number or sequence"


def _type_words(row: Mapping[str, Any]) -> tuple[str, str]:
    """Type of an option as in docstrings, and as an annotation."""
    kind = row["kind"]
    if kind == "choice":
        words = ", ".join(repr(word) for word in row["choices"])
        return "{" + words + "}", f"Literal[{words}] | None"
    if kind == "text" and row["path"] == "none":
        return _LISTS, "Text"
    if kind == "text":
        return "str or path", "str | PathLike[str] | None"
    return _TYPES[kind], f"{_TYPES[kind]} | None"


def _number(value: float) -> str:
    return _core.number_text(value) if value < 1e15 else f"{value:g}"


def _range_words(row: Mapping[str, Any]) -> str:
    if row["kind"] not in ("count", "real"):
        return ""
    if row["high"] >= 1e9:
        return f"{_number(row['low'])} or more"
    return f"{_number(row['low'])} to {_number(row['high'])}"


def _in_python(text: object) -> str:
    """Help of the command with names as in Python: 'min_rows' for '--min-rows'."""
    words = str(text).replace("--valid", "eval_set")
    lists = "methods|learners|costs|metrics|conventions"
    words = re.sub(f"gradus help ({lists})", r"gradus.\1()", words)
    return re.sub(r"--([a-z][a-z0-9-]*)", lambda found: key_of(found[1]), words)


def _default_words(row: Mapping[str, Any]) -> str:
    """The default in words, with names as in Python."""
    rule = row["rule"]
    if rule:
        return "default: " + _in_python(rule)
    if row["kind"] == "flag" or row["initial"] == "":
        return ""
    return f"default {row['initial']}"


def describe(row: Mapping[str, Any]) -> Parameter:
    """Return the parameter for a row of a table."""
    aliases = _alias_names(row["aliases"])
    facts = "; ".join(part for part in (_range_words(row), _default_words(row)) if part)
    text = _in_python(row["help"]) + (f" ({facts})" if facts else "")
    if aliases:
        text += ". Other names: " + ", ".join(aliases)
    types, hint = _type_words(row)
    return Parameter(key_of(row["name"]), row["name"], types, hint, text, row["kind"],
                     row["initial"], row["rule"] or "", aliases)


@lru_cache(maxsize=None)
def parameters(operation: str) -> tuple[Parameter, ...]:
    """Return the parameters of an operation of the library, in the order of its table."""
    return tuple(describe(row) for row in _core.params(operation))


class Signature:
    """The parameters of a class: its own, and those of an operation of the library.

    Parameters
    ----------
    operation : str
        Operation of the library: 'train'.
    own : sequence of Parameter
        Parameters that are not options of the library.
    defaults : mapping
        Defaults other than None.
    more : mapping
        More to say about options in docstrings.
    """

    def __init__(self, operation: str, own: Iterable[Parameter], defaults: Mapping[str, object],
                 more: Mapping[str, str] | None = None) -> None:
        self.operation = operation
        added = more or {}
        table = [p._replace(text=p.text + added.get(p.key, "")) for p in parameters(operation)]
        first, rest = table[:1], table[1:]
        self.parameters = tuple(first) + tuple(own) + tuple(rest)
        self.by_key = {p.key: p for p in self.parameters}
        self.defaults = {p.key: defaults.get(p.key) for p in self.parameters}
        self.aliases = {alias: p.key for p in table for alias in p.aliases}
        self.aliases.update((name, f"{name}_") for name in _METHODS if f"{name}_" in self.by_key)
        self.aliases.update((old, new) for old, new in _SKLEARN.items() if new in self.by_key)

    def key(self, name: str, owner: str) -> str:
        """Return the present name of a parameter; TypeError for an unknown one."""
        plain = name.replace("-", "_")
        plain = plain if plain in self.by_key else self.aliases.get(plain, key_of(plain))
        if plain in self.by_key:
            return plain
        raise TypeError(self._unknown(name, owner))

    def _unknown(self, name: str, owner: str) -> str:
        message = f"{owner} has no parameter '{name}'"
        renamed = _core.param_renamed(self.operation, name.replace("_", "-"))
        if renamed:
            return f"{message}: it is now '{key_of(renamed)}'"
        near = _core.suggest(name, [*self.by_key, *self.aliases]) or self._similar(name)
        return f"{message}; did you mean '{near}'?" if near else message

    def _similar(self, name: str) -> str | None:
        from difflib import get_close_matches
        return next(iter(get_close_matches(name, [*self.by_key, *self.aliases], 1)), None)

    def constructor(self, owner: str) -> Callable[..., None]:
        """Return a function ``__init__`` with these parameters, the first of them positional."""
        words = [f"{p.key}={self.defaults[p.key]!r}" for p in self.parameters]
        line = f"self, {words[0]}, *, {', '.join(words[1:])}, **aliases"
        space: dict[str, Any] = {"_store": self._store}
        exec(f"def __init__({line}):\n    _store(self, locals())\n", space)  # noqa: S102
        init: Callable[..., None] = space["__init__"]
        init.__qualname__ = f"{owner}.__init__"
        return init

    def _store(self, self_: object, values: dict[str, Any]) -> None:
        values.pop("self")
        aliases = values.pop("aliases")
        owner = type(self_).__name__
        for name, value in aliases.items():
            key = self.key(name, owner)
            if value is None:  # not given
                continue
            if values[key] is not None:
                raise TypeError(f"{owner} got '{key}' and '{name}', which are the same parameter")
            values[key] = value
        store(self_, values)

    def named(self, params: Mapping[str, object], owner: str) -> dict[str, object]:
        """Return parameters under their present names; TypeError if one is given twice."""
        values: dict[str, object] = {}
        names: dict[str, str] = {}
        for name, value in params.items():
            key = self.key(name, owner)
            if values.get(key) is None:
                values[key], names[key] = value, name
            elif value is not None:
                raise TypeError(f"{owner} got '{names[key]}' and '{name}', which are the same "
                                "parameter")
        return values

    def document(self) -> str:
        """Return the section "Parameters" of a numpydoc docstring."""
        lines = ["Parameters", "----------"]
        for p in self.parameters:
            default = self.defaults[p.key]
            tail = "optional" if default is None else f"default {default!r}"
            lines += [f"{p.key} : {p.types}, {tail}", *_wrapped(p.text)]
        return "\n".join(lines)


def _wrapped(text: str) -> list[str]:
    import textwrap
    return textwrap.wrap(text, 96, initial_indent="    ", subsequent_indent="    ")


def store(target: object, values: Mapping[str, object]) -> None:
    """Store parameters as attributes; those that are None have no attribute of the instance."""
    place = vars(target)
    for key, value in values.items():
        if value is None:
            place.pop(key, None)
        else:
            place[key] = value


def option_value(value: object) -> object:
    """Return a value for ``_core``: sequences are joined by commas, mappings as name:value."""
    if isinstance(value, Mapping):
        return ",".join(f"{k}:{_sign(v)}" for k, v in value.items())
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        return value
    return ",".join(_plain(item) for item in value)


def _sign(value: object) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return "+" if value > 0 else "-"
    return str(value)


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value
    return _core.number_text(float(value))  # type: ignore[arg-type]


def typed(p: Parameter, text: str) -> object:
    """Return an option's text, as models store it, as a value of the parameter's type."""
    if p.kind == "flag":
        return text == "true"
    if p.kind in ("count", "real"):
        number = float(text)
        return int(text) if p.kind == "count" and text.isdigit() else number
    return text
