"""Makes a scenario smaller for as long as our engine still decides it otherwise than the real controller."""

import copy
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.conformance.decisions import compare
from tests.oracle.controller import run
from tests.oracle.draw import Json

LISTS = ("events", "faults", "latency", "metrics", "hpas", "targets")
DROPPED_OF_TARGET = (
    "init_containers", "pod_requests", "overhead", "fates", "delays", "scrape", "selector", "labels", "max_pods",
    "age_s",
)  # fmt: skip
FEW = 4
Path_ = tuple[str | int | slice, ...]


def shrink(release: str, scenario: Json) -> Json:
    """The smallest scenario found that still differs in the same way; the scenario itself if none is smaller.

    In each round everything that can go is left out on its own, and what goes with the most goes for good.
    """
    kinds = _kinds(release, [scenario])[0]
    best = scenario
    while True:
        trials = [trial for trial in _smaller(best) if _size(trial) < _size(best)]
        trials = [{**trial, "name": f"trial-{index}"} for index, trial in enumerate(trials)]
        differing = [
            trial for trial, found_kinds in zip(trials, _kinds(release, trials), strict=True) if found_kinds & kinds
        ]
        if not differing:
            return best
        best = {**min(differing, key=_size), "name": scenario["name"]}


def _size(scenario: Json) -> float:
    """How much there is to read, a second counted as a letter."""
    return len(json.dumps({**scenario, "name": ""})) + scenario["until_s"]


def _kinds(release: str, scenarios: list[Json]) -> list[set[str]]:
    """In what each scenario differs: `status`, `memory`, …; nothing for one that is refused."""
    with tempfile.TemporaryDirectory() as folder:
        run(release, scenarios, Path(folder))
        captures = [Path(folder) / f"{scenario['name']}.capture.jsonl" for scenario in scenarios]
        return [{_kind(text) for text in compare(c).differences} if c.exists() else set() for c in captures]


def _kind(difference: str) -> str:
    return re.split(r"[.\[:]", difference.split(": ", 1)[1])[0]


def _smaller(scenario: Json) -> Iterator[Json]:
    """The scenario with one thing less, each thing in turn; most of the time first."""
    for share in (8, 4, 2, 1.5, 1.2, 1.02):
        yield {**scenario, "until_s": round(scenario["until_s"] / share, 1)}
    for path in _droppable(scenario):
        yield _without(scenario, path)


def _droppable(scenario: Json) -> Iterator[Path_]:
    for key in LISTS:
        items = scenario.get(key, [])
        if len(items) > 1:
            yield (key,)
        yield from ((key, index) for index in range(len(items)))
    for key in ("controller", "gates"):
        yield from ((key, name) for name in scenario.get(key, {}))
    for index, target in enumerate(scenario.get("targets", [])):
        yield from (("targets", index, key) for key in DROPPED_OF_TARGET if key in target)
        yield from (("targets", index, "fates", ordinal) for ordinal in target.get("fates", {}))
        yield from (("targets", index, "usage", number) for number in range(len(target.get("usage", []))))
        yield from (("targets", index, "containers", number) for number in range(len(target["containers"])))
        for number, usage in enumerate(target.get("usage", [])):
            yield from (("targets", index, "usage", number, key) for key in ("offsets", "cap", "unit") if key in usage)
            yield from _points(("targets", index, "usage", number, "signal", "points"), usage["signal"]["points"])
    for index, hpa in enumerate(scenario.get("hpas", [])):
        spec = hpa["object"].get("spec", {})
        here: Path_ = ("hpas", index, "object", "spec")
        yield from ((*here, "metrics", number) for number in range(len(spec.get("metrics", []))))
        yield from ((*here, key) for key in ("behavior", "minReplicas") if key in spec)
        for direction, rules in spec.get("behavior", {}).items():
            yield (*here, "behavior", direction)
            yield from ((*here, "behavior", direction, key) for key in rules)
            policies = rules.get("policies", [])
            yield from ((*here, "behavior", direction, "policies", number) for number in range(len(policies)))
        if "at_s" in hpa:
            yield ("hpas", index, "at_s")
    for index, metric in enumerate(scenario.get("metrics", [])):
        yield from (("metrics", index, key) for key in ("scrape", "offsets", "unit") if key in metric)
        if "signal" in metric:
            yield from _points(("metrics", index, "signal", "points"), metric["signal"]["points"])
        for number, series in enumerate(metric.get("series", [])):
            yield ("metrics", index, "series", number)
            yield from _points(("metrics", index, "series", number, "signal", "points"), series["signal"]["points"])


def _points(path: Path_, points: list[Any]) -> Iterator[Path_]:
    """Both halves of a long signal, then each of its points; one must stay."""
    if len(points) > FEW:
        yield (*path, slice(1, len(points) // 2))
        yield (*path, slice(len(points) // 2, len(points)))
    if len(points) > 1:
        yield from ((*path, number) for number in range(len(points)))


def _without(scenario: Json, path: Path_) -> Json:
    smaller = copy.deepcopy(scenario)
    holder: Any = smaller
    for part in path[:-1]:
        holder = holder[part]
    del holder[path[-1]]
    return smaller
