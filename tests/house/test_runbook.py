"""The runbook and the alerts name metrics, alerts, events and errors that exist, and all of them."""

import asyncio
import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from hpaaudit import errors
from hpaaudit.cluster.access.config import ClientConfig
from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.clock import Clock
from hpaaudit.cluster.client.telemetry import Telemetry
from hpaaudit.cluster.observe.observer import Observer
from hpaaudit.cluster.scope import Scope
from hpaaudit.cluster.serve.exposition import exposition
from hpaaudit.model.note import Event
from hpaaudit.model.recorder_plan import StorageCounts
from hpaaudit.model.units import SECOND, Micros
from tests.cluster import tools
from tests.cluster.tools import find

ROOT = Path(__file__).parents[2]
RUNBOOK = (ROOT / "docs" / "runbook.md").read_text("utf-8")
ALERTS = ROOT / "deploy" / "alerts.yaml"
ANSWERED_ONLY = {"hpaaudit_clock_skew_seconds"}
"""Metrics that there are only after a first answer; the tests of the HTTP server see them."""


def section(heading: str) -> str:
    """What stands under a heading of the second rank."""
    return RUNBOOK.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def first_cells(heading: str) -> list[str]:
    """The words in code in the first column of a table under a heading."""
    return [word for row in re.findall(r"^\| (`[^|]+) \|", section(heading), re.MULTILINE) for word in words(row)]


def words(text: str) -> list[str]:
    """Everything in code."""
    return re.findall(r"`([^`]+)`", text)


def rules() -> list[dict[str, Any]]:
    """The alerts."""
    return [rule for group in yaml.safe_load(ALERTS.read_text("utf-8"))["groups"] for rule in group["rules"]]


def metrics() -> dict[str, str]:
    """Our own metrics as the page names them, each with its type."""
    families = text_string_to_metric_families(asyncio.run(_nothing_seen_yet()))
    suffix = {"counter": "_total"}
    ours = {item.name + suffix.get(item.type, ""): item.type for item in families if item.name.startswith("hpaaudit_")}
    return ours | dict.fromkeys(ANSWERED_ONLY, "gauge")


async def _nothing_seen_yet() -> str:
    """The metrics of an observer that has not begun."""
    client = Client(ClientConfig(source="", context="here", server="http://127.0.0.1:1"), Clock())
    observer = Observer(client, Scope(namespace="shop", interval_us=Micros(SECOND)), print, print)
    return exposition(Telemetry(), observer, StorageCounts()).decode()


# The page


def test_every_metric_is_on_the_page_and_no_other() -> None:
    assert sorted(first_cells("Metrics")) == sorted(metrics())


def test_every_alert_is_on_the_page_with_its_meaning_and_what_to_do() -> None:
    headings = re.findall(r"^### (\w+)\n\n\*\*Means\.\*\* .+\n\*\*Do\.\*\* .+$", section("Alerts"), re.MULTILINE)
    assert headings == [rule["alert"] for rule in rules()]


def test_every_event_is_on_the_page_and_no_other() -> None:
    assert sorted(first_cells("What it logs")) == sorted(Event)


def test_whatever_is_noted_has_a_name() -> None:
    """A plain line would be a `note`, of which the page can say nothing."""
    sources = {path: path.read_text("utf-8") for path in (ROOT / "hpaaudit").rglob("*.py")}
    assert [str(path) for path, text in sources.items() if re.search(r"\bnote\(f?\"", text)] == []
    used = {name for text in sources.values() for name in re.findall(r"\bEvent\.([A-Z_]+)", text)}
    assert used == set(Event.__members__)


def test_every_kind_of_error_that_ends_a_recorder_is_on_the_page() -> None:
    kinds = {error.__name__ for error in (*errors.ClusterError.__subclasses__(), errors.RecordingError)}
    of_a_folder = {"FileExists", "DamagedRecording", "NewerFormat"}
    assert set(first_cells("What ends a recorder")) == kinds | of_a_folder | {"BadOption"}
    assert all(hasattr(errors, kind) for kind in first_cells("What ends a recorder"))


def test_every_link_within_the_page_leads_to_a_heading() -> None:
    ranked = re.findall(r"^#+ (.+)$", RUNBOOK, re.MULTILINE)
    headings = {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in ranked}
    assert set(re.findall(r"\]\(#([^)]+)\)", RUNBOOK)) <= headings
    assert {rule["annotations"]["runbook"].removeprefix("docs/runbook.md#") for rule in rules()} <= headings


# The alerts


def test_what_an_alert_says_of_a_failed_metric_holds_for_every_reason_of_its_condition() -> None:
    """One metric of several may have failed, or none was read: the summary says neither of it."""
    (rule,) = (rule for rule in rules() if rule["alert"] == "HpaMetricFails")
    assert "cannot decide by its metrics" in rule["annotations"]["summary"]
    told = RUNBOOK.partition("### HpaMetricFails\n")[2].partition("### ")[0]
    text = " ".join(path.read_text("utf-8") for path in (ROOT / "hpaaudit" / "engine" / "controller").glob("*.py"))
    reasons = {*re.findall(r'"(FailedGet(?!Scale)\w+|(?:Invalid|Ambiguous)Selector)"', text)}
    assert len(reasons) > 4
    for reason in reasons:
        assert f"`{reason}`" in told or ("Metric" in reason and "`FailedGet…Metric`" in told), reason


def test_an_alert_asks_only_for_metrics_and_labels_that_there_are() -> None:
    known_names = {
        *metrics(),
        *(f"{name}_{part}" for name, kind in metrics().items() for part in ("bucket", "count") if kind == "histogram"),
    }
    for rule in rules():
        assert set(re.findall(r"hpaaudit_\w+", rule["expr"])) <= known_names, rule["alert"]
        assert rule["labels"]["severity"] in ("critical", "warning", "info")


HEALTHY = """
    hpaaudit_wal_bytes{instance="a"} 0+1000x240
    process_start_time_seconds{instance="a"} 0x240
    hpaaudit_segments_published_total{instance="a"} 0x59 1x59 2x59 3x62
    hpaaudit_degraded{instance="a",reason="disk",source=""} 0x240
    hpaaudit_degraded{instance="a",reason="upload",source=""} 0x240
    hpaaudit_clock_skew_seconds{instance="a",peer="apiserver"} 0.1x240
    hpaaudit_last_success_timestamp_seconds{instance="a",source="pods.metrics.k8s.io"} 0+60x240
    hpaaudit_last_success_timestamp_seconds{instance="a",source="events"} 0x240
    hpaaudit_watch_restarts_total{instance="a",resource="pods",reason="ended"} 0+1x240
    hpaaudit_gap_seconds_total{instance="a",source="pods"} 0+1x240
    hpaaudit_api_request_duration_seconds_count{instance="a",resource="pods.metrics.k8s.io",code="200"} 0+4x240
    hpaaudit_api_request_duration_seconds_bucket{instance="a",resource="pods.metrics.k8s.io",le="0.1"} 0+4x240
    hpaaudit_api_request_duration_seconds_bucket{instance="a",resource="pods.metrics.k8s.io",le="+Inf"} 0+4x240
    hpaaudit_hpas{instance="a",condition="ScalingLimited",reason="TooManyReplicas"} 0x240
    hpaaudit_hpa_condition_since_timestamp_seconds{instance="a",hpa="idle",reason="TooFewReplicas"} 0x240
    hpaaudit_foreign_write_timestamp_seconds{instance="a",manager="keda-operator"} 0+60x240
    hpaaudit_cache_objects{instance="a",resource="horizontalpodautoscalers.autoscaling"} 9x240
    hpaaudit_status_changes_total{instance="a"} 0+5x240
    hpaaudit_metric_changes_total{instance="a"} 0+20x240
    hpaaudit_controller_lease_renewed_timestamp_seconds{instance="a"} 0+60x240
"""
SINCE = 'hpaaudit_hpa_condition_since_timestamp_seconds{instance="b",namespace="shop",hpa="checkout",condition='


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Series of a recorder `b` that falls ill an hour after the beginning, and the minutes at which its alert changes.

    pending   the first at which the expression is true, None where the alert does not wait
    firing    the first at which somebody is called;  over  the first at which it is well again, None for never
    """

    series: str
    pending: int | None = None
    firing: int
    over: int | None = None
    beside: str = HEALTHY


SICK = {
    # Five minutes without a sample make a series absent.
    "HpaauditAbsent": Trouble(
        series='hpaaudit_wal_bytes{instance="b"} 0x60 _x59 0x120',
        beside='up{instance="a"} 1x240',
        pending=65,
        firing=75,
        over=120,
    ),
    "HpaauditDiskRefuses": Trouble(
        series='hpaaudit_degraded{instance="b",reason="disk",source=""} 0x59 12x59 0x119',
        pending=60,
        firing=62,
        over=120,
    ),
    "HpaauditBlind": Trouble(
        series='hpaaudit_degraded{instance="b",reason="failing",source="pods"} 0x59 1x59 0x119',
        pending=60,
        firing=65,
        over=120,
    ),
    # The last success was in minute 60.
    "HpaauditMetricsUnanswered": Trouble(
        series="""
            hpaaudit_last_success_timestamp_seconds{instance="b",source="metrics.k8s.io"} 0+60x60 3600x58 7200+60x120
            """,
        pending=66,
        firing=71,
        over=120,
    ),
    # Ten seconds a minute.
    "HpaauditGaps": Trouble(
        series='hpaaudit_gap_seconds_total{instance="b",source="*"} 0x60 10+10x58 590x120',
        firing=73,
        over=167,
    ),
    "HpaauditWatchesBreak": Trouble(
        series='hpaaudit_watch_restarts_total{instance="b",resource="pods",reason="silent"} 0x60 1+1x58 59x120',
        firing=71,
        over=139,
    ),
    "HpaauditThrottled": Trouble(
        series="""
            hpaaudit_api_request_duration_seconds_count{instance="b",resource="pods",code="429"} 0x60 1+1x58 59x120
            """,
        firing=64,
        over=131,
    ),
    "HpaauditSlowAnswers": Trouble(
        series="""
            hpaaudit_api_request_duration_seconds_bucket{instance="b",resource="pods",le="5.0"} 0+4x60 240x180
            hpaaudit_api_request_duration_seconds_bucket{instance="b",resource="pods",le="10.0"} 0+4x240
            hpaaudit_api_request_duration_seconds_bucket{instance="b",resource="pods",le="+Inf"} 0+4x240""",
        pending=62,
        firing=77,
    ),
    "HpaauditUploadFails": Trouble(
        series='hpaaudit_degraded{instance="b",reason="upload",source=""} 0x59 3x59 0x119',
        pending=60,
        firing=90,
        over=120,
    ),
    "HpaauditNothingSealed": Trouble(
        series="""
            hpaaudit_segments_published_total{instance="b"} 7x219 8x20
            process_start_time_seconds{instance="b"} 0x240""",
        firing=181,
        over=220,
    ),
    "HpaauditClockSkew": Trouble(
        series='hpaaudit_clock_skew_seconds{instance="b",peer="apiserver"} 0x59 -3x59 0x119',
        pending=60,
        firing=75,
        over=120,
    ),
    # That it is forbidden is no gap that anybody is called for.
    "HpaauditForbidden": Trouble(
        series="""
            hpaaudit_degraded{instance="b",reason="forbidden",source="events"} 0x59 2x180
            hpaaudit_gap_seconds_total{instance="b",source="events"} 0x60 60+60x179""",
        pending=60,
        firing=75,
    ),
    # Since minute 60, for an hour.
    "HpaAtMaximum": Trouble(
        series=f'{SINCE}"ScalingLimited",reason="TooManyReplicas"}} _x60 3600x59 _x120', firing=76, over=124
    ),
    "HpaHeldByPolicy": Trouble(
        series=f'{SINCE}"ScalingLimited",reason="ScaleUpLimit"}} _x60 3600x59 _x120', firing=71, over=124
    ),
    "HpaMetricFails": Trouble(
        series=f'{SINCE}"ScalingActive",reason="FailedGetResourceMetric"}} _x60 3600x59 _x120', firing=66, over=124
    ),
    "HpaCannotScale": Trouble(
        series=f'{SINCE}"AbleToScale",reason="FailedGetScale"}} _x60 3600x59 _x120', firing=66, over=124
    ),
    # One write, in minute 60.
    "HpaForeignWrite": Trouble(
        series="""
            hpaaudit_foreign_write_timestamp_seconds{instance="b",target="x",manager="helm"} _x60 3600x179""",
        firing=60,
        over=75,
    ),
    # The last renewal and the last status are those of minute 60; after minute 120 another process leads.
    "HpaControllerSilent": Trouble(
        series="""
            hpaaudit_controller_lease_renewed_timestamp_seconds{instance="b"} 0+60x60 3600x58 7200+60x120
            hpaaudit_status_changes_total{instance="b"} 0+5x60 300x58 300+5x120""",
        pending=62,
        firing=64,
        over=120,
    ),
    # The Lease is renewed, and metrics change, but no status does after minute 60.
    "HpaStatusesStill": Trouble(
        series="""
            hpaaudit_controller_lease_renewed_timestamp_seconds{instance="b"} 0+60x240
            hpaaudit_cache_objects{instance="b",resource="horizontalpodautoscalers.autoscaling"} 9x240
            hpaaudit_metric_changes_total{instance="b"} 0+20x240
            hpaaudit_status_changes_total{instance="b"} 0+5x60 300x58 300+5x120""",
        pending=74,
        firing=89,
        over=121,
    ),
}
"""By alert, what makes it fire and no other."""


def changes(series: str) -> list[dict[str, Any]]:
    """Every change of an alert's state by Prometheus' own rules engine, which plays four hours of series by minutes."""
    lines = [line.strip() for line in series.splitlines() if line.strip()]
    loaded = "\n  ".join(["load 1m", *lines])
    environment = {**os.environ, "RULES": str(ALERTS), "SERIES": loaded}
    command = [find(tools.ALERTS), "-test.run", "TestAlerts"]
    completed = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert completed.returncode == 0, completed.stdout + completed.stderr
    entries: list[dict[str, Any]] = json.loads(
        next(line for line in completed.stdout.splitlines() if line.startswith("["))
    )
    return entries


def test_nothing_happens_to_a_recorder_that_is_well() -> None:
    """Nothing is even pending."""
    assert changes(HEALTHY) == []


@pytest.mark.parametrize("alert", [rule["alert"] for rule in rules()])
def test_an_alert_fires_on_its_own_trouble_alone_and_at_its_time(alert: str) -> None:
    """Not a minute before the trouble has lasted as long as `for` says, and until it is over."""
    trouble = SICK[alert]
    alert_changes = changes(f"{trouble.beside}\n{trouble.series}")
    wanted = {"pending": trouble.pending, "firing": trouble.firing, "inactive": trouble.over}
    states = [(item["alert"], item["state"], item["minute"]) for item in alert_changes]
    assert states == [(alert, state, minute) for state, minute in wanted.items() if minute is not None]
    assert not [
        item["summary"] for item in alert_changes if "error" in item["summary"] or "<no value>" in item["summary"]
    ]
