"""The timeline fits its screen, zooms, and shows nothing that the results do not hold."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.model.timeline import Absence, Mark, MarkKind, Scale, Timeline, TimelinePoint
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.chart import ASCII
from hpaaudit.report.timeline import LETTERS, LISTED, Screen, timeline_text
from tests.cli.run import run
from tests.cli.terminal import typed_raw
from tests.report.accounts import NOON

DEMO = Path(__file__).parents[2] / "hpaaudit" / "demo" / "scaled-by-hand"


@pytest.mark.usefixtures("at_desk")
@pytest.mark.parametrize("width", [40, 60, 79, 120, 250])
@pytest.mark.parametrize("options", ["", "--since 14:01", "--since 14:01:10 --until 14:01:20", "--ascii"])
def test_no_line_of_the_drawing_is_wider_than_the_screen(width: int, options: str) -> None:
    code, out, _ = run(f"hpaaudit timeline web.duckdb --width {width} {options}")
    drawing = out.split("\n\n")[1]
    assert code == 0
    assert max(map(len, drawing.splitlines())) in range(width - 12, width + 1)
    assert "--ascii" not in options or out.isascii()


@pytest.mark.usefixtures("at_desk")
def test_a_time_that_the_recording_does_not_have_is_refused() -> None:
    code, out, err = run("hpaaudit timeline web.duckdb --since 19:00")
    assert (code, out) == (2, "")
    assert "--since 19:00 is not in the recording" in err


@pytest.mark.usefixtures("at_desk")
def test_json_holds_what_is_drawn() -> None:
    whole = json.loads(run("hpaaudit timeline web.duckdb -o json")[1])
    rows = json.loads(run("""hpaaudit query web.duckdb "select desired from reconciles order by ts" -o json""")[1])
    assert [point["replay"] for point in whole["points"]] == [row["desired"] for row in rows]


def test_a_terminal_gets_colours_and_its_width_unless_it_refuses() -> None:
    coloured = _in_a_terminal({"TERM": "xterm", "COLUMNS": "100"})
    assert "\x1b[" in coloured
    plain = re.sub("\x1b\\[[0-9;]*m", "", coloured)
    assert max(map(len, plain.split("\n\n")[1].splitlines())) in range(88, 101)
    for refusing in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"CLICOLOR": "0"}, {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}):
        assert _in_a_terminal({"TERM": "xterm", "COLUMNS": "100", **refusing}) == plain


@pytest.mark.usefixtures("at_desk")
def test_colours_are_forced_into_a_pipe_by_the_variable_for_that(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in run("hpaaudit timeline web.duckdb")[1]
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    assert "\x1b[" in run("hpaaudit timeline web.duckdb")[1]
    assert "\x1b[" not in run("hpaaudit timeline web.duckdb --color never")[1]


@pytest.mark.parametrize("command", ["timeline", "replay"])
def test_an_output_that_knows_ascii_only_gets_ascii(command: str, tmp_path: Path) -> None:
    shutil.copytree(DEMO, tmp_path / "friday")
    arguments = [sys.executable, "-m", "hpaaudit", command, str(tmp_path / "friday")]
    output = subprocess.run(
        arguments, capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    ).stdout
    assert output.isascii()
    assert b"+-----" in output


def _in_a_terminal(environment: dict[str, str]) -> str:
    """What the timeline of the demo sends to a terminal."""
    code, shown = typed_raw(["timeline", str(DEMO), "-q"], [], "", environment)
    assert code == 0
    return shown


def point(seconds: int, replicas: int, replay: int, verdict: str = "match", ratio: float | None = 1.0) -> TimelinePoint:
    """A reconcile so long after noon."""
    at_us = Micros(NOON + seconds * SECOND)
    return TimelinePoint(
        at_us=at_us, began_us=at_us, replicas=replicas, replay=replay, decided=replay, min_replicas=2, max_replicas=9,
        verdict=verdict, reason_code="tolerance.hold", metric="cpu", ratio=ratio, ready=replicas, unready=0, missing=0,
        ignored=0,
    )  # fmt: skip


def drawn(**fields: object) -> str:
    """The page of a timeline of five minutes from noon on."""
    return timeline_text(_timeline(**fields), Screen(width=79))


def _timeline(**fields: object) -> Timeline:
    quiet: dict[str, object] = {
        "file": "web.duckdb", "namespace": "shop", "name": "web", "target": "Deployment/web", "release": "1.36",
        "started_us": NOON, "ended_us": Micros(NOON + 300 * SECOND), "moment_us": NOON, "scales": (), "marks": (),
        "points": tuple(point(15 * number, 4, 4) for number in range(20)),
    }  # fmt: skip
    return Timeline(**(quiet | fields))  # type: ignore[arg-type]


def test_a_quiet_hpa_is_a_line() -> None:
    line = next(row for row in drawn().splitlines() if row.startswith("           4 "))
    assert set(line[13:]) == {"─"}


def test_while_there_was_no_hpa_nothing_is_drawn() -> None:
    """Deleted after a minute, made again after two for 6 replicas, and deleted after four."""
    gone = [(60, 120), (240, None)]
    absences = tuple(
        Absence(
            at_us=Micros(NOON + since * SECOND), until_us=None if until is None else Micros(NOON + until * SECOND),
            is_target=False,
        )
        for since, until in gone
    )  # fmt: skip
    points = (*(point(15 * number, 4, 4) for number in range(4)), *(point(120 + 15 * n, 6, 6) for n in range(8)))
    text = drawn(points=points, absences=absences)
    rows = {line[:13].strip(): line[13:] for line in text.splitlines() if line.startswith(" ")}
    assert rows["4"].count("─") in range(12, 15)  # one minute of five
    assert rows["6"].count("─") in range(25, 28)
    assert len(rows["cpu"]) in range(51, 54)  # four of five, one of them blank
    assert rows["cpu"].count("▄") in range(38, 42)
    assert "no line: there was no HPA of this name" in text
    assert "no line" not in drawn()


def test_what_a_later_hpa_of_the_name_found_is_not_drawn_before_it() -> None:
    """The first one kept 4 until it was deleted after a minute; the second one found 9 at another target."""
    absence = Absence(at_us=Micros(NOON + 60 * SECOND), until_us=Micros(NOON + 120 * SECOND), is_target=False)
    raised = Scale(at_us=Micros(NOON + 180 * SECOND), from_replicas=9, to_replicas=12)
    points = (*(point(15 * number, 4, 4) for number in range(4)), *(point(120 + 15 * n, 9, 9) for n in range(4)))
    rows = {
        line[:13].strip(): line[13:]
        for line in drawn(points=points, absences=(absence,), scales=(raised,)).splitlines()
        if line.startswith(" ")
    }
    assert rows["4"].count("─") in range(12, 15)  # one minute of five
    assert rows["9"].lstrip().count("─") in range(12, 15)
    assert not rows["9"][:20].strip("┄ ")


def test_while_the_target_was_gone_its_replicas_are_not_drawn() -> None:
    absence = Absence(at_us=Micros(NOON + 60 * SECOND), until_us=Micros(NOON + 120 * SECOND), is_target=True)
    text = drawn(absences=(absence,))
    (line,) = (row for row in text.splitlines() if row.startswith("           4 "))
    assert line.count("─") in range(51, 56)
    assert "no line: the target was gone" in text


def test_what_only_the_replay_wanted_is_drawn_beside() -> None:
    points = [point(0, 4, 4), point(60, 4, 8, "divergent"), point(120, 4, 4)]
    text = drawn(points=tuple(points))
    (row,) = (line for line in text.splitlines() if line.strip().startswith("8 "))
    assert row.count("·") in range(12, 15)  # one minute of five
    assert "· is what the replay decides, where that is another number" in text
    assert "·" not in drawn()
    assert "divergent" in text


def test_a_time_without_a_usable_metric_is_crossed_out_and_not_blank() -> None:
    failed = replace(point(60, 4, 4, ratio=None), reason_code="gate.all_metrics_invalid")
    held = replace(point(120, 4, 4, ratio=None), reason_code="gate.above_max")
    text = drawn(points=(point(0, 4, 4), failed, held, point(180, 4, 4)))
    (row,) = (line for line in text.splitlines() if line.startswith("  cpu  "))
    assert row.count("x") in range(12, 15)  # one minute of five
    assert row[13:].count("▄") in range(38, 43)
    assert "cpu: x is a reconcile in which the metrics gave no number" in text
    assert "x is" not in drawn()


def test_a_metric_that_fails_beside_another_has_a_row_of_its_own() -> None:
    """The other metric decided all the same: its row is drawn on."""
    failed = replace(point(60, 4, 4), failed=("http_requests",))
    text = drawn(points=(point(0, 4, 4), failed, point(120, 4, 4)))
    rows = {line[2:12].strip(): line[13:] for line in text.splitlines() if line.startswith("  ")}
    assert rows["http_requ~"].count("x") in range(12, 15)  # one minute of five
    assert rows["cpu"].count("▄") in range(64, 67)
    assert "http_requests: x is a reconcile in which it was unusable" in text


def test_the_only_metric_has_no_second_row() -> None:
    failed = replace(point(60, 4, 4, ratio=None), reason_code="gate.all_metrics_invalid", failed=("cpu",))
    rows = [line for line in drawn(points=(point(0, 4, 4), failed)).splitlines() if line.startswith("  cpu  ")]
    assert len(rows) == 1
    assert "x" in rows[0]


def test_an_edit_or_a_gap_is_marked_at_its_time_and_named() -> None:
    edit = Mark(
        at_us=Micros(NOON + 150 * SECOND), until_us=None, kind=MarkKind.SPEC, who="kubectl", what="maxReplicas 9 -> 12"
    )
    gap = Mark(
        at_us=Micros(NOON + 200 * SECOND), until_us=Micros(NOON + 260 * SECOND), kind=MarkKind.GAP, who="pods",
        what="410",
    )  # fmt: skip
    text = drawn(marks=(edit, gap))
    assert "  A  12:02:30Z  kubectl changed the HPA: maxReplicas 9 -> 12\n" in text
    assert "  B  12:03:20Z to 12:04:20Z  not recorded: pods (410)\n" in text
    unseen = next(line for line in text.splitlines() if line.strip().startswith("not seen"))
    assert unseen.count("░") in range(12, 16)
    letters = next(line for line in text.splitlines() if line.split() == ["A", "B"])
    assert letters.index("A") in range(44, 48)


def test_bounds_are_told_in_the_order_in_which_they_held() -> None:
    bounds = [(1, 12), (1, 12), (1, 1), (6, 6), (3, 10), (1, 12)]
    points = [
        replace(point(15 * number, 4, 4), min_replicas=low, max_replicas=high)
        for number, (low, high) in enumerate(bounds)
    ]
    text = " ".join(drawn(points=tuple(points)).split())
    assert "bounds 1 to 12, then 1 to 1, then 6 to 6, then 3 to 10, then 1 to 12" in text


def test_the_chart_knows_the_number_before_the_first_change() -> None:
    text = drawn(scales=(Scale(at_us=Micros(NOON + 150 * SECOND), from_replicas=3, to_replicas=7),))
    row = next(line for line in text.splitlines() if line.strip().startswith("3 "))
    assert row[13:].count("─") in range(30, 34)


def test_marks_without_end_are_listed_in_part_and_the_rest_is_counted() -> None:
    marks = tuple(
        Mark(at_us=Micros(NOON + number * SECOND), until_us=None, kind=MarkKind.WRITE, who="x", what="1 -> 2")
        for number in range(50)
    )
    text = drawn(marks=marks)
    assert text.count("x wrote 1 -> 2") == LISTED
    assert "30 more: hpaaudit query web.duckdb what_happened" in text


def test_no_number_beside_the_chart_is_cut() -> None:
    """A row that stands for more numbers than fit beside it names the least of them."""
    scales = tuple(
        Scale(at_us=Micros(NOON + 15 * number * SECOND), from_replicas=10**6, to_replicas=10**6 + 100 * number)
        for number in range(18)
    )
    rows = [line for line in drawn(scales=scales).splitlines() if "─" in line or "┘" in line]
    labels = [row[:12].strip() for row in rows]
    assert any(label.endswith("+") for label in labels)
    assert all(re.fullmatch(r"\d+(-\d+|\+)?|", label) for label in labels), labels
    assert not any("~" in label for label in labels)


def test_a_hostile_name_does_not_reach_the_terminal() -> None:
    mark = Mark(at_us=NOON, until_us=None, kind=MarkKind.WRITE, who="\x1b[2J\u202ex", what="1 -> 2")
    assert "\x1b" not in drawn(marks=(mark,), target="Deployment/\x1b]0;x\x07", namespace="\x9b2J")


@pytest.mark.usefixtures("at_desk")
@pytest.mark.parametrize(("columns", "widest"), [(56, 56), (64, 64), (200, 79)])
def test_the_text_of_a_page_fits_a_narrow_terminal(columns: int, widest: int) -> None:
    code, shown = typed_raw(["explain", "web.duckdb", "-q"], [], "", {"COLUMNS": str(columns)})
    below_headline = shown.splitlines()[1:]
    assert code == 0
    assert widest - 15 < max(map(len, below_headline)) <= widest


def test_a_mark_keeps_its_letter_however_the_timeline_is_cut() -> None:
    """Also one that the whole timeline only counts, because it lists the first twenty."""
    marks = tuple(
        Mark(at_us=Micros(NOON + 5 * number * SECOND), until_us=None, kind=MarkKind.ROLLOUT, who="", what=f"v{number}")
        for number in range(60)
    )
    letters = {f"v{number}": letter for number, letter in enumerate(LETTERS)}
    for since in (0, 10, 100, 200, 290):
        for listed in (LISTED, None):
            text = timeline_text(_timeline(marks=marks), Screen(first_us=Micros(NOON + since * SECOND), listed=listed))
            told = re.findall(r"(?m)^  (.)  12:0.:..Z  rollout of (v\d+)$", text)
            assert told
            assert {what: letter for letter, what in told} == {what: letters.get(what, " ") for _, what in told}
            [row] = re.findall(r"(?m)^ {12,}((?:[A-Za-z+] *)+)$", text) or [""]
            assert {*row} - {*"+ "} <= {letter for letter, _ in told}


def test_pods_that_did_not_count_have_a_row_for_each_bucket_that_occurs() -> None:
    rows = {"unready": "not ready", "missing": "no sample", "ignored": "ignored"}
    quiet = tuple(point(15 * number, 4, 4) for number in range(20))
    for count in range(len(rows) + 1):
        for there in combinations(rows, count):
            points = (*quiet[:10], *(replace(one, **dict.fromkeys(there, 12)) for one in quiet[10:12]), *quiet[12:])
            for width in (60, 79, 250):
                text = timeline_text(_timeline(points=points), Screen(width=width, glyphs=ASCII))
                shown = {line[2:12].strip(): line[13:] for line in text.splitlines() if line[2:12].strip()}
                assert {label for label in rows.values() if label in shown} == {rows[bucket] for bucket in there}
                assert all(set(shown[rows[bucket]].strip()) == {"+"} for bucket in there)
                assert text.isascii()


def test_a_what_if_says_what_it_was_replayed_with(tmp_path: Path) -> None:
    for number, (options, told) in enumerate(
        [
            ("--release 1.20", "A what-if, replayed with --release 1.20."),
            ("--since 15:00 --flag tolerance=0.3", "A what-if, replayed with --since 2026-11-21T15:00:00Z --flag "),
            ("", None),
        ]
    ):
        file = tmp_path / f"{number}.duckdb"
        assert run(f"hpaaudit replay {DEMO} --into {file} {options} -q")[0] == 0
        for command in ("explain", "timeline"):
            lines = run(f"hpaaudit {command} {file}")[1].splitlines()
            assert [line for line in lines if line.startswith("A what-if")] == [
                line for line in lines if told and line.startswith(told)
            ]
            assert sum(line.startswith("A what-if") for line in lines) == (told is not None)
            assert bool(json.loads(run(f"hpaaudit {command} {file} -o json")[1])["what_if"]) == (told is not None)


def rows_of(recording: str, hpa: str, folder: Path) -> dict[str, str]:
    """The rows below the chart of an HPA of a bundled recording, by their labels."""
    file = folder / "r.duckdb"
    assert run(f"hpaaudit replay {bundled_recording(recording)} --into {file} --overwrite -q")[0] == 0
    text = run(f"hpaaudit timeline {file} {hpa}")[1]
    return {line[2:12].strip(): line[13:] for line in text.split("\n\n", 1)[1].splitlines() if line[2:12].strip()} | {
        "": " ".join(text.split())
    }


def test_while_another_hpa_has_the_same_pods_the_rows_say_that_and_are_not_blank(tmp_path: Path) -> None:
    first = rows_of("two-hpas", "shop/checkout", tmp_path)
    assert re.search("▄n{25,}█", first["cpu"])
    assert re.search("n{25,}", first["not ready"])
    second = rows_of("two-hpas", "shop/checkout-requests", tmp_path)
    assert re.fullmatch(" +n{25,} *", second["metrics"])
    assert second["pods"] == "not counted"
    for told in (first[""], second[""]):
        assert "n is a reconcile without a value: another HPA selects the same pods" in told


def test_pods_are_drawn_as_another_metric_sorted_them_where_the_deciding_one_does_not(tmp_path: Path) -> None:
    """An external metric of 1.10 multiplies pods unseen; the cpu beside it found those that were not ready."""
    rows = rows_of("1.10-unready-pods-multiplied", "shop/checkout", tmp_path)
    assert re.search("^ +2+6+4+[+]+8+ *$", rows["not ready"])


def test_a_release_that_sorts_no_pods_says_that_in_their_row(tmp_path: Path) -> None:
    for recording in ("1.1-forbidden-window", "1.4-sample-missing"):
        rows = rows_of(recording, "shop/checkout", tmp_path)
        assert rows["pods"] == "not counted"
        assert "pods: not counted; no metric of this HPA sorted them into ready and not ready" in rows[""]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"verdict": "undecidable", "reason_code": "", "metric": ""}, "not recorded"),
        ({"reason_code": "gate.above_max", "metric": ""}, "there were more replicas than maxReplicas: metrics are not"),
        ({"reason_code": "gate.disabled_at_zero", "metric": ""}, "the target has zero replicas: the HPA is off"),
        ({"reason_code": "metric.above_target"}, "no value to divide by the target"),
    ],
)
def test_a_reconcile_without_a_value_says_why(fields: dict[str, str], why: str) -> None:
    blank = replace(point(60, 4, 4, ratio=None), ready=None, unready=1, **fields)  # type: ignore[arg-type]
    text = drawn(points=(point(0, 4, 4), blank, point(120, 4, 4)))
    (row,) = (line for line in text.splitlines() if line.startswith("  cpu  "))
    assert row.count("n") in range(12, 15)  # one minute of five
    assert f"cpu: n is a reconcile without a value: {why}" in " ".join(text.split())
    assert "n is" not in drawn()
