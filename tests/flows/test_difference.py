"""Another release beside the audit: every difference is found once, and every cause is proven by a replay."""

import gzip
import json
import shutil
from pathlib import Path

import pytest

from hpaaudit.engine.behaviours import release_history
from hpaaudit.flows.difference import difference
from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.options import ControllerOptions
from hpaaudit.flows.replay import replay, replayed_reconciles
from hpaaudit.model.difference import Cause, ComparedHpa, Difference, Episode, Wanted
from hpaaudit.report.difference import difference_text
from tests.cli.run import run
from tests.conformance.expected import captures
from tests.report.accounts import NOON

ROOT = Path(__file__).parents[2] / "recordings"
NEWEST = "1.37"
ERAS = sorted(path.name for path in ROOT.glob("1.*"))
Numbers = dict[int, tuple[str, int, int | None, str]]
"""What each reconcile wants, by its number: HPA, time, replicas, reason."""


def wanted(folder: Path, release: str | None = None, **behaviours: bool) -> Numbers:
    """What a release wants, decided without results."""
    controller = ControllerOptions(release=release, behaviours=behaviours)
    numbers: Numbers = {}
    for reconcile in replayed_reconciles(folder, controller):
        decision = reconcile.decision
        if decision.gone:
            continue
        holds = decision.action == "hold" and decision.desired is not None
        key, replicas = f"{decision.namespace}/{decision.name}", decision.spec_replicas if holds else decision.desired
        numbers[reconcile.reconcile_id] = (key, decision.at_us, replicas, decision.reason_code)
    return numbers


def copied(name: str, into: Path) -> Path:
    """A recording that may be written to."""
    return Path(shutil.copytree(ROOT / name, into / name, ignore=shutil.ignore_patterns("*.duckdb")))


def found(folder: Path, release: str) -> Difference:
    """What differs from the audit, which is made first."""
    replay(folder).close()
    with replay(folder, release=release) as other:
        differing = difference(folder, other, ControllerOptions(release=release))
    assert differing is not None
    return differing


def within(episode: Episode, reconcile: tuple[str, int, int | None, str]) -> bool:
    hpa, at_us, _, _ = reconcile
    return hpa == episode.hpa and episode.first_us <= at_us <= episode.last_us


@pytest.mark.parametrize("name", ERAS)
def test_every_difference_is_in_one_episode_and_every_cause_is_proven(name: str, tmp_path: Path) -> None:
    """By the public options alone: one rule switched makes the one release want what the other one wants."""
    folder = copied(name, tmp_path)
    differing, own, other = found(folder, NEWEST), wanted(folder), wanted(folder, NEWEST)
    assert own.keys() == other.keys()
    differ = [number for number in own if own[number][2] != other[number][2]]
    assert differ
    assert sum(episode.reconciles for episode in differing.episodes) == len(differ)
    assert sum(hpa.differing for hpa in differing.hpas) == len(differ)
    for episode in differing.episodes:
        its = [
            number
            for number in differ
            if within(episode, own[number])
            and (episode.own.replicas, episode.own.reason_code) == own[number][2:]
            and (episode.other.replicas, episode.other.reason_code) == other[number][2:]
        ]
        assert len(its) == episode.reconciles
        assert episode.causes
        for cause in episode.causes:
            again = {
                release: [wanted(folder, release, **{cause.change.name: is_on}) for is_on in (True, False)]
                for release in (None, NEWEST)
            }
            if cause.own_decides_so:
                assert any(all(numbers[each] == other[each] for each in its) for numbers in again[None])
            if cause.other_decides_so:
                assert any(all(numbers[each] == own[each] for each in its) for numbers in again[NEWEST])


@pytest.mark.parametrize(("recorded", "release"), [("1.3", "1.8"), ("1.8", "1.12"), ("1.15", "1.21"), ("1.20", "1.10")])
def test_of_drawn_worlds_the_counts_are_those_of_the_two_replays(recorded: str, release: str, tmp_path: Path) -> None:
    """Worlds that the real controller lived through, several HPAs and failures among them."""
    for number, capture in enumerate([path for path in captures(recorded) if "common" in path.name][:2]):
        folder = tmp_path / str(number)
        import_capture([capture], into=folder)
        differing, own, other = found(folder, release), wanted(folder), wanted(folder, release)
        assert own.keys() == other.keys()
        unknown = sum(hpa.unknown for hpa in differing.hpas)
        differ = sum(own[each][2] != other[each][2] for each in own)
        assert differ - unknown <= sum(hpa.differing for hpa in differing.hpas) <= differ
        assert sum(hpa.reconciles for hpa in differing.hpas) == len(own)


def test_a_reconcile_without_the_answers_that_the_other_release_reads_is_not_compared(tmp_path: Path) -> None:
    """Without any answer of Heapster the newest release cannot be decided: that is said, and no number made up."""
    folder = tmp_path / "friday"
    capture = next(path for path in captures("1.4") if "common" in path.name)
    lines = [line for line in _lines(capture) if "heapster" not in line]
    (tmp_path / "blind.jsonl").write_text("".join(lines), encoding="utf-8")
    import_capture([tmp_path / "blind.jsonl"], into=folder)
    differing = found(folder, NEWEST)
    assert sum(hpa.unknown for hpa in differing.hpas) > 10
    assert all(episode.other.metric is None for episode in differing.episodes)


def test_a_release_whose_answers_were_never_recorded_is_compared_in_nothing(tmp_path: Path) -> None:
    """1.5 asks Heapster, whose answers nobody recorded: whatever it seems to want, nothing is proven by it."""
    differing = found(copied("unready-on-the-way-up", tmp_path), "1.5")
    assert [(hpa.differing, hpa.unknown) for hpa in differing.hpas] == [(0, hpa.reconciles) for hpa in differing.hpas]
    assert differing.episodes == ()
    reconciles = sum(hpa.reconciles for hpa in differing.hpas)
    headline, *_ = difference_text(differing).split("\n\n")
    assert " ".join(headline.split()).endswith(
        f"(the audit) and 1.5 cannot be compared in any of {reconciles} reconciles."
    )


@pytest.mark.parametrize(
    ("differing", "unknown", "headline"),
    [
        (0, 0, "1.36 (the audit) and 1.30 want the same number in all 99 reconciles."),
        (0, 6, "1.36 (the audit) and 1.30 want the same number in all 93 reconciles that can be compared; 6 cannot."),
        (4, 0, "1.36 (the audit) and 1.30 want different numbers in 4 of 99 reconciles."),
        (
            4,
            6,
            "1.36 (the audit) and 1.30 want different numbers in 4 of 93 reconciles that can be compared; 6 cannot.",
        ),
        (0, 99, "1.36 (the audit) and 1.30 cannot be compared in any of 99 reconciles."),
    ],
)
def test_only_reconciles_that_can_be_compared_are_counted_as_the_same(
    differing: int, unknown: int, headline: str
) -> None:
    hpa = ComparedHpa(hpa="shop/web", reconciles=99, differing=differing, unknown=unknown)
    text = difference_text(compared_releases(hpas=(hpa,)))
    assert " ".join(text.split("\n\n", maxsplit=1)[0].split()) == headline


def test_a_cause_names_one_time_once() -> None:
    """Two runs of reconciles may begin in one second."""
    change = release_history.between("1.30", "1.36").changes[0]
    sides = [Wanted(replicas=replicas, reason_code="metric.above_target", metric=None) for replicas in (4, 5)]
    proven, open_ = (
        Episode(
            hpa="shop/web", first_us=NOON, last_us=NOON, reconciles=1, replicas=4, own=sides[0], other=sides[1],
            causes=causes,
        )
        for causes in ((Cause(change=change, own_decides_so=True, other_decides_so=False),), ())
    )  # fmt: skip
    text = difference_text(compared_releases(episodes=(proven, proven, open_, open_)))
    assert "at 12:00:00Z: 1.36 with only this rule as in 1.30 decides as 1.30" in text
    assert "at 12:00:00Z: no single rule makes it" in text


def compared_releases(*, hpas: tuple[ComparedHpa, ...] = (), episodes: tuple[Episode, ...] = ()) -> Difference:
    """1.36 beside 1.30, at noon."""
    hpas = hpas or (ComparedHpa(hpa="shop/web", reconciles=9, differing=len(episodes), unknown=0),)
    return Difference(
        audit="results.duckdb",
        own_release="1.36",
        other_release="1.30",
        started_us=NOON,
        ended_us=NOON,
        hpas=hpas,
        episodes=episodes,
        causes_searched=True,
    )


def _lines(capture: Path) -> list[str]:
    with gzip.open(capture, "rt", encoding="utf-8") as lines:
        return list(lines)


def test_without_an_audit_there_is_nothing_to_compare_with(tmp_path: Path) -> None:
    folder = copied("1.1-forbidden-window", tmp_path)
    code, printed, _ = run(f"hpaaudit replay {folder} --release {NEWEST}")
    assert code == 0
    assert "(the audit)" not in printed
    assert json.loads(run(f"hpaaudit replay {folder} --release {NEWEST} -o json")[1])["difference"] is None


def test_the_audit_stays_as_it_is(tmp_path: Path) -> None:
    folder = copied("1.1-forbidden-window", tmp_path)
    replay(folder).close()
    before = (folder / "results.duckdb").read_bytes()
    assert "(the audit)" in run(f"hpaaudit replay {folder} --release {NEWEST}")[1]
    assert (folder / "results.duckdb").read_bytes() == before


def test_an_audit_of_somebody_else_or_of_another_recording_is_none(tmp_path: Path) -> None:
    folder, other = copied("1.1-forbidden-window", tmp_path), copied("1.7-first-error", tmp_path)
    replay(folder).close()
    shutil.copy(folder / "results.duckdb", other / "results.duckdb")
    with replay(other, release=NEWEST) as results:
        assert difference(other, results, ControllerOptions(release=NEWEST)) is None


def test_the_same_release_differs_in_nothing(tmp_path: Path) -> None:
    folder = copied("1.20-two-windows", tmp_path)
    replay(folder).close()
    printed = run(f"hpaaudit replay {folder} --release 1.20.15")[1]
    assert "1.20.15 (the audit) and 1.20.15 want the same number in all 40 reconciles." in printed


def test_json_has_every_episode_with_its_proven_causes(tmp_path: Path) -> None:
    folder = copied("1.20-two-windows", tmp_path)
    replay(folder).close()
    printed = json.loads(run(f"hpaaudit replay {folder} --release {NEWEST} -o json")[1])
    assert printed["release"] == NEWEST
    (episode,) = printed["difference"]["episodes"]
    assert (episode["own"]["replicas"], episode["other"]["replicas"]) == (3, 6)
    assert [cause["change"]["name"] for cause in episode["causes"]] == ["Envelope"]


def test_too_many_reconciles_leave_the_causes_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = copied("1.20-two-windows", tmp_path)
    replay(folder).close()
    monkeypatch.setattr("hpaaudit.flows.difference.MOST_RECONCILES", 100)
    printed = " ".join(run(f"hpaaudit replay {folder} --release {NEWEST}")[1].split())
    assert "Which rules make the difference was not tried: there are too many reconciles." in printed
    assert "no single rule makes it" not in printed
