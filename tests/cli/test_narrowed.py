"""--since and --until limit what is shown, not what the replay knows: each row shown is a row of the whole replay."""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.api.times import micros
from hpaaudit.errors import BadOption
from hpaaudit.flows.explain import explain
from hpaaudit.flows.notebook import html
from hpaaudit.flows.notebook import text as printed_text
from hpaaudit.flows.query import account, query
from hpaaudit.flows.replay import replay
from hpaaudit.flows.report import report
from hpaaudit.model.account import Finding, ReplayAccount
from hpaaudit.model.units import Micros
from hpaaudit.report.export.markdown import markdown
from hpaaudit.report.replay import replay_text
from hpaaudit.report.text import Clock
from hpaaudit.report.verdict import verdict
from hpaaudit.results import sql
from hpaaudit.results.read import Results
from tests.cli.run import run
from tests.recordings.kept import RECORDINGS

TABLES = (
    "reconciles",
    "metric_proposals",
    "decision_steps",
    "reconcile_pods",
    "scale_event_matches",
    "foreign_writes",
    "reports",
)
DETAILS = ("moved", "numbers")


def rows(results: Results, table: str) -> list[dict[str, Any]]:
    """The rows of a relation, without the columns that tell which replay it was, or which number an episode has."""
    left_out = ("replay_id", "divergence_id")
    return [
        {name: value for name, value in row.items() if name not in left_out} for row in results.rows(f"from {table}")
    ]


def account_of(results: Results) -> ReplayAccount:
    """What the first screen tells."""
    return account(results)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """What the whole replay of a recording shows.

    span      its first and last microsecond
    rows      the rows of each of `TABLES`, and of `effects`
    findings  what was found
    classes   the class of each reconcile, by its number
    part      where the results of a part of it are written
    """

    span: tuple[Micros, Micros]
    rows: dict[str, list[dict[str, Any]]]
    findings: set[Finding]
    classes: dict[int, str | None]
    part: Path


@pytest.fixture(scope="module")
def whole_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path, str], Whole]:
    """Replays a recording with this detail as a whole, once."""

    @cache
    def replayed(recording: Path, detail: str) -> Whole:
        folder = tmp_path_factory.mktemp("whole")
        with replay(recording, into=folder / "whole.duckdb", detail=detail) as results:
            return Whole(
                span=results.span,
                rows={table: rows(results, table) for table in (*TABLES, "effects")},
                findings={finding for hpa in account_of(results).hpas for finding in hpa.findings},
                classes={row["reconcile_id"]: row["class"] for row in results.rows("from reconciles")},
                part=folder / "part.duckdb",
            )

    return replayed


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("recording", RECORDINGS.values(), ids=lambda path: path.name)
@settings(max_examples=3, deadline=None)
@given(bounds=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted))
def test_what_a_narrowed_replay_shows_is_a_part_of_the_whole(
    recording: Path, detail: str, bounds: list[float], whole_of: Callable[[Path, str], Whole]
) -> None:
    whole = whole_of(recording, detail)
    first_us, last_us = whole.span
    since, until = (Micros(round(first_us + part * (last_us - first_us))) for part in bounds)
    with replay(recording, into=whole.part, overwrite=True, detail=detail, since=since, until=until) as part:
        assert part.span == (since, until)
        shown = rows(part, "reconciles")
        assert shown == [row for row in whole.rows["reconciles"] if since <= _us(row["ts"]) <= until]
        for table in TABLES:
            assert [row for row in rows(part, table) if row not in whole.rows[table]] == []
        for effect in rows(part, "effects"):
            assert since <= _us(effect["ts"]) <= _us(effect["until"]) <= until
            # The number that holds when the shown time begins or ends is cut to it.
            is_cut = since == _us(effect["ts"]) or _us(effect["until"]) == until
            assert is_cut or effect in whole.rows["effects"]
        in_divergences = sum(row["reconciles"] for row in part.rows("from divergences"))
        assert in_divergences == sum(whole.classes[row["reconcile_id"]] is not None for row in shown)
        hpas = account_of(part).hpas
        assert sum(hpa.reconciles for hpa in hpas) == len(shown)
        for hpa in hpas:
            # What was found may have begun before, or gone on: the numbers are those of all that time.
            assert {*hpa.findings} <= whole.findings
            for finding in hpa.findings:
                assert finding.first_us <= until
                assert finding.last_us >= since


def _us(time: Any) -> int:
    return micros(time.isoformat() + "Z")


def test_a_write_after_the_end_that_is_shown_still_explains_the_reconcile_before(tmp_path: Path) -> None:
    """At 15:04:31, kubectl wrote, after the reconcile of 15:04:24 and before the next."""
    hand = RECORDINGS["scaled-by-hand"]
    shutil.copytree(hand, tmp_path / "hand")
    with replay(tmp_path / "hand", until=micros("2026-11-21T15:04:30Z")) as results:
        (hpa,) = account(results).hpas
    assert hpa.divergent == 1
    assert [(write.writer_name, write.restored_to) for write in hpa.foreign_writes] == [("kubectl", 6)]


def test_a_time_without_a_reconcile_names_the_hpa_and_shows_what_others_wrote_in_it(tmp_path: Path) -> None:
    """At 15:04:31, kubectl wrote, between the reconciles of 15:04:24 and 15:04:39."""
    since, until = micros("2026-11-21T15:04:30Z"), micros("2026-11-21T15:04:33Z")
    with replay(RECORDINGS["scaled-by-hand"], into=tmp_path / "part.duckdb", since=since, until=until) as results:
        assert results.rows("from reconciles") == []
        whole = account(results)
    (hpa,) = whole.hpas
    assert [(write.writer_name, write.from_replicas, write.to_replicas) for write in hpa.foreign_writes] == [
        ("kubectl", 6, 2)
    ]
    page = " ".join(replay_text(whole).split())
    assert (
        f"{hpa.namespace}/{hpa.name} -> {hpa.target} Only 15:04:30Z to 15:04:33Z is shown. "
        "No reconcile can be shown: in this time none took place, none was "
        "seen, or none could be replayed. At 15:04:31Z kubectl wrote 6 -> 2; the HPA wrote 4 after 8s, "
        "and had 6 again after 23s"
    ) in page
    assert "15:04:31Z 6 2 kubectl - - external write" in page
    assert "0 reconciles recorder gaps" in page
    assert "explain" not in page


WHOLE = ("never", "had to scale")


@pytest.mark.parametrize("recording", RECORDINGS.values(), ids=lambda path: path.name)
def test_every_headline_of_a_narrowed_replay_says_which_time_it_is_of(recording: Path, tmp_path: Path) -> None:
    """What has no time of its own is limited in words."""
    with replay(recording, into=tmp_path / "whole.duckdb", detail="numbers") as whole:
        first_us, last_us = whole.span
        assert "is shown." not in replay_text(account_of(whole))
        assert "in this time" not in replay_text(account_of(whole))
    since, until = Micros((2 * first_us + last_us) // 3), Micros((first_us + 2 * last_us) // 3)
    with replay(recording, into=tmp_path / "part.duckdb", detail="numbers", since=since, until=until) as shown:
        outcome = account_of(shown)
    assert outcome.is_narrowed
    clock = Clock(since, until)
    lead = f"Only {clock(since)} to {clock(until)} is shown."
    for hpa in outcome.hpas:
        told = verdict(hpa, clock)
        assert told.startswith(lead)
        assert not any(word in told for word in WHOLE)
        for sentence in re.split(r"(?<=[.]) (?=[A-Z])", told)[1:]:
            assert "in this time" in sentence or re.search(r"\d\d:\d\d:\d\dZ", sentence), sentence


def test_screen_page_markdown_and_python_say_of_which_time_a_narrowed_replay_is(tmp_path: Path) -> None:
    since, until = micros("2026-11-21T15:06:00Z"), micros("2026-11-21T15:09:00Z")
    with replay(RECORDINGS["scaled-by-hand"], into=tmp_path / "part.duckdb", since=since, until=until) as shown:
        ticket, _ = markdown(report(shown), None)
        texts = [replay_text(account_of(shown)), report(shown).html(), ticket, html(shown)]
    for text in texts:
        assert "Only 15:06:00Z to 15:09:00Z is shown. The HPA was faithful" in " ".join(text.split())
        assert "did not have to scale in this time" in " ".join(text.split())
    assert "15:09:00Z only   release" in texts[0]
    assert "15:09:00Z only, replayed as" in texts[1]
    assert "15:09:00Z only, as Kubernetes" in ticket


def test_a_finding_that_lies_partly_outside_the_shown_time_says_so_in_the_headline(tmp_path: Path) -> None:
    since, until = micros("2026-11-25T23:10:00Z"), micros("2026-11-25T23:13:00Z")
    with replay(RECORDINGS["gitops-loop"], into=tmp_path / "part.duckdb", since=since, until=until) as shown:
        (hpa,) = account_of(shown).hpas
    assert "3 and 3 times, between 2 and 6 replicas, some of that outside this time." in verdict(
        hpa, Clock(since, until)
    )


SEEN_OF_A_RECONCILE = ("50_status", "55_conditions", "60_events")


def seen_of(results: Results, reconcile_id: int) -> dict[str, list[dict[str, Any]]]:
    """What `explain` says that Kubernetes said of a reconcile."""
    return {
        name: [
            {column: value for column, value in row.items() if column != "replay_id"}
            for row in results.rows(sql.folder("evidence")[name].replace("($reconcile_ids)", f"({reconcile_id})"))
        ]
        for name in SEEN_OF_A_RECONCILE
    }


@pytest.mark.parametrize("recording", RECORDINGS.values(), ids=lambda path: path.name)
def test_nothing_from_after_its_time_stands_under_the_last_reconcile_that_is_shown(
    recording: Path, tmp_path: Path
) -> None:
    """The status and the Events of the next reconcile are in the results too."""
    with replay(recording, into=tmp_path / "whole.duckdb") as whole:
        first_us, last_us = whole.span
        until = Micros((first_us + last_us) // 2)
        with replay(recording, into=tmp_path / "part.duckdb", until=until) as shown:
            (last,) = shown.rows("select max(reconcile_id) as reconcile_id from reconciles")
            assert seen_of(shown, last["reconcile_id"]) == seen_of(whole, last["reconcile_id"])


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with results of two minutes, of one HPA of two, and of a whole recording."""
    folder = tmp_path_factory.mktemp("parts")
    since, until = micros("2026-11-21T15:06:00Z"), micros("2026-11-21T15:09:00Z")
    replay(RECORDINGS["scaled-by-hand"], into=folder / "time.duckdb", since=since, until=until).close()
    replay(RECORDINGS["two-hpas"], into=folder / "hpa.duckdb", hpas=["shop/checkout"]).close()
    replay(RECORDINGS["scaled-by-hand"], into=folder / "whole.duckdb").close()
    return folder


COVERED = {
    "time": "time.duckdb covers only 2026-11-21T15:06:00Z to 15:09:00Z",
    "hpa": "hpa.duckdb covers only the HPAs of --hpa shop/checkout",
    "whole": "",
}


@pytest.mark.parametrize("output", ["table", "json", "yaml", "csv", "name"])
@pytest.mark.parametrize("name", COVERED)
def test_an_answer_without_rows_says_which_part_of_the_recording_was_asked(
    name: str, output: str, parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On stderr, so that a program reads what it always reads."""
    monkeypatch.chdir(parts)
    for quiet in ("", " -q"):
        code, out, err = run(f'hpaaudit query {name}.duckdb "from foreign_writes where false" -o {output}{quiet}')
        told = " ".join(line for line in err.splitlines() if "was not made here" not in line)
        assert (code, told) == (0, "" if quiet else COVERED[name])
        assert "covers only" not in out
    code, out, err = run(f'hpaaudit query {name}.duckdb "from reconciles limit 1" -o {output}')
    assert code == 0
    assert "covers only" not in out + err


def test_a_notebook_says_so_too(parts: Path) -> None:
    with query(parts / "time.duckdb", "from foreign_writes where false") as answer:
        assert "0 rows; " in html(answer)
        assert COVERED["time"] in html(answer)
        assert COVERED["time"] in printed_text(answer)
    with query(parts / "whole.duckdb", "from foreign_writes where false") as answer:
        assert printed_text(answer) == "0 rows"


def test_a_time_beside_the_shown_part_is_not_said_to_be_beside_the_recording(
    parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(parts)
    span = "from 2026-11-21T15:06:00Z to 2026-11-21T15:09:00Z."
    for command in ("explain time.duckdb", "query time.duckdb why_this_number"):
        line = run(f"hpaaudit {command} --at 15:04:31")[2].splitlines()[-1]
        assert line == f"Error: --at 15:04:31 is not in time.duckdb, which shows the recording only {span}"
    for command in ("timeline time.duckdb", "query time.duckdb what_happened", "explain time.duckdb"):
        line = run(f"hpaaudit {command} --until 15:04:31")[2].splitlines()[-1]
        assert line == f"Error: --until 15:04:31 is not in time.duckdb, which shows the recording only {span}"
    with pytest.raises(BadOption, match=r"is not in time\.duckdb, which shows the recording only from"):
        explain("time.duckdb", at=micros("2026-11-21T15:04:31Z"))
    assert "is not in the recording, which goes from" in run("hpaaudit explain whole.duckdb --at 14:00")[2]
