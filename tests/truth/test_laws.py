"""What has nothing to do with an HPA changes no answer about it: another day, a twin in another namespace."""

import gzip
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.model.facts import ControllerSeen, Fact, Gap
from hpaaudit.results.questions import Scope, ask, questions
from tests.conformance.expected import capture_of
from tests.truth.replayed import replayed
from tests.truth.views import VIEWS
from tests.truth.worlds import facts_of

WORLDS = ("people-100-0006", "pods-100-0011", "several-100-0004")
"""People who scale; two writes that a gap hides together; two HPAs."""
VIEW = "a hole in the middle"
OF_ALL = {"did_the_controller_restart", "what_was_recorded", "which_divergences_are_there"}
"""Questions about all HPAs together."""
NAMES_REPLAYS = {"what_would_it_cost"}
TIME = re.compile(r"(?:(\d{4}-\d\d-\d\d)T)?(\d\d:\d\d:\d\d)(?:\.\d+)?Z")
STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
FOLDER = re.compile(r"\S*/recording\S*")
NEW_YEAR = datetime.fromisoformat("2027-01-01T00:00:00")

Answers = dict[str, list[tuple[Any, ...]]]


def _facts(text: str, folder: Path) -> Sequence[Fact]:
    """What a recorder sees of the world of this capture, with a gap in its middle."""
    (folder / "world.capture.jsonl").write_text(text, encoding="utf-8")
    return list(VIEWS[VIEW](facts_of(folder / "world.capture.jsonl")))


def _answers(facts: Iterable[Fact]) -> tuple[Answers, datetime]:
    """The answers to all questions, and when the recording begins."""
    with replayed(facts) as results:
        told = {
            name: [tuple(row) for row in ask(results, asked, Scope()).fetchall()]
            for name, asked in questions().items()
            if name not in NAMES_REPLAYS
        }
        [begun] = results.rows("select started_at from recordings")
    return told, begun["started_at"]


def _since(row: Sequence[Any], begun: datetime) -> tuple[Any, ...]:
    """The row with its times as seconds since the recording began; one without a date is of the day of the row."""
    day = next((cell.date() for cell in row if isinstance(cell, datetime)), None)

    def seconds(found: re.Match[str]) -> str:
        at = datetime.fromisoformat(f"{found[1] or day}T{found[2]}")
        return f"<{(at - begun.replace(microsecond=0)).total_seconds():.0f} s>"

    return tuple(
        round((cell - begun).total_seconds(), 3)
        if isinstance(cell, datetime)
        else TIME.sub(seconds, FOLDER.sub("DIR", cell))
        if isinstance(cell, str)
        else cell
        for cell in row
    )


def _text(world: str) -> str:
    return gzip.decompress(capture_of("1.36", world).read_bytes()).decode()


@pytest.mark.parametrize("world", WORLDS)
def test_another_day_changes_only_the_times_of_an_answer(world: str, tmp_path: Path) -> None:
    """Here it begins in one year and ends in the next one: a time of the other day has its date."""
    text = _text(world)
    told, begun = _answers(_facts(text, tmp_path))
    times = [datetime.fromisoformat(found) for found in re.findall(r'"at":"([^"]+?)(?:\.\d+)?Z"', text)]
    later = NEW_YEAR - times[0] - timedelta(seconds=(times[-1] - times[0]).total_seconds() // 2)
    moved = STAMP.sub(lambda found: (datetime.fromisoformat(found[0]) + later).isoformat(), text)
    told_later, begun_later = _answers(_facts(moved, tmp_path))
    assert begun_later.year < NEW_YEAR.year
    assert begun_later == begun + later
    for name, rows in told.items():
        assert [_since(row, begun_later) for row in told_later[name]] == [_since(row, begun) for row in rows], name


@pytest.mark.parametrize("world", WORLDS)
def test_a_twin_in_another_namespace_changes_no_answer_about_an_hpa(world: str, tmp_path: Path) -> None:
    text = _text(world)
    own = _facts(text, tmp_path)
    twin = text.replace('"shop"', '"zz9"').replace("namespaces/shop/", "namespaces/zz9/").replace('"shop/', '"zz9/')
    twin = re.sub(r"\b0(0000000-0000-4000-[89a])", r"1\1", twin)
    theirs = [fact for fact in _facts(twin, tmp_path) if not isinstance(fact, ControllerSeen | Gap)]
    alone, _ = _answers(own)
    together, _ = _answers(sorted([*own, *theirs], key=lambda fact: fact.at_us))
    for name in alone.keys() - OF_ALL:
        rows = [str(row) for row in together[name]]
        of_shop = [FOLDER.sub("DIR", row) for row in rows if "'shop'" in row or "'zz9'" not in row]
        of_twin = [FOLDER.sub("DIR", row).replace("zz9", "shop") for row in rows if "'zz9'" in row]
        expected = sorted(FOLDER.sub("DIR", str(row)) for row in alone[name])
        assert sorted(of_shop) == expected, name
        if name != "which_settings_were_assumed":
            assert sorted(of_twin) == expected, name
