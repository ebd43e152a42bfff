"""The report for other tools: what it holds is what the replay said, and hostile names stay names."""

import json
import re
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.model.account import ReplayAccount
from hpaaudit.model.report import Report
from hpaaudit.model.timeline import Absence, Mark, MarkKind
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.export.junit import junit
from hpaaudit.report.export.markdown import markdown
from hpaaudit.report.export.perfetto import perfetto
from hpaaudit.report.export.sarif import sarif
from tests.report.accounts import NOON, divergence, foreign_write, hpa
from tests.report.test_page import END, HOSTILE, timeline

TEXTS = st.one_of(st.sampled_from([*HOSTILE, "a|b", "![x](http://x)", "<details>", "`x`\n# y"]), st.text(max_size=30))


def report(*names: str) -> Report:
    """A replay with HPAs of these names: the first is divergent, of the third nothing can be decided."""
    hpas = [hpa(name=name, foreign_writes=(foreign_write(restored_s=22),)) for name in names]
    hpas[0] = hpa(name=names[0], divergent=1, match=39, divergences=(divergence("unexplained", names[0]),))
    if len(names) > 2:
        hpas[-1] = hpa(name=names[-1], match=0, undecidable=40)
    account = ReplayAccount(
        file="web.duckdb", recording=names[0], started_us=NOON, ended_us=END, release="1.36", assumptions=(), gaps=(),
        hpas=tuple(hpas), timelines=(timeline(names[0]),),
    )  # fmt: skip
    return Report(account=account, explanations=())


@given(TEXTS)
def test_junit_has_a_test_for_each_hpa_whatever_it_is_called(name: str) -> None:
    suite = ET.fromstring(junit(report(name, "b", "c")))  # noqa: S314 our own text
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    assert [[child.tag for child in case] for case in suite] == [["failure"], ["system-out"], ["skipped"]]
    assert suite[0][0].get("type") == "unexplained"


def test_an_hpa_fails_only_for_what_is_divergent() -> None:
    classes = ("no_data.recording_gap", "timing.sampling_skew", "input.metric_value_skew", "external_write.manual")
    failing = hpa(divergent=1, match=36, skew=2, undecidable=1, divergences=tuple(map(divergence, classes)))
    whole = report("web")
    suite = ET.fromstring(junit(replace(whole, account=replace(whole.account, hpas=(failing,)))))  # noqa: S314 our own
    assert suite[0][0].get("type") == "external_write.manual"


def test_two_hpas_of_one_name_are_told_apart_by_their_times() -> None:
    lives = (hpa(seen_us=NOON, deleted_us=NOON + 60 * SECOND), hpa(seen_us=NOON + 90 * SECOND))
    whole = report("web")
    text, _ = markdown(replace(whole, account=replace(whole.account, hpas=lives)), "web")
    *titles, rest = [line for line in text.splitlines() if line.startswith("## ")]
    assert rest == "## What was not seen, and what is assumed"
    assert len({*titles}) == len(lives)
    assert all("12:0" in title for title in titles)


def test_counts_stand_apart_in_markdown_and_what_holds_for_all_hpas_below_none_of_them() -> None:
    text, _ = markdown(report("a", "b"), None)
    assert "- 40 reconciles, 40 match, 0 skew, 0 divergent, 0 undecidable\n" in text
    *_, title, rest = re.split(r"^(## .*)$", text, flags=re.MULTILINE)
    assert title == "## What was not seen, and what is assumed"
    assert "- recorder gaps: none" in rest
    assert text.count("recorder gaps") == 1


@given(TEXTS)
def test_markdown_has_no_link_picture_or_element_that_a_name_brought(name: str) -> None:
    text, pictures = markdown(report(name), "web")
    text = re.sub(r"(?<=\n\n)    hpaaudit replay .*", "", text)  # in a block of code a character is just itself
    assert [*pictures] == ["web.1.svg"]
    assert re.findall(r"(?<!\\)!?(?<!\\)\[[^\]]*\]\([^)]*\)", text) == [
        "![Replicas, metric and pods over time](web.1.svg)"
    ]
    assert "<" not in text
    titles = [line for line in text.splitlines() if line.startswith("#")]
    assert titles[1:] == ["## What was not seen, and what is assumed"]
    ET.fromstring(pictures["web.1.svg"])  # noqa: S314 our own text


@given(TEXTS)
def test_a_trace_holds_every_reconcile_and_every_change(name: str) -> None:
    events = json.loads(perfetto(report(name)))["traceEvents"]
    drawn = timeline(name)
    wanted = [event["args"]["replicas"] for event in events if event["name"] == "replay wants"]
    assert wanted == [point.replay for point in drawn.points]
    actual = [(event["ts"], event["args"]["replicas"]) for event in events if event["name"] == "spec.replicas"]
    assert actual[-1] == (drawn.scales[0].at_us, 3)
    assert all({"ph", "pid", "name"} <= event.keys() for event in events)


MARKS = st.builds(
    lambda at, lasts, kind, who: Mark(
        at_us=Micros(NOON + at * SECOND), until_us=None if lasts is None else Micros(NOON + (at + lasts) * SECOND),
        kind=kind, who=who, what="x",
    ),
    st.integers(0, 200), st.one_of(st.none(), st.integers(1, 90)), st.just(MarkKind.GAP),
    st.sampled_from(["pods", "metrics"]),
)  # fmt: skip


@given(st.lists(MARKS, max_size=4, unique_by=lambda mark: mark.who), st.booleans())
def test_no_counter_of_a_trace_stands_for_what_is_unknown(marks: list[Mark], is_gone: bool) -> None:
    """What is unknown has a slice over all of its time. Slices of one track do not overlap: a viewer drops such."""
    absence = Absence(at_us=Micros(NOON + 200 * SECOND), until_us=None, is_target=False)
    opened = Mark(at_us=Micros(NOON + 30 * SECOND), until_us=None, kind=MarkKind.DIVERGENCE, who="", what="unexplained")
    drawn = replace(timeline("web"), marks=(*marks, opened), absences=(absence,) if is_gone else ())
    whole = report("web")
    events = json.loads(perfetto(replace(whole, account=replace(whole.account, timelines=(drawn,)))))["traceEvents"]
    assert all(event["args"] for event in events if event["ph"] == "C")
    slices = [event for event in events if event["ph"] == "X"]
    for one, other in combinations(slices, 2):
        if one["tid"] == other["tid"]:
            assert one["ts"] + one["dur"] <= other["ts"] or other["ts"] + other["dur"] <= one["ts"]
    unknown = [point.at_us for point in drawn.points if point.ratio is None]
    unmeasured = [event for event in slices if event["cat"] == "metric"]
    assert all(any(one["ts"] <= at_us < one["ts"] + one["dur"] for one in unmeasured) for at_us in unknown)
    if is_gone:  # a deleted HPA reads no metric
        assert all(one["ts"] + one["dur"] <= absence.at_us for one in unmeasured)
    assert [event["ts"] for event in slices if event["cat"] == "absence"] == ([absence.at_us] if is_gone else [])


@given(TEXTS)
def test_sarif_has_a_result_and_a_rule_for_each_divergence_and_none_for_missing_data(name: str) -> None:
    gone = hpa(name=name, divergences=(divergence("no_data.warmup", name), divergence("external_write.manual", name)))
    whole = report(name, "b")
    account = replace(whole.account, hpas=(*whole.account.hpas, gone))
    (run,) = json.loads(sarif(replace(whole, account=account)))["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["unexplained", "external_write.manual"]
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {result["ruleId"] for result in run["results"]}
    assert {result["level"] for result in run["results"]} == {"error"}
    prints = [result["partialFingerprints"]["hpaaudit/v1"] for result in run["results"]]
    assert len({*prints}) == len(prints)


@pytest.mark.parametrize("output", [junit, sarif, perfetto])
def test_a_fleet_without_anything_drawn_is_written_too(output: object) -> None:
    empty = ReplayAccount(
        file="x", recording="x", started_us=NOON, ended_us=END, release="1.36", assumptions=(), gaps=(), hpas=()
    )
    assert output(Report(account=empty, explanations=()))  # type: ignore[operator]
