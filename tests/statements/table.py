"""The table of all statements: what each says, where its tests are, or why it has none.

python -m tests.statements.table > tests/statements/README.md
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
_NUMBER = re.compile(r"s(\d{3})_(\d\d)(?:_and_(?:s\d{3}_)?(\d\d))?")

HEAD = """# What five published documents say about the HPA

A test for each statement that can be checked: its number stands in the test's name. Where a document and the real \
controller differ, the test follows the controller and says so in a line (`d11` is the eleventh such difference).

| document | what it is |
| --- | --- |
| 000 | a walk through the source of release 1.28 |
| 001 | the user documentation of release 1.19 |
| 002 | the code of release 1.15 with its API objects |
| 003 | the design proposal of release 1.1 |
| 004 | a Pods metric step by step, releases 1.16 and 1.17 |

Each is checked at the releases that it speaks of, and where it still holds at the newest. This page is printed by \
`python -m tests.statements.table`; `test_table.py` keeps it current.

{count} of {all} statements have a test. Those without one say why.

| statement | releases | what it says | tests |
| --- | --- | --- | --- |
"""

UNTESTED = {
    "S003-17": "nobody's to decide: what a pod may use at most (its limits) decides nothing and is not recorded",
    "S003-22": "nobody's to decide: which pods are removed is never the HPA's choice",
}
"""Why a statement has no test."""

PARTLY = {
    "S002-13": "the Event FailedConvertHPA is not decided: the controller converts by the same code as its API server, "
    "which until 1.15.11, 1.16.8 and 1.17.4 fails to answer with such an object, and since then reads the annotation "
    "as absent and drops it; only an API server of 1.2 to 1.5, which does not know the annotation, would hand one to a "
    "controller of 1.6 or newer, and no controller may be newer than its API server",
}
"""What of a statement has no test."""


def statements() -> dict[str, tuple[str, str]]:
    """The releases and the words of each statement, by its number."""
    rows = (line.split("\t") for line in (HERE / "statements.tsv").read_text("utf-8").splitlines())
    return {number: (releases, words) for number, releases, words in rows}


def tested() -> dict[str, list[str]]:
    """The files with tests of each statement."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in sorted(HERE.glob("test_*.py")):
        numbers = set()
        for document, first, second in _NUMBER.findall(file.read_text("utf-8")):
            numbers |= {f"S{document}-{number}" for number in (first, second) if number}
        for number in numbers:
            found[number].append(file.name)
    return found


def page() -> str:
    """The whole page."""
    rows, tests = statements(), tested()
    lines = []
    for number, (releases, words) in rows.items():
        told = ", ".join(f"`{name}`" for name in tests.get(number, [])) or UNTESTED.get(number, "")
        told += f"; {PARTLY[number]}" if number in PARTLY else ""
        lines.append(f"| {number} | {releases} | {words} | {told} |\n")
    return HEAD.format(count=len(set(rows) & set(tests)), all=len(rows)) + "".join(lines)


if __name__ == "__main__":
    sys.stdout.write(page())
