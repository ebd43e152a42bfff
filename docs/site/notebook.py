"""Turns the executed notebook into a page of the site: its texts, its code, and what came out when it was run."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def notebook(path: Path) -> str:
    """The page in Markdown. Nothing is run: what came out is stored in the file, and a test runs it again."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return "\n\n".join(block for cell in cells for block in _blocks(cell)) + "\n"


def _blocks(cell: Json) -> Iterator[str]:
    source = "".join(cell["source"]).rstrip()
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        yield _shown(output)


def _shown(output: Json) -> str:
    """What a cell printed, or the richest form of its value that a page can show."""
    if output["output_type"] == "stream":
        return _fenced("text", "".join(output["text"]))
    data = output["data"]
    if "text/html" in data:
        return _fenced("{raw} html", "".join(data["text/html"]))
    return _fenced("text", "".join(data["text/plain"]))


def _fenced(kind: str, text: str) -> str:
    return f"````{kind}\n{text.rstrip()}\n````"
