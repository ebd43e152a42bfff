"""Writes HPAs over time as a Chrome trace, which ui.perfetto.dev and chrome://tracing show."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from hpaaudit.model.report import Report
from hpaaudit.model.timeline import Mark, Timeline
from hpaaudit.report.text import printable
from hpaaudit.report.timeline import replicas, words_of_mark

Event = dict[str, Any]


def perfetto(report: Report) -> str:
    """The trace as JSON: a process for each HPA with counters, spans and instants. Times are microseconds."""
    events = [
        event for number, timeline in enumerate(report.account.timelines, 1) for event in _events(timeline, number)
    ]
    return json.dumps({"displayTimeUnit": "ms", "traceEvents": events}, separators=(",", ":")) + "\n"


def _events(timeline: Timeline, number: int) -> Iterator[Event]:
    name = printable(f"{timeline.namespace}/{timeline.name}")
    yield {"ph": "M", "name": "process_name", "pid": number, "args": {"name": name}}
    for at_us, value in replicas(timeline):
        yield _counter("spec.replicas", at_us, number, {"replicas": value})
    for point in timeline.points:
        yield _counter("replay wants", point.at_us, number, {"replicas": point.replay})
        yield _counter("bounds", point.at_us, number, {"min": point.min_replicas, "max": point.max_replicas})
        if point.ratio is not None:
            percent = round(100 * point.ratio, 1)
            yield _counter(f"{printable(point.metric)}, % of target", point.at_us, number, {"percent": percent})
        pods = {"unready": point.unready, "missing": point.missing, "ignored": point.ignored}
        yield _counter("pods that did not count", point.at_us, number, pods)
    for mark in timeline.marks:
        yield _mark(mark, timeline, number)


def _counter(name: str, at_us: int, number: int, values: Mapping[str, float | int | None]) -> Event:
    known = {key: value for key, value in values.items() if value is not None}
    return {"ph": "C", "name": name, "ts": at_us, "pid": number, "args": known}


def _mark(mark: Mark, timeline: Timeline, number: int) -> Event:
    """A slice from begin to end, or an instant."""
    same = {"name": printable(words_of_mark(mark)), "cat": mark.kind, "ts": mark.at_us, "pid": number, "tid": 1}
    ends = timeline.ended_us if mark.until_us is None and mark.kind == "divergence" else mark.until_us
    return same | ({"ph": "i", "s": "p"} if ends is None else {"ph": "X", "dur": ends - mark.at_us})
