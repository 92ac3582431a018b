# SPDX-License-Identifier: Apache-2.0
"""Every public name has a numpydoc docstring: a summary, and sections that agree with its signature."""
from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gradus

# members that Python or scikit-learn prescribe, and classes of the extension
KNOWN = {"mro", "with_traceback", "add_note"}


def public() -> Iterator[tuple[str, Any]]:
    """Names of gradus.__all__, functions of its modules, and methods of its classes."""
    for name in gradus.__all__:
        thing = getattr(gradus, name)
        if inspect.ismodule(thing):
            assert thing.__doc__, name
            yield from ((f"{name}.{one}", getattr(thing, one)) for one in thing.__all__)
            continue
        yield name, thing
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            for member, value in inspect.getmembers(thing):
                own = (getattr(value, "__module__", None) or "gradus").startswith("gradus")
                if not member.startswith("_") and member not in KNOWN and own \
                        and (callable(value) or isinstance(value, property)):
                    yield f"{name}.{member}", value


THINGS = dict(public())


def sections(text: str) -> dict[str, str]:
    """Sections of a docstring by their headings."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.cleandoc(text), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def parameters(thing: Any) -> set[str]:
    """Names of the parameters that a caller may pass."""
    if isinstance(thing, property):
        return set()
    try:
        signature = inspect.signature(thing)
    except ValueError:  # a class of the extension
        return set()
    return {p.name for p in signature.parameters.values()
            if p.name not in ("self", "cls", "args", "kwargs", "aliases")
            and not p.name.startswith("_")}


def documented(section: str) -> set[str]:
    """Names in a section Parameters: 'a, b : int' and '**options'."""
    heads = re.findall(r"^([\w*][\w*, ]*?)(?: :.*)?$", section, flags=re.MULTILINE)
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


def test_every_name_is_in_the_reference(tmp_path: Path) -> None:
    script = Path(__file__).parents[1] / "docs/make_reference.py"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True)
    text = "".join(page.read_text() for page in tmp_path.glob("*.rst"))
    assert [name for name in gradus.__all__ if not re.search(rf":: (gradus\.)?{name}\n", text)] == []


@pytest.mark.parametrize("name", THINGS)
def test_docstring(name: str) -> None:
    thing = THINGS[name]
    text = inspect.getdoc(thing)
    if isinstance(thing, property) and not text:
        owner, _, attribute = name.partition(".")
        listed = sections(getattr(gradus, owner).__doc__)["Attributes"]
        assert attribute in documented(listed), "neither a docstring nor in the section Attributes"
        return
    assert text, "no docstring"
    summary = text.split("\n\n")[0]
    assert summary.endswith((".", ":")) or isinstance(thing, type), f"summary: {summary!r}"
    assert summary[0].isupper() or summary[0] in "\"'`0123456789", f"summary: {summary!r}"
    if isinstance(thing, type) and (issubclass(thing, Exception) or "." in name):
        return
    found = sections(text)
    expected = parameters(thing)
    made_by = isinstance(thing, type) and "Attributes" in found  # a result, not made by callers
    if expected and not made_by:
        if "Parameters" not in found and re.search(r"[Ss]ee `\w", text):
            return  # they are described elsewhere
        missing = expected - documented(found.get("Parameters", ""))
        assert not missing, f"not in the section Parameters: {sorted(missing)}"
