"""A replay with other settings than the real controller's says what these would change, and accuses nobody of it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.api.flags import of_its_time
from hpaaudit.flows.query import account
from hpaaudit.flows.replay import replay
from hpaaudit.model.facts import Fact
from hpaaudit.report.fleet import fleet_headline
from hpaaudit.report.replay import clock_of, replay_text
from hpaaudit.report.verdict import verdict
from hpaaudit.results.read import Results
from tests.conformance.expected import capture_of
from tests.recordings.kept import RECORDINGS
from tests.truth.classes import CASES
from tests.truth.replayed import replayed
from tests.truth.views import VIEWS
from tests.truth.worlds import facts_of

Options = Mapping[str, Any]
Compared = tuple[Results, Results]

ASKED: Mapping[str, Options] = {
    "another tolerance": {"flags": {"tolerance": "0.3"}},
    "no stabilization": {"flags": {"downscale-stabilization": "0s"}},
    "a slow controller": {"flags": {"sync-period": "60s"}},
    "an older release": {"release": "1.29"},
    "the newest release": {"release": "1.37"},
    "before 1.12": {"release": "1.8"},
    "a gate": {"behaviours": {"HPAScaleToZero": True}},
    "three at once": {"release": "1.20", "flags": {"tolerance": "0", "initial-readiness-delay": "120s"}},
}
WORLDS = (
    ("1.36", "everything-100-0011"), ("1.36", "restart-100-0001"),
    ("1.36", "zero-100-0016"), ("1.36", "people-100-0004"),
    ("1.36", "slow-100-0005"), ("1.20", "common-100-0015"), ("1.20", "common-100-0003"), ("1.9", "common-100-0002"),
    ("1.4", "common-100-0003"),
)  # fmt: skip
SHOWN = ("whole", "outside", "minimal rights", "HPAs seen late")
FAULTS = (
    "unexplained", "faithful", "that was not recorded", "(skew)", "seems to have run", "is not as assumed",
    "reconciled no", "did not reconcile", "was restarting", "another reason", "(late)",
)  # fmt: skip
"""Words of a headline that judge the controller."""
OF_THE_CONTROLLER = ("ha_metrics_sources", "misleading_status", "slow_or_missed_sync", "stale_informer")
"""Patterns that are a fault of the controller, or of what it read."""


def _rows(results: Results) -> list[dict[str, Any]]:
    return results.rows(
        "select hpa_uid, ts, row_number() over (partition by hpa_uid, ts order by reconcile_id) as nth, verdict, class "
        "from reconciles order by hpa_uid, ts"
    )


def _audited(audit: Results) -> dict[tuple[object, ...], dict[str, Any]]:
    return {(row["hpa_uid"], row["ts"], row["nth"]): row for row in _rows(audit)}


def _decides(results: Results) -> bool:
    """True if the settings that were asked for are others than those of the audit."""
    return any(one.in_place_of is not None for one in results.assumptions)


def _accusations(asked: Results, audit: Results) -> Iterator[str]:
    """What is said against the controller, although it is only that the other settings would do something else."""
    of_audit = _audited(audit)
    for row in _rows(asked):
        beside = of_audit.get((row["hpa_uid"], row["ts"], row["nth"]))
        if row["verdict"] in ("match", "undecidable"):
            continue
        is_settled = beside is None or beside["verdict"] == "match"
        if is_settled and not row["class"].startswith("config."):
            yield f"{row['ts']} is {row['class']}, with the settings of the audit it matches"
        elif not is_settled and row["class"] == "unexplained" and beside["class"] != "unexplained":
            yield f"{row['ts']} is unexplained, in the audit {beside['class']}"
    outcome = account(asked)
    for hpa in outcome.hpas if _decides(asked) else ():
        headline = verdict(hpa, clock_of(outcome))
        yield from (f"{hpa.name}: {headline}" for fault in FAULTS if fault in headline)
        if hpa.reconciles and not headline.startswith("With "):
            yield f"{hpa.name} says nothing of the settings: {headline}"
    patterns = "select hpa_uid, pattern from findings where pattern in $patterns"
    known = [tuple(row.values()) for row in audit.rows(patterns, patterns=OF_THE_CONTROLLER)]
    for row in asked.rows(patterns, patterns=OF_THE_CONTROLLER):
        if tuple(row.values()) not in known:
            yield f"finding {row['pattern']}"
    told = "select hpa_uid, ts, class from reports where class in ('report.other_reason', 'report.wrong_condition')"
    known = [tuple(row.values()) for row in audit.rows(told)]
    yield from (f"report {row}" for row in asked.rows(told) if tuple(row.values()) not in known)
    writers = "select hpa_uid, at_hi, to_replicas, writer_class from scale_events where source = 'actual' order by all"
    if asked.rows(writers) != audit.rows(writers):
        yield "other writers"


@contextmanager
def _beside(facts: Sequence[Fact], options: Options) -> Iterator[Compared]:
    with replayed(facts) as audit, replayed(facts, **options) as asked:
        yield asked, audit


def _in_turn(turn: int) -> Iterator[Options]:
    """Two of the settings: other ones for the next recording or world."""
    options = [*ASKED.values()]
    return (options[(turn + 3 * number) % len(options)] for number in range(2))


@pytest.mark.parametrize("recording", RECORDINGS)
def test_a_what_if_of_a_kept_recording_accuses_nobody(recording: str, tmp_path: Path) -> None:
    with replay(RECORDINGS[recording], into=tmp_path / "audit.duckdb") as audit:
        for options in map(_of_its_time(audit), _in_turn([*RECORDINGS].index(recording))):
            with replay(RECORDINGS[recording], into=tmp_path / "asked.duckdb", overwrite=True, **options) as asked:
                assert (options, [*_accusations(asked, audit)]) == (options, [])


@pytest.mark.parametrize(("release", "world"), WORLDS)
def test_a_what_if_of_any_world_accuses_nobody(release: str, world: str) -> None:
    turn = WORLDS.index((release, world))
    facts = list(VIEWS[SHOWN[turn % len(SHOWN)]](facts_of(capture_of(release, world))))
    with replayed(facts) as audit:
        for options in map(_of_its_time(audit), _in_turn(turn)):
            with replayed(facts, **options) as asked:
                assert (options, [*_accusations(asked, audit)]) == (options, [])


def _of_its_time(audit: Results) -> Callable[[Options], Options]:
    """Settings that a controller of this release can have; in place of a flag of another era a tolerance."""
    release = next(one.value for one in audit.assumptions if one.key == "release")

    def known(options: Options) -> Options:
        flags = options.get("flags", {})
        if of_its_time(flags, options.get("release", release)) == dict(flags):
            return options
        return {**options, "flags": {"tolerance": "0.4"}}

    return known


def test_the_headline_counts_what_the_setting_changes() -> None:
    facts = facts_of(capture_of("1.36", "restart-100-0001"))
    with _beside(facts, {"flags": {"tolerance": "0.9"}}) as (asked, audit):
        of_audit = _audited(audit)
        made = [
            row for row in _rows(asked)
            if row["verdict"] == "divergent" and of_audit[row["hpa_uid"], row["ts"], row["nth"]]["verdict"] == "match"
        ]  # fmt: skip
        outcome = account(asked)
        [row] = asked.rows("select key, value, alternative, differing, explained, is_what_if from sensitivity")
    headline = verdict(outcome.hpas[0], clock_of(outcome))
    assert made
    assert headline.startswith(f"With tolerance 0.9, {len(made)} of ")
    assert re.search(
        rf" at {re.escape(clock_of(outcome)(outcome.hpas[0].otherwise.first_us))}: \d+ in place of \d+\.", headline
    )
    assert row == {
        "key": "tolerance", "value": "0.9", "alternative": row["alternative"], "differing": len(made),
        "explained": len(made), "is_what_if": True,
    }  # fmt: skip


def test_where_nothing_differs_every_reconcile_decides_the_same(tmp_path: Path) -> None:
    with replay(RECORDINGS["load-step"], release="1.37", into=tmp_path / "asked.duckdb") as asked:
        outcome = account(asked)
    assert verdict(outcome.hpas[0], clock_of(outcome)).startswith("With release 1.37 every reconcile decides the same.")


def test_1_4_as_1_37_would_have_scaled_although_a_sample_was_missing(tmp_path: Path) -> None:
    with replay(RECORDINGS["1.4-sample-missing"], release="1.37", into=tmp_path / "asked.duckdb") as asked:
        outcome = account(asked)
        classes = asked.rows("select distinct class, severity from divergences")
        told = {row["explanation"] for row in asked.rows("from divergences")}
    words = " ".join(replay_text(outcome).split())
    assert "With release 1.37, 8 of 28 reconciles would decide otherwise; first at 14:07:30Z: 6 in place of 3." in words
    assert classes == [{"class": "config.release", "severity": "info"}]
    assert all("with release 1.37 the controller would decide" in text for text in told)
    assert all(text.endswith("with release 1.4.12 (recorded) replay and controller agree") for text in told)


def test_of_two_settings_the_one_is_named_that_makes_the_difference(tmp_path: Path) -> None:
    with replay(
        RECORDINGS["1.4-sample-missing"], into=tmp_path / "asked.duckdb",
        flags={"tolerance": "0.5"}, behaviours={"ScaleToZero": True},
    ) as asked:  # fmt: skip
        rows = asked.rows("select key, value, alternative, also_key from sensitivity")
        classes = {row["class"] for row in asked.rows("select class from reconciles where verdict = 'divergent'")}
    assert rows == [{"key": "tolerance", "value": "0.5", "alternative": "0.1", "also_key": None}]
    assert classes == {"config.tolerance"}


@pytest.mark.parametrize(
    ("options", "is_other"),
    [
        ({"release": "1.36"}, False), ({"release": "v1.36.3"}, False), ({"release": "1.35"}, True),
        ({"flags": {"tolerance": "0.1"}}, False), ({"flags": {"horizontal-pod-autoscaler-tolerance": "0.10"}}, False),
        ({"flags": {"downscale-stabilization": "5m"}}, False), ({"flags": {"downscale-stabilization": "4m"}}, True),
        ({"flags": {"leader-elect-lease-duration": "60s"}}, False), ({"behaviours": {"HPAScaleToZero": False}}, False),
        ({"behaviours": {"HPAScaleToZero": True}}, True), ({"hpas": ["shop/checkout"], "since": "-5m"}, False),
        ({"flags": {"sync-period": "15s"}}, False), ({"flags": {"sync-period": "30s"}}, True),
    ],
)  # fmt: skip
def test_only_settings_that_differ_make_a_what_if(options: Options, tmp_path: Path, *, is_other: bool) -> None:
    with replay(RECORDINGS["load-step"], into=tmp_path / "asked.duckdb", **options) as results:
        assert _decides(results) == is_other
        assert ("With " in verdict(account(results).hpas[0], clock_of(account(results)))) == is_other


def test_what_is_declared_is_no_what_if(tmp_path: Path) -> None:
    import shutil

    friday = tmp_path / "friday"
    shutil.copytree(RECORDINGS["load-step"], friday)
    with replay(friday, flags={"tolerance": "0.3"}, declare=True) as results:
        assert not _decides(results)
    with replay(friday, flags={"tolerance": "0.1"}) as results:
        [one] = [one for one in results.assumptions if one.in_place_of is not None]
        assert (one.key, one.value, one.in_place_of) == ("tolerance", "0.1", "0.3")


def test_a_fleet_says_it_in_one_sentence(tmp_path: Path) -> None:
    from tests.bench import fleet

    fleet.write(tmp_path / "fleet", hpas=5, hours=0.25, seed=3, budget=200_000)
    for detail in ("numbers", "moved"):  # by the compiled rules, and one by one
        with replay(tmp_path / "fleet", flags={"tolerance": "0.9"}, detail=detail) as asked:
            outcome = account(asked)
            made = asked.rows("select * from reconciles where class = 'config.tolerance'")
        headline = fleet_headline(outcome.hpas, clock_of(outcome))
        assert headline.startswith(f"With tolerance 0.9, {len(made):,} of ")
        assert not any(fault in headline for fault in FAULTS)


def test_what_the_audit_cannot_explain_is_put_down_to_no_setting_of_a_what_if() -> None:
    """A number that no setting leads to is as open with a setting that changes nothing about it."""
    case = CASES["unexplained"]
    facts = list(case.facts(facts_of(case.world)))
    with replayed(facts) as audit, replayed(facts, flags={"cpu-initialization-period": "301s"}) as asked:
        [odd] = audit.rows("select ts from reconciles where class = 'unexplained'")
        [row] = asked.rows("select ts, class from reconciles where verdict <> 'match'")
        outcome = account(asked)
    assert row["ts"] == odd["ts"]
    assert not row["class"].startswith("config.")
    headlines = " ".join(verdict(hpa, clock_of(outcome)) for hpa in outcome.hpas)
    assert "decides the same" in headlines
