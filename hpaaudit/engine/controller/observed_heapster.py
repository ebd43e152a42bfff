"""Finds what Heapster would have answered the controller, among the answers that somebody else got."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

from hpaaudit.api import times
from hpaaudit.api.requests import canonical_selector, heapster_path, split
from hpaaudit.model.facts import HeapsterRead
from hpaaudit.model.units import SECOND, Micros

RESOURCES = ""
"""In place of a metric's name: the question for the resource usage of pods."""

ASKED_BACK_US = Micros(300 * SECOND)
"""The controller asks for the points of the last five minutes. Upstream: `heapsterQueryStart`."""

_METRICS_API = "/apis/metrics/"
_MODEL = "/api/v1/model/"
_POD_LIST = "/pod-list/"
_OK = range(200, 300)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a controller asks Heapster.

    metric     `cpu-usage`, `custom/NAME` or a plain name; RESOURCES for the usage of all pods of a selector
    pods       the names of the pods that it asks about, or that the selector selects
    selector   canonical
    """

    metric: str
    pods: Sequence[str]
    selector: str


def question_of(read: HeapsterRead) -> tuple[str, str, tuple[str, ...]]:
    """What somebody asked: the metric, the selector, and the pods that were named."""
    asked = heapster_path(read.path) or ""
    if asked.startswith(_METRICS_API):
        return RESOURCES, canonical_selector(split(asked)[1].get("labelSelector", "")), ()
    path, _, _ = asked.partition("?")
    named, _, metric = path.partition(_POD_LIST)[2].partition("/metrics/")
    return unquote(metric) if path.startswith(_MODEL) else asked, "", tuple(unquote(named).split(","))


def observed(answers: Iterable[HeapsterRead], question: Question, now_us: Micros) -> HeapsterRead | None:
    """The answer to a question, from those that others got, the newest first; None without one that serves it."""
    if question.metric == RESOURCES:
        return _resources(answers, question)
    best, most = None, 0
    for answer in answers:
        metric, _, named = question_of(answer)
        covered = len(set(question.pods).intersection(named)) if metric == question.metric else 0
        if covered > most:
            best, most = answer, covered
    return None if best is None else _in_order(best, question, now_us - ASKED_BACK_US)


def _resources(answers: Iterable[HeapsterRead], question: Question) -> HeapsterRead | None:
    """The usage of the pods: asked with the same selector, or of the whole namespace."""
    for answer in answers:
        metric, selector, _ = question_of(answer)
        if metric == RESOURCES and selector == question.selector:
            return answer
        if metric == RESOURCES and not selector:
            return _selected(answer, question.pods)
    return None


def _selected(answer: HeapsterRead, pods: Sequence[str]) -> HeapsterRead:
    """An answer for a whole namespace without the pods that the controller did not ask for."""
    decoded = _decoded(answer)
    items = decoded.get("items") if isinstance(decoded, Mapping) else decoded
    if not isinstance(items, list):
        return answer
    own = [item for item in items if (item.get("metadata") or {}).get("name") in pods]
    body = json.dumps({**decoded, "items": own} if isinstance(decoded, Mapping) else own)
    return replace(answer, body=body)


def _in_order(answer: HeapsterRead, question: Question, since_us: int) -> HeapsterRead:
    """The series in the order of the controller's pods, without points older than it asks for."""
    decoded = _decoded(answer)
    items = decoded.get("items") if isinstance(decoded, Mapping) else None
    if not isinstance(items, list):
        return answer
    by_pod = dict(zip(question_of(answer)[2], items, strict=False))
    own = [{**by_pod.get(pod, {}), "metrics": _recent(by_pod.get(pod, {}), since_us)} for pod in question.pods]
    return replace(answer, body=json.dumps({"items": own}))


def _recent(item: Mapping[str, Any], since_us: int) -> list[Any]:
    return [point for point in item.get("metrics") or () if times.micros(point["timestamp"]) >= since_us]


def _decoded(answer: HeapsterRead) -> Any:
    """The JSON of an answer; None of one that failed or is none, which stays as it is."""
    if answer.status not in _OK:
        return None
    try:
        return json.loads(answer.body)
    except ValueError:
        return None
