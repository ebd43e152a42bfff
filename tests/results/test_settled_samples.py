"""What stays unexplained because the recorder's answer lacked samples that the controller's own may have had."""

from datetime import UTC, datetime, timedelta

import duckdb
import pytest

from hpaaudit.results.sql import folder

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC).replace(tzinfo=None)
WINDOW_S = 300


def settled(rows: list[tuple[int, str, int, str]], *, is_contradicted: bool = False) -> list[tuple[str, str, str]]:
    """Class, confidence and explanation of one divergence.

    rows              of reconciles: seconds after noon, class, pods without a sample, evidence
    is_contradicted   another setting would explain it, but the recording says otherwise
    """
    with duckdb.connect() as connection:
        ask = connection.execute
        ask("create schema runs")
        for name in ("divergences", "metric_proposals"):
            ask(folder("schema")[name])
        ask(folder("macros")["missing_in_words"])
        ask("create table settled (hpa_uid varchar, divergence_id bigint)")
        if is_contradicted:
            ask("insert into settled values ('u', 1)")
        ask("create table replayed_hpas as select 1 as hpa, 'u' as hpa_uid")
        ask("create table memory_windows as select 1 as hpa, ? as longest", [timedelta(seconds=WINDOW_S)])
        ask(
            "create table runs.reconciles (replay_id varchar, hpa_uid varchar, reconcile_id bigint, ts timestamp, "
            "divergence_id bigint, class varchar, evidence varchar)"
        )
        for number, (seconds, name, missing, evidence) in enumerate(rows):
            ts = NOON + timedelta(seconds=seconds)
            is_odd = 1 if name == "unexplained" else None
            ask("insert into runs.reconciles values ('r', 'u', ?, ?, ?, ?, ?)", [number, ts, is_odd, name, evidence])
            ask(
                "insert into runs.metric_proposals by name select 'u' as hpa_uid, ? as reconcile_id, ? as missing_pods",
                [number, missing],
            )
        ask(
            "insert into runs.divergences by name select 'r' as replay_id, 'u' as hpa_uid, 1 as divergence_id, "
            "'unexplained' as class, 'possible' as confidence, 'replay 8, controller 7' as explanation"
        )
        ask(folder("sensitivity")["settle_samples"])
        return ask("select class, confidence, explanation from runs.divergences").fetchall()


UNKNOWN = ("no_data.object_unseen", "undecidable", "unknown: which of several samples the controller read")
KEPT = ("unexplained", "possible", "replay 8, controller 7")


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([(0, "unexplained", 1, "proven")], UNKNOWN),
        ([(0, "", 1, "proven"), (WINDOW_S, "unexplained", 0, "proven")], UNKNOWN),
        ([(0, "", 1, "proven"), (WINDOW_S + 1, "unexplained", 0, "proven")], KEPT),
        ([(0, "", 1, "seen"), (15, "unexplained", 0, "proven")], KEPT),
        ([(0, "", 0, "proven"), (15, "unexplained", 0, "proven")], KEPT),
        ([(0, "unexplained", 0, "proven"), (15, "", 1, "proven")], KEPT),
        ([(0, "unexplained", 0, "proven"), (15, "unexplained", 1, "proven")], KEPT),
    ],
    ids=[
        "its own answer",
        "one that the window still holds",
        "one that no window holds",
        "an answer of the controller itself",
        "no sample was missing",
        "missing afterwards",
        "one of two was before",
    ],
)
def test_a_divergence_is_unknown_where_an_answer_with_all_samples_may_have_led_to_it(
    rows: list[tuple[int, str, int, str]], told: tuple[str, str, str]
) -> None:
    assert settled(rows) == [told]


def test_what_contradicts_a_recorded_setting_stays_unexplained() -> None:
    assert settled([(0, "unexplained", 1, "proven")], is_contradicted=True) == [KEPT]
