"""A control plane that is upgraded while it is recorded: each reconcile is decided, and told, as its own release."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from hpaaudit.flows.explain import explain
from hpaaudit.flows.query import account
from hpaaudit.flows.replay import replay, replayed_reconciles
from hpaaudit.flows.timeline import timeline
from hpaaudit.model.facts import ControllerSeen, Fact, VersionRead
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.report.explain import explain_text
from hpaaudit.report.replay import replay_text
from hpaaudit.report.timeline import Screen, timeline_text
from tests.fleet.chance import write
from tests.recordings.kept import RECORDINGS
from tests.truth.worlds import facts_of

WORLD = Path(__file__).parents[1] / "conformance" / "1.9" / "common-100-0002.capture.jsonl.gz"
"""Two processes, in each of which 1.9 and 1.36 want different numbers."""


def recorded(folder: Path, facts: Sequence[Fact]) -> Path:
    """These facts as a recording."""
    write(folder, facts, len(facts) + 1)
    return folder


def world(folder: Path, first: str, later: str) -> Path:
    """The world, with its first process of one release and the later one of another."""
    releases = iter((first, later))
    return recorded(
        folder,
        [
            replace(fact, release=next(releases), version="")
            if isinstance(fact, ControllerSeen) and fact.state == "started"
            else fact
            for fact in facts_of(WORLD)
        ],
    )


def test_each_process_is_decided_as_its_own_release(tmp_path: Path) -> None:
    old, new, upgraded = (
        [
            (one.epoch_id, one.instant.at_us, one.decision.desired, one.decision.steps)
            for one in replayed_reconciles(world(tmp_path / f"{first}-{later}", first, later))
        ]
        for first, later in (("1.9", "1.9"), ("1.36", "1.36"), ("1.9", "1.36"))
    )
    assert upgraded == [ours if ours[0] == 1 else theirs for ours, theirs in zip(old, new, strict=True)]
    wanted = {epoch: [[one[2] for one in each if one[0] == epoch] for each in (old, new)] for epoch in (1, 2)}
    assert all(ours != theirs for ours, theirs in wanted.values())


def test_the_head_tells_every_release_and_a_reconcile_its_own(tmp_path: Path) -> None:
    folder = world(tmp_path / "upgraded", "1.9", "1.36")
    with replay(folder, into=tmp_path / "results.duckdb") as results:
        rows = results.rows("select epoch_id, epoch_us(ts) as at_us from reconciles order by ts")
        later, first = next((one, other) for other, one in pairwise(rows) if other["epoch_id"] < one["epoch_id"])
        at_us = results.rows("select epoch_us(max(acquired_at)) as at_us from controller_epochs")[0]["at_us"]
        page = account(results)
        assert (page.release, page.later_releases) == ("1.9", ((at_us, "1.36"),))
        head = replay_text(page).splitlines()[0]
        assert "release 1.9, from " in head
        assert head.endswith(" 1.36 (observed)")
        drawn = timeline_text(timeline(results), Screen())
        assert "release 1.9, from " in drawn.splitlines()[0]
        assert "another controller process of release 1.36 began" in drawn
        assert "computed, by the rules of 1.9\n" in explain_text(explain(results, at=first["at_us"]))
        assert "computed, by the rules of 1.36\n" in explain_text(explain(results, at=later["at_us"]))
    with replay(folder, release="1.30", into=tmp_path / "what-if.duckdb") as results:
        assert account(results).later_releases == ()
        assert "computed, by the rules of 1.30" in explain_text(explain(results, at=later["at_us"]))


@pytest.mark.parametrize("release", [None, "1.36"])
def test_an_api_server_that_is_upgraded_alone_tells_that_the_controllers_release_is_unknown(
    release: str | None, tmp_path: Path
) -> None:
    """Nothing else tells the release of the controller. What the user says, the user knows."""
    facts = list(open_recording(RECORDINGS["load-step"]).facts())
    middle_us = facts[len(facts) // 2].at_us
    upgraded = [
        replace(fact, version="v1.37.1") if isinstance(fact, VersionRead) and fact.at_us > middle_us else fact
        for fact in facts
    ]
    with replay(recorded(tmp_path / "upgraded", upgraded), release=release, into=tmp_path / "r.duckdb") as results:
        text = " ".join(replay_text(account(results)).split())
        before, after = (explain_text(explain(results, at=at)) for at in ("first", "last"))
    said = "not recorded: the release of the controller (its API server first said v1.37.1 at 15:"
    assert (said in text) == (release is None)
    assert "v1.37.1" not in before
    assert ("the API server had said v1.37.1 by then" in after) == (release is None)
