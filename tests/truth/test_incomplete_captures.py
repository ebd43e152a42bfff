"""What captures of a world say that lack a part of it, or tell a part twice: little, and nothing false."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.engine.behaviours.release import newest_serving, version_of
from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.replay import replay
from hpaaudit.importers.capture import Reader
from hpaaudit.importers.capture_lines import numbered
from hpaaudit.model.facts import HpaSeen
from tests.conformance.expected import capture_of, captures, releases
from tests.truth.judged import judged_as_shown
from tests.truth.worlds import facts_of, truth_of

Lines = list[dict[str, Any]]

WORLDS = (
    ("1.1", "people-100-0001"),
    ("1.20", "common-100-0002"),
    ("1.36", "people-100-0000"),
    ("1.36", "people-100-0012"),
    ("1.36", "common-100-0006"),
)


def _is_of_pods(line: dict[str, Any]) -> bool:
    path = line.get("get") or line.get("watch") or ""
    return path.partition("?")[0].endswith("/pods") and "metrics" not in path


def _late_list(lines: Lines) -> Lines:
    """Nobody looks at pods until a quarter of the capture has passed. Then they are listed as they are."""
    quarter = len(lines) // 4
    pods: dict[str, Any] = {}
    for line in filter(_is_of_pods, lines[:quarter]):
        if "get" in line:
            pods = {pod["metadata"]["name"]: pod for pod in line["body"]["items"]}
        elif line["type"] == "DELETED":
            pods.pop(line["object"]["metadata"]["name"], None)
        else:
            pods[line["object"]["metadata"]["name"]] = line["object"]
    first = next(line for line in lines if _is_of_pods(line))
    listed = {**first, "at": lines[quarter - 1]["at"], "body": {**first["body"], "items": list(pods.values())}}
    return [*(line for line in lines[:quarter] if not _is_of_pods(line)), listed, *lines[quarter:]]


def _some_pods(lines: Lines) -> Lines:
    """Only half of the pods are listed and watched, as those of one node."""
    query = "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1"

    def is_there(pod: dict[str, Any]) -> bool:
        return sum(map(ord, pod["metadata"]["name"])) % 2 == 0

    seen: Lines = []
    for line in lines:
        if _is_of_pods(line) and "get" in line:
            body = {**line["body"], "items": list(filter(is_there, line["body"]["items"]))}
            seen.append({**line, "get": query, "body": body})
        elif not _is_of_pods(line):
            seen.append(line)
        elif is_there(line["object"]):
            seen.append({**line, "watch": query})
    return seen


def _broken_watch(lines: Lines) -> Lines:
    """The watch of pods breaks, and nobody lists them again."""
    half = len(lines) // 2
    error = {"at": lines[half]["at"], "watch": "/api/v1/pods", "type": "ERROR", "object": {"code": 410}}
    return [*lines[:half], error, *(line for line in lines[half:] if not _is_of_pods(line))]


def _told_gap(lines: Lines) -> Lines:
    """A line says that nothing was observed for a fifth of the capture. Nobody lists the pods afterwards."""
    since, until = lines[len(lines) * 4 // 10], lines[len(lines) * 6 // 10]
    gap = {"at": since["at"], "until": until["at"], "gap": "*", "cause": "the collector was down"}
    return [*lines[: len(lines) * 4 // 10], gap, *lines[len(lines) * 6 // 10 :]]


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
    "a gap that a line tells": lambda lines: [_told_gap(lines)],
    "some of the pods": lambda lines: [_some_pods(lines)],
    "a watch that breaks": lambda lines: [_broken_watch(lines)],
}


@pytest.mark.parametrize(("release", "world"), WORLDS)
@pytest.mark.parametrize("part", PARTS)
def test_a_capture_that_lacks_something_says_nothing_false(release: str, world: str, part: str, tmp_path: Path) -> None:
    capture = capture_of(release, world)
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


def test_what_an_old_api_server_serves_tells_the_newest_release_that_the_controller_can_be() -> None:
    """Nobody said which release it is. Each world is read in an API version of its own time."""
    for release in releases():
        told = {fact.api_version for fact in facts_of(captures(release)[0]) if isinstance(fact, HpaSeen)}
        assert version_of(newest_serving(frozenset(told))) >= version_of(release)


def test_a_capture_of_an_old_api_server_is_not_decided_as_the_newest_release(tmp_path: Path) -> None:
    lines = [json.loads(text) for _, text in numbered(capture_of("1.1", "people-100-0001"))]
    (tmp_path / "part.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines if "controller" not in line))
    import_capture((tmp_path / "part.jsonl",), into=tmp_path / "part")
    with replay(tmp_path / "part") as results:
        assert results.rows("select value, source from assumptions where key = 'release'") == [
            {"value": "1.5", "source": "inferred"}
        ]
