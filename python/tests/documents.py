# SPDX-License-Identifier: Apache-2.0
"""Python code in documents: blocks of Markdown and reStructuredText, with their line numbers."""
from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path


def markdown_blocks(text: str) -> Iterator[tuple[int, str]]:
    """Blocks ```python of a page, each with the number of its first line."""
    for match in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, match.start(1)) + 1, match[1]


def rest_blocks(text: str) -> Iterator[tuple[int, str]]:
    """Blocks ``.. code-block:: python`` of a page, indented by three spaces."""
    block: list[str] = []
    start = 0
    for number, line in enumerate([*text.splitlines(), "end"], 1):
        if line == ".. code-block:: python":
            start = number + 1
        elif start and line and not line.startswith("   "):
            yield start, "\n".join(block) + "\n"
            start, block = 0, []
        elif start:
            block.append(line[3:])


def run_page(path: Path, text: str, first: int = 0) -> int:
    """Runs the blocks of a page in one namespace, and returns how many there were."""
    find = rest_blocks if path.suffix == ".rst" else markdown_blocks
    space: dict[str, object] = {"__name__": "page"}
    count = 0
    for line, code in find(text):
        exec(compile("\n" * (first + line - 1) + code, str(path), "exec"), space)
        count += 1
    return count
