"""Writes HPAs over time as a Chrome trace, which ui.perfetto.dev and chrome://tracing show."""

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from hpaaudit.api.canonical import finite
from hpaaudit.model.report import Report
from hpaaudit.model.timeline import Mark, MarkKind, Timeline, TimelinePoint
from hpaaudit.model.units import Micros
from hpaaudit.report.text import printable
from hpaaudit.report.timeline import replicas, words_of_mark

Event = dict[str, Any]


def perfetto(report: Report) -> str:
    """The trace as JSON: a process for each HPA with counters, spans and instants. Times are microseconds.

    A counter keeps its last value until the next one. While that is unknown, a span says so.
    """
    events = [
        event for number, timeline in enumerate(report.account.timelines, 1) for event in _events(timeline, number)
    ]
    return json.dumps({"displayTimeUnit": "ms", "traceEvents": finite(events)}, separators=(",", ":")) + "\n"


def _events(timeline: Timeline, number: int) -> Iterator[Event]:
    name = printable(f"{timeline.namespace}/{timeline.name}")
    yield {"ph": "M", "name": "process_name", "pid": number, "args": {"name": name}}
    for at_us, value in replicas(timeline):
        if value is not None:
            yield _counter("spec.replicas", at_us, number, {"replicas": value})
    for point in timeline.points:
        yield _counter("replay wants", point.at_us, number, {"replicas": point.replay})
        yield _counter("bounds", point.at_us, number, {"min": point.min_replicas, "max": point.max_replicas})
        if point.ratio is not None:
            percent = round(100 * point.ratio, 1)
            yield _counter(f"{printable(point.metric)}, % of target", point.at_us, number, {"percent": percent})
        pods = {"unready": point.unready, "missing": point.missing, "ignored": point.ignored}
        yield _counter("pods that did not count", point.at_us, number, pods)
    tracks: dict[str, int] = {}
    for track, slice_or_instant in _slices(timeline):
        if track not in tracks:
            tracks[track] = len(tracks) + 1
            yield {"ph": "M", "name": "thread_name", "pid": number, "tid": tracks[track], "args": {"name": track}}
        yield slice_or_instant | {"pid": number, "tid": tracks[track]}


def _counter(name: str, at_us: int, number: int, values: Mapping[str, float | int | None]) -> Event:
    known = {key: value for key, value in values.items() if value is not None}
    return {"ph": "C", "name": name, "ts": at_us, "pid": number, "args": known}


def _slices(timeline: Timeline) -> Iterator[tuple[str, Event]]:
    """What happened, and what is unknown, each with its track: slices of one track may not overlap."""
    for mark in timeline.marks:
        track = f"not recorded: {mark.who}" if mark.kind == MarkKind.GAP else mark.kind
        yield printable(track), _mark(mark, timeline)
    for absence in timeline.absences:
        words = "the target was gone" if absence.is_target else "there was no HPA of this name"
        yield "no replicas", _slice(words, "absence", absence.at_us, absence.until_us or timeline.ended_us)
    for (metric, is_known, _), run in groupby(_lasting(timeline), lambda one: (one[0].metric, *one[2:])):
        points = [*run]
        if not is_known:
            words = f"{metric}: no ratio to its target" if metric else "no metric was read"
            yield "no ratio", _slice(words, "metric", points[0][0].at_us, points[-1][1])


def _lasting(timeline: Timeline) -> Iterator[tuple[TimelinePoint, Micros, bool, int]]:
    """Each reconcile, until when it stood, whether its ratio is known, and how often the HPA was gone before it.

    A deleted HPA has no reconcile: the last one before stood until then.
    """
    gone = [one.at_us for one in timeline.absences if not one.is_target]
    ends = [*(point.at_us for point in timeline.points[1:]), timeline.ended_us]
    for point, end_us in zip(timeline.points, ends, strict=False):
        until_us = min([end_us, *(at_us for at_us in gone if point.at_us < at_us)])
        yield point, until_us, point.ratio is not None, sum(at_us <= point.at_us for at_us in gone)


def _mark(mark: Mark, timeline: Timeline) -> Event:
    """A slice from begin to end, or an instant."""
    ends = timeline.ended_us if mark.until_us is None and mark.kind == MarkKind.DIVERGENCE else mark.until_us
    if ends is None:
        return {"name": printable(words_of_mark(mark)), "cat": mark.kind, "ts": mark.at_us, "ph": "i", "s": "p"}
    return _slice(words_of_mark(mark), mark.kind, mark.at_us, ends)


def _slice(name: str, kind: str, at_us: Micros, until_us: Micros) -> Event:
    return {"name": printable(name), "cat": kind, "ts": at_us, "ph": "X", "dur": until_us - at_us}
