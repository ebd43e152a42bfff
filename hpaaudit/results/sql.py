"""Finds the SQL that travels with the package: a folder of `sql/`, a name a file."""

from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=16)
def folder(name: str) -> dict[str, str]:
    """Every file of `sql/<name>/` under its stem, in the order of the names."""
    found = files("hpaaudit") / "sql" / name
    texts = {
        entry.name.removesuffix(".sql"): entry.read_text("utf-8")
        for entry in found.iterdir()
        if entry.name.endswith(".sql")
    }
    return dict(sorted(texts.items()))


def heading(text: str) -> list[str]:
    """The comment lines that open a file, without their dashes: first its question, then what one row is."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        lines.append(line.removeprefix("--").strip())
    return lines
