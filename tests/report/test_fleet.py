"""The first screen of a fleet: its sentence, totals and tables say what its HPAs say."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.model.account import HpaAccount, Otherwise, ReplayAccount
from hpaaudit.model.report import Report
from hpaaudit.report.export.markdown import markdown
from hpaaudit.report.fleet import WORST, fleet_headline, worst_rows
from hpaaudit.report.page.html import page as html_page
from hpaaudit.report.replay import replay_text
from hpaaudit.report.text import Clock
from hpaaudit.report.verdict import verdict
from tests.report.accounts import NOON, divergence, finding, foreign_write, hold, hpa

CLOCK = Clock(NOON, NOON)
SEVERITIES = ("critical", "high", "medium", "low", "info")


@st.composite
def one(draw: st.DrawFn) -> HpaAccount:
    """An HPA with any counts that can be."""
    reconciles = draw(st.integers(1, 40))
    undecidable = draw(st.integers(0, reconciles))
    comparable = draw(st.integers(0, reconciles - undecidable))
    agree = draw(st.integers(0, comparable))
    return hpa(
        reconciles=reconciles,
        undecidable=undecidable,
        undecidable_s=15.0 * undecidable,
        comparable=comparable,
        agree=agree,
        match=agree,
        divergent=draw(st.integers(0, comparable - agree)),
        foreign_writes=(foreign_write(restored_s=22),) * draw(st.integers(0, 3)),
        findings=tuple(map(finding, draw(st.lists(st.sampled_from(SEVERITIES), max_size=3)))),
    )


@st.composite
def fleets(draw: st.DrawFn) -> tuple[HpaAccount, ...]:
    """More HPAs than are described in full, each with a name of its own."""
    drawn = draw(st.lists(one(), min_size=4, max_size=14))
    return tuple(hpa_named(account, f"web{number}") for number, account in enumerate(drawn))


def hpa_named(account: HpaAccount, name: str) -> HpaAccount:
    """The same HPA under another name."""
    return hpa(**{key: getattr(account, key) for key in HpaAccount.__dataclass_fields__ if key != "name"}, name=name)


def page(hpas: tuple[HpaAccount, ...]) -> ReplayAccount:
    """A replay of them."""
    return ReplayAccount(
        file="x.duckdb", recording="x", started_us=NOON, ended_us=NOON, release="1.36", assumptions=(),
        gaps=(("events", 61.0), ("pods", 2.0)), hpas=hpas,
    )  # fmt: skip


def number(pattern: str, text: str) -> int:
    """The number that a pattern finds in a text, 0 where it finds none."""
    found = re.search(pattern, text)
    return int(found[1].replace(",", "")) if found else 0


@given(fleets())
def test_the_sentence_counts_each_hpa_once(hpas: tuple[HpaAccount, ...]) -> None:
    text = fleet_headline(hpas, CLOCK)
    compared = [one for one in hpas if one.comparable]
    faithful = [one for one in compared if one.agree == one.comparable]
    if not compared:
        assert text.startswith("Nothing can be compared")
    elif len(faithful) == len(compared):
        assert number(r"(?:All|The) (?:(\d+) )?HPAs? decided", text) in (len(faithful), 0)
        assert f"{sum(one.comparable for one in compared):,} in all" in text
    else:
        assert number(r"^(\d+) of", text) == len(faithful)
        assert number(r"; (\d+) did not", text) == len(compared) - len(faithful)
        assert number(r"in ([\d,]+) of [\d,]+ reconcile", text) == sum(one.comparable - one.agree for one in compared)
    assert ("that can be compared" in text) == (
        bool(compared) and sum(one.reconciles for one in hpas) > sum(one.comparable for one in hpas)
    )
    others = [one for one in hpas if one.foreign_writes]
    assert number(r"Others wrote the replicas of (\d+) HPA", text) == len(others)
    assert number(r"of \d+ HPAs? (\d+) time", text) == sum(len(one.foreign_writes) for one in others)


COSTLY = hpa(name="api", foreign_writes=(foreign_write(restored_s=300, missing_pod_s=2400.0),))
HELD = hpa(name="shop", holds=(replace(hold("up_policy", 600), pod_s=1200.0),))
TOLD = "shop/api: At 12:00:00Z helm wrote 12 -> 4; the HPA had 12 again after 5m 00s; 40 pod-minutes missing. "


@pytest.mark.parametrize(
    ("hpas", "told"),
    [
        ((hpa(), COSTLY, HELD), TOLD),
        ((COSTLY, replace(HELD, holds=(replace(hold("up_policy", 600), pod_s=1201.0),))), ""),
        ((COSTLY, hpa(findings=(finding("critical"),))), ""),
        ((COSTLY, hpa(divergences=(divergence("not_run.controller_down"),))), ""),
        ((COSTLY, hpa(foreign_writes=(foreign_write(restored_s=9, missing_pod_s=None),))), ""),
        ((hpa(), hpa(name="api", foreign_writes=(foreign_write(restored_s=9, missing_pod_s=50.0),))), ""),
        (
            (hpa(), HELD),
            "shop/shop: The metrics asked for more than the scale-up policies allowed for 10m 00s, in 4 reconciles",
        ),
        ((hpa(), replace(HELD, divergences=(divergence("config.tolerance"),))), ""),
        ((hpa(), replace(HELD, holds=(replace(hold("memory", 600), pod_s=9000.0),))), ""),
        ((replace(COSTLY, findings=(finding("critical"),)), HELD), "shop/api: At 12:00:00Z seen. "),
        ((hpa(otherwise=Otherwise(settings=("tolerance 0.3",))), COSTLY), ""),
    ],
)
def test_an_incident_that_cost_most_by_far_is_told_first_with_its_hpa(hpas: tuple[HpaAccount, ...], told: str) -> None:
    """In the words of that HPA's own headline."""
    headline = fleet_headline(hpas, CLOCK)
    is_told = headline.startswith("shop/")
    assert is_told == bool(told)
    if told:
        assert headline.startswith(told)
        name, _, sentence = told.strip().partition(": ")
        assert sentence in verdict(next(one for one in hpas if f"{one.namespace}/{one.name}" == name), CLOCK)


FEW = {
    "Both HPAs decided as the replay does in each reconcile, 80 in all.": (hpa(name="a"), hpa(name="b")),
    "2 HPAs have a finding of severity high: two_autoscalers, two HPAs scale the same target.": (
        hpa(name="a", findings=(finding("high", "two_autoscalers"),)),
        hpa(name="b", findings=(finding("high", "two_autoscalers"),)),
    ),
    "1 HPA has a finding of severity high: flapping, pinned_at_max.": (
        hpa(name="a", findings=(finding("high", "flapping"), finding("high", "pinned_at_max"))),
        hpa(name="b"),
    ),
    "For a time the controller did not reconcile 2 of 3 HPAs: 2 reconciles did not take place.": (
        hpa(name="a", divergences=(replace(divergence("not_run.controller_down"), certain=1),)),
        hpa(name="b", divergences=(replace(divergence("not_run.controller_down"), certain=1),)),
        hpa(name="c"),
    ),
    TOLD.strip(): (hpa(), COSTLY),
}


@pytest.mark.parametrize("told", FEW)
def test_two_or_three_hpas_have_a_headline_of_them_all_on_every_page(told: str) -> None:
    account = page(FEW[told])
    screen, ticket = replay_text(account), markdown(Report(account=account, explanations=()), None)[0]
    first = f"  {FEW[told][0].namespace}/{FEW[told][0].name} -> "
    above = " ".join(screen.partition(first.strip())[0].split())
    assert told in above
    assert told in ticket.replace("\\_", "_").replace("\\>", ">").replace("&gt;", ">").partition("## ")[0]
    assert told.replace(">", "&gt;") in html_page(Report(account=account, explanations=()))


def test_one_hpa_has_no_headline_but_its_own() -> None:
    account = page((hpa(),))
    assert replay_text(account).count("decided as the replay does") == 1
    assert markdown(Report(account=account, explanations=()), None)[0].count("decided as the replay does") == 1


@given(fleets())
def test_the_gravest_severity_is_named_with_the_number_of_its_hpas(hpas: tuple[HpaAccount, ...]) -> None:
    named = re.findall(r"(\d+) HPAs? ha(?:s|ve) a finding of severity (\w+)", fleet_headline(hpas, CLOCK))
    counts = {
        severity: sum(any(one.severity == severity for one in account.findings) for account in hpas)
        for severity in SEVERITIES[:3]
    }
    assert named == [(str(count), severity) for severity, count in counts.items() if count][:1]


@given(fleets())
@settings(max_examples=40)
def test_the_table_has_a_row_for_each_of_the_first_and_no_column_of_zeros(hpas: tuple[HpaAccount, ...]) -> None:
    columns, rows = worst_rows(hpas)
    assert [row[0] for row in rows] == [f"shop/{one.name}" for one in hpas[:WORST]]
    by_column = dict(zip(columns, zip(*rows, strict=True), strict=True))
    for name, told in (("divergent", "divergent"), ("undecidable", "undecidable")):
        numbers = tuple(getattr(one, told) for one in hpas[:WORST])
        assert by_column.get(name, (0,) * len(numbers)) == numbers
        assert name not in by_column or any(numbers)
    for account, worst in zip(hpas, by_column["worst finding"], strict=False):
        severities = [one.severity for one in account.findings]
        assert str(worst).partition(", ")[2] == min(severities, key=SEVERITIES.index, default="")


@given(fleets())
@settings(max_examples=20)
def test_screen_and_ticket_say_the_sentence_and_how_many_more_there_are(hpas: tuple[HpaAccount, ...]) -> None:
    screen = " ".join(replay_text(page(hpas)).split())
    ticket = markdown(Report(account=page(hpas), explanations=()), "x")[0]
    assert fleet_headline(hpas, CLOCK) in screen
    assert fleet_headline(hpas, CLOCK) in ticket.replace("\\_", "_")
    assert number(r"(\d+) more HPAs?: hpaaudit query x.duckdb", screen) == max(0, len(hpas) - WORST)
    assert number(r"(\d+) more HPAs? not shown", ticket) == max(0, len(hpas) - WORST)
    assert screen.count(" -> Deployment/web") == 1
    assert "recorder gaps: events 1m 01s, pods 2s" in screen


def test_the_page_names_the_worst_finding_of_each_hpa_and_begins_with_the_sentence() -> None:
    hpas = tuple(hpa(name=f"web{number}", findings=(finding("low"), finding("high"))) for number in range(5))
    written = html_page(Report(account=page(hpas), explanations=()))
    assert written.count("<td>a_high_one, high</td>") == 5
    assert fleet_headline(hpas, CLOCK) in written
