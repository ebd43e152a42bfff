"""Checks that what the harness wrote agrees with itself: every row of decisions with the capture that it belongs to.

python -m tests.oracle.check FOLDER…
"""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hpaaudit.api.times import micros
from tests.conformance.expected import expected_of

HPAS = "horizontalpodautoscalers"


class Disagreement(Exception):
    """A capture and its decisions do not fit: file, line, what."""


def check(capture: Path) -> int:
    """How many rows agree: lines in order, a row per reconcile, each row saying what stands before its line."""
    rows = iter(expected_of(capture))
    last_us, hpas = 0, set[str]()
    scale: dict[str, Any] = {}
    row: dict[str, Any] = {}
    count = 0
    for number, line in enumerate(_lines(capture), 1):
        wrong = ""
        if micros(line["at"]) < last_us:
            wrong = "it comes after a later line"
        last_us = micros(line["at"])
        path = line.get("get") or line.get("watch") or ""
        if "get" in line and path.endswith("/scale") and line["status"] == 200:
            scale = line["body"]
        elif path.endswith(HPAS):
            _follow(hpas, line)
        elif "reconcile" in line:
            _finished(row, f"{capture.name}:{number}")
            row = next(rows, {})
            count += 1
            wrong = wrong or _misread(row, line, scale, hpas)
        elif line.get("put", "").endswith("/scale") and "system:" in line["by"]:
            put = row["scale_puts"].pop(0)
            sent = (line.get("body") or line["request"])["spec"].get("replicas", 0)
            if (put["to"], put["status"]) != (sent, line["status"]):
                wrong = f"the row writes {put}, the line {sent}"
        if wrong:
            raise Disagreement(f"{capture.name}:{number}: {wrong}")
    _finished(row, capture.name)
    if next(rows, None) is not None:
        raise Disagreement(f"{capture.name}: there are more rows than reconciles")
    return count


def _lines(capture: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(capture, "rt") if capture.suffix == ".gz" else capture.open() as lines:
        yield from (json.loads(line) for line in lines)


def _follow(hpas: set[str], line: dict[str, Any]) -> None:
    """Which HPAs there are after a list or a watch event."""
    if "get" in line:
        if line["status"] == 200:
            hpas.clear()
            hpas.update(item["metadata"]["name"] for item in line["body"]["items"])
    elif line["type"] == "DELETED":
        hpas.discard(line["object"]["metadata"]["name"])
    else:
        hpas.add(line["object"]["metadata"]["name"])


def _misread(row: dict[str, Any], line: dict[str, Any], scale: dict[str, Any], hpas: set[str]) -> str:
    """What a row says otherwise than the lines before it, empty if nothing."""
    if (row.get("at"), row.get("hpa")) != (line["at"], line["reconcile"]):
        return f"the row is {row.get('hpa')} at {row.get('at')}"
    if row.get("gone", False) != (row["hpa"].split("/")[1] not in hpas):
        return f"the row says gone={row.get('gone', False)}"
    if "spec_replicas" not in row:
        return ""
    read = (scale["spec"].get("replicas", 0), scale["status"].get("replicas", 0))
    stated = (row["spec_replicas"], row["status_replicas"])
    return "" if read == stated else f"the row read replicas {stated}, the answer was {read}"


def _finished(row: dict[str, Any], where: str) -> None:
    if row.get("scale_puts"):
        raise Disagreement(f"{where}: a write of the scale is missing before this line")


def main() -> int:
    """Prints how many agree; 1 if any does not."""
    captures = [path for folder in sys.argv[1:] for path in sorted(Path(folder).rglob("*.capture.jsonl*"))]
    wrong = rows = 0
    for capture in captures:
        try:
            rows += check(capture)
        except Disagreement as found:
            wrong += 1
            sys.stdout.write(f"{found}\n")
    sys.stdout.write(f"{len(captures)} captures, {rows} rows, {wrong} wrong\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
