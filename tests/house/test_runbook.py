"""The runbook and the alerts speak of what there is: metrics, alerts, events and errors by their names, all of them."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from hpaaudit import errors
from hpaaudit.cluster.exposition import exposition
from hpaaudit.cluster.meters import Meters
from hpaaudit.model.note import Event
from hpaaudit.model.plan import Kept
from tests.cluster.tools import find

ROOT = Path(__file__).parents[2]
RUNBOOK = (ROOT / "docs" / "runbook.md").read_text("utf-8")
ALERTS = ROOT / "deploy" / "alerts.yaml"
SEEN_ONLY = {"hpaaudit_cache_objects", "hpaaudit_clock_skew_seconds"}
"""Metrics that there are only while a cluster is observed; the tests of the door see them."""


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
    found = text_string_to_metric_families(exposition(Meters(), None, Kept()).decode())
    suffix = {"counter": "_total"}
    ours = {one.name + suffix.get(one.type, ""): one.type for one in found if one.name.startswith("hpaaudit_")}
    return ours | dict.fromkeys(SEEN_ONLY, "gauge")


# The page


def test_every_metric_is_on_the_page_and_no_other() -> None:
    assert sorted(first_cells("Metrics")) == sorted(metrics())


def test_every_alert_is_on_the_page_with_its_meaning_and_what_to_do() -> None:
    headings = re.findall(r"^### (\w+)\n\n\*\*Means\.\*\* .+\n\*\*Do\.\*\* .+$", section("Alerts"), re.MULTILINE)
    assert headings == [rule["alert"] for rule in rules()]


def test_every_event_is_on_the_page_and_no_other() -> None:
    assert sorted(first_cells("What it says")) == sorted(Event)


def test_every_kind_of_error_that_ends_a_recorder_is_on_the_page() -> None:
    kinds = {found.__name__ for found in (*errors.ClusterError.__subclasses__(), errors.RecordingError)}
    of_a_folder = {"FileExists", "DamagedRecording", "NewerFormat"}
    assert set(first_cells("What ends a recorder")) == kinds | of_a_folder | {"BadOption"}
    assert all(hasattr(errors, kind) for kind in first_cells("What ends a recorder"))


def test_every_link_within_the_page_leads_to_a_heading() -> None:
    ranked = re.findall(r"^#+ (.+)$", RUNBOOK, re.MULTILINE)
    headings = {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in ranked}
    assert set(re.findall(r"\]\(#([^)]+)\)", RUNBOOK)) <= headings
    assert {rule["annotations"]["runbook"].removeprefix("docs/runbook.md#") for rule in rules()} <= headings


# The alerts


def test_an_alert_asks_only_for_metrics_and_labels_that_there_are() -> None:
    known = {
        *metrics(),
        *(f"{name}_{part}" for name, kind in metrics().items() for part in ("bucket", "count") if kind == "histogram"),
    }
    for rule in rules():
        assert set(re.findall(r"hpaaudit_\w+", rule["expr"])) <= known, rule["alert"]
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
"""
SICK = {
    "HpaauditAbsent": "",
    "HpaauditDiskRefuses": 'hpaaudit_degraded{instance="b",reason="disk",source=""} 12x240',
    "HpaauditBlind": 'hpaaudit_degraded{instance="b",reason="failing",source="pods"} 1x240',
    "HpaauditMetricsUnanswered": """
        hpaaudit_last_success_timestamp_seconds{instance="b",source="external.metrics.k8s.io"} 0+60x230 13800x10""",
    "HpaauditGaps": 'hpaaudit_gap_seconds_total{instance="b",source="*"} 0+10x240',
    "HpaauditWatchesBreak": 'hpaaudit_watch_restarts_total{instance="b",resource="pods",reason="silent"} 0+1x240',
    "HpaauditThrottled": """
        hpaaudit_api_request_duration_seconds_count{instance="b",resource="pods",verb="list",code="429"} 0+1x240""",
    "HpaauditSlowAnswers": """
        hpaaudit_api_request_duration_seconds_bucket{instance="b",resource="pods",verb="get",le="5.0"} 0+1x240
        hpaaudit_api_request_duration_seconds_bucket{instance="b",resource="pods",verb="get",le="10.0"} 0+4x240
        hpaaudit_api_request_duration_seconds_bucket{instance="b",resource="pods",verb="get",le="+Inf"} 0+4x240""",
    "HpaauditUploadFails": 'hpaaudit_degraded{instance="b",reason="upload",source=""} 3x240',
    "HpaauditNothingSealed": """
        hpaaudit_segments_published_total{instance="b"} 7x240
        process_start_time_seconds{instance="b"} 0x240""",
    "HpaauditClockSkew": 'hpaaudit_clock_skew_seconds{instance="b",peer="apiserver"} -3x240',
    "HpaauditForbidden": """
        hpaaudit_degraded{instance="b",reason="forbidden",source="events"} 2x240
        hpaaudit_gap_seconds_total{instance="b",source="events"} 0+60x240""",
}
"""By alert, series of four hours beside those of a healthy recorder, on which it fires and no other does."""


def firing(series: str) -> set[str]:
    """The alerts that Prometheus' own engine finds true of series, at their end."""
    lines = [line.strip() for line in series.splitlines() if line.strip()]
    loaded = "\n  ".join(["load 1m", *lines])
    environment = {**os.environ, "RULES": str(ALERTS), "AT": "4h", "SERIES": loaded}
    command = [find("alerts"), "-test.run", "TestAlerts"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return set(json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{"))))


def test_nothing_fires_on_a_recorder_that_is_well() -> None:
    assert firing(HEALTHY) == set()


@pytest.mark.parametrize("alert", [rule["alert"] for rule in rules()])
def test_an_alert_fires_on_its_own_trouble_alone(alert: str) -> None:
    healthy = HEALTHY if SICK[alert] else 'up{instance="a"} 1x240'
    assert firing(f"{healthy}\n{SICK[alert]}") == {alert}
