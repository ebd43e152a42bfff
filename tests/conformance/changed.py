"""Decides the worlds that all releases lived through as each and as the one before: what changed, by which rule.

python -m tests.conformance.changed > docs/changed.md
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from hpaaudit.engine.behaviours.release import KNOWN, behaviour
from hpaaudit.engine.behaviours.release_history import between
from hpaaudit.engine.replay.plan import plan
from hpaaudit.engine.replay.process import Process, replay
from hpaaudit.model.decision import Decision
from hpaaudit.model.facts import ControllerSeen, Fact
from hpaaudit.model.flags import Flags
from hpaaudit.model.history import Change, ChangeKind, ChangeVerb
from tests.conformance.decisions import facts_of, flags_of
from tests.conformance.expected import captures, expected_of, releases

PROFILE = "common"
"""The worlds that are the same for every release."""

HEAD = """# What each release decided otherwise

Up to {worlds} small worlds are the same for every release: the same pods, load and failures. The real controllers of \
{controllers} releases lived through them, and the replay decides their {reconciles} reconciles as each of them \
did. Here each release decides the worlds that an older controller lived through, beside the release before it. \
Every reconcile starts from what the cluster really was.

- *replicas*: so many reconciles want another number than in the release before
- *words*: so many others differ in the status, in Events, or in the error of the reconcile
- *by*: rules that alone, switched back, change that many reconciles of the new release

A rule that no world meets has no figure; what it does is in [the table of releases](releases.md). Printed by \
`python -m tests.conformance.changed`.

| release | worlds of | reconciles | replicas | words | by |
| --- | --- | --- | --- | --- | --- |
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a reconcile came to: the number that it wants, and everything that it says."""

    replicas: int | None
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A release beside the one before.

    recorded    the release whose worlds these are
    replicas    how many reconciles want another number;  words   how many others say something else
    by          of each rule that changes any, how many
    """

    release: str
    recorded: str
    reconciles: int
    replicas: int
    words: int
    by: tuple[tuple[str, int], ...]

    @property
    def row(self) -> str:
        """Its row in the table."""
        by = ", ".join(f"`{name}` {count}" for name, count in self.by)
        cells = (self.release, self.recorded, self.reconciles, self.replicas, self.words, by)
        return f"| {' | '.join(map(str, cells))} |\n"


def recorded_before(release: str) -> str:
    """The newest older release whose worlds are kept."""
    minor = int(release.split(".")[1])
    return max((each for each in releases() if int(each.split(".")[1]) < minor), key=lambda each: int(each[2:]))


def worlds_of(release: str) -> list[Path]:
    """The common worlds that the controller of a release lived through."""
    return [capture for capture in captures(release) if capture.name.startswith(PROFILE)]


def changed(older: str, newer: str) -> Changed:
    """What a release decides otherwise than the one before it."""
    recorded = recorded_before(newer)
    worlds = [facts_of(capture) for capture in worlds_of(recorded)]
    before, after = _decided(worlds, older), _decided(worlds, newer)
    by = []
    for change in _switchable(older, newer):
        switched = _decided(worlds, newer, **{_switch(change): (behaviour(change.name),)})
        if count := sum(one != other for one, other in zip(after, switched, strict=True)):
            by.append((change.name, count))
    pairs = list(zip(before, after, strict=True))
    replicas = sum(one.replicas != other.replicas for one, other in pairs)
    return Changed(
        release=newer, recorded=recorded, reconciles=len(after), replicas=replicas,
        words=sum(one != other for one, other in pairs) - replicas, by=tuple(by),
    )  # fmt: skip


def _switchable(older: str, newer: str) -> Iterable[Change]:
    kinds = (ChangeKind.BEHAVIOUR, ChangeKind.GATE)
    found = [change for change in between(older, newer).changes if change.kind in kinds]
    return [change for change in found if change.verb in (ChangeVerb.BEGAN, ChangeVerb.ENDED, ChangeVerb.ON_BY_DEFAULT)]


def _switch(change: Change) -> str:
    return "with_behaviours" if change.verb is ChangeVerb.ENDED else "without_behaviours"


def _decided(worlds: Sequence[Sequence[Fact]], release: str, **switched: tuple[str, ...]) -> list[Told]:
    """What a release makes of each reconcile of these worlds."""

    def flags(controller: ControllerSeen) -> Flags:
        return replace(flags_of(controller), release=release, gates=Flags().gates, **switched)

    told = []
    for facts in worlds:
        planned = plan(facts, None)
        process = Process(planned, Flags(release=release, **switched), flags, keep_pods=False)
        told += [_told(each.decision) for each in replay(facts, planned, process, ())]
    return told


def _told(decision: Decision) -> Told:
    holds = decision.action == "hold" and decision.desired is not None
    said: tuple[Any, ...] = decision.status, decision.writes_status, decision.events, decision.error
    return Told(replicas=decision.spec_replicas if holds else decision.desired, words=repr(said))


def page() -> str:
    """The whole page."""
    kept = [release for release in releases() if worlds_of(release)]
    reconciles = sum(len(expected_of(capture)) for release in kept for capture in worlds_of(release))
    worlds = max(len(worlds_of(release)) for release in kept)
    head = HEAD.format(worlds=worlds, controllers=len(kept), reconciles=f"{reconciles:,}")
    return head + "".join(changed(*pair).row for pair in pairwise(KNOWN))


if __name__ == "__main__":
    sys.stdout.write(page())
