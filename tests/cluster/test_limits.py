"""Answers beyond the limits: too long, too deep, not even text; and texts that would control a terminal."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from hpaaudit.api import to_facts
from hpaaudit.cluster.client import body
from hpaaudit.cluster.client import client as clients
from hpaaudit.cluster.client.http_answer import Answer
from hpaaudit.cluster.decoding import decoders as shapes
from hpaaudit.cluster.decoding.decoders import ANY, HPAS, PODS, USAGE, decoded, event_of
from hpaaudit.cluster.observe.poller import LastAnswer
from hpaaudit.model.facts import ResourceMetricsRead, ValuesRead
from hpaaudit.model.units import Micros
from tests.cluster.unruly import Unruly
from tests.cluster.visitor import Scene

PATH = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods"
QUEUE = "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue"
DEEP = b"[" * 100_000 + b"]" * 100_000
SAMPLE = {"metadata": {"name": "web-0"}, "timestamp": "2026-03-02T12:00:00Z", "window": "15s",
          "containers": [{"name": "app", "usage": {"cpu": "5n"}}]}  # fmt: skip


def answer(body: Any, path: str = PATH) -> Answer:
    """A 200 with this body."""
    return Answer(path=path, status=200, body=body, error="", sent_us=Micros(1), at_us=Micros(2))


@pytest.mark.parametrize("data", [DEEP, b'"\xff"', b'{"items":' + DEEP + b"}", b"no JSON", b'{"items":[1]}'])
def test_what_cannot_be_read_is_a_failed_read_and_no_end(data: bytes) -> None:
    last = LastAnswer(USAGE)
    read = last.fact_of(answer(last.decode(data)))
    assert isinstance(read, ResourceMetricsRead)
    assert read.samples is None
    assert read.error
    good = last.fact_of(answer(last.decode(json.dumps({"items": [SAMPLE]}).encode())))
    assert isinstance(good, ResourceMetricsRead)
    assert len(good.samples or ()) == 1


def test_the_same_bytes_share_what_was_made_of_them_even_after_a_failure() -> None:
    item = {"metricName": "queue", "timestamp": None, "value": "5"}
    last, data = LastAnswer(ANY), json.dumps({"items": [item]}).encode()
    first = last.fact_of(answer(last.decode(data), QUEUE))
    failed = last.fact_of(Answer(path=QUEUE, status=503, body={}, error="", sent_us=Micros(3), at_us=Micros(4)))
    again = last.fact_of(answer(last.decode(data), QUEUE))
    assert isinstance(first, ValuesRead)
    assert isinstance(again, ValuesRead)
    assert failed.status == 503
    assert again.values is first.values
    other = last.fact_of(answer(last.decode(data.replace(b'"5"', b'"6"')), QUEUE))
    assert isinstance(other, ValuesRead)
    assert [value.value for value in other.values or ()] == [6000]


@pytest.mark.parametrize("seconds", [10**15, -(10**15)])
def test_a_window_that_fits_into_no_column_is_a_failed_read(seconds: int) -> None:
    item = {"metricName": "queue", "timestamp": None, "window": seconds, "value": "1"}
    read = LastAnswer(ANY).fact_of(answer({"items": [item]}, QUEUE))
    assert isinstance(read, ValuesRead)
    assert read.values is None
    assert "longer than any" in read.error


def asked(size: int, pki: Path, folder: Path, patch: pytest.MonkeyPatch) -> Answer:
    """The answer to a question that is answered with so many bytes, of which one megabyte may be."""

    async def reply(_: web.Request) -> web.StreamResponse:
        return web.Response(text=f'"{"x" * size}"', content_type="application/json")

    async def ask() -> Answer:
        async with Unruly(pki, reply) as server:
            return await Scene(server, folder, patch).ask({})

    patch.setattr(clients, "MAX_ANSWER_BYTES", 1 << 20)
    return asyncio.run(ask())


def test_an_answer_without_end_is_cut_off(pki: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = asked(2 << 20, pki, tmp_path, monkeypatch)
    size = (2 << 20) + 2
    assert (long.status, long.error) == (0, f"the answer is longer than 1 MB, its header says {size} bytes")
    assert long.too_long
    assert asked(1 << 19, pki, tmp_path, monkeypatch).status == 200


def test_a_line_without_end_breaks_its_watch(pki: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def reply(_: web.Request) -> web.StreamResponse:
        return web.Response(text="x" * (2 << 20))

    async def follow() -> None:
        async with Unruly(pki, reply) as server, Scene(server, tmp_path, monkeypatch).client({}) as client:
            _ = [line async for line in client.lines("/things?watch=1")]

    monkeypatch.setattr(body, "MAX_LINE_BYTES", 1 << 20)
    with pytest.raises(shapes.TooLong, match="longer than 1 MB"):
        asyncio.run(follow())


def test_of_a_pod_nothing_is_decoded_but_what_is_kept() -> None:
    env = [{"name": "PASSWORD", "value": "hunter2"}]
    pod = {"metadata": {"name": "web-0", "annotations": {"note": "secret"}, "labels": {"app": "web"}},
           "spec": {"containers": [{"name": "app", "env": env, "args": ["--key=1"]}]}}  # fmt: skip
    raw = decoded(json.dumps({"items": [pod], "metadata": {"resourceVersion": "5"}}).encode(), PODS.page)
    assert raw == {
        "items": [{"metadata": {"name": "web-0", "labels": {"app": "web"}}, "spec": {"containers": [{"name": "app"}]}}],
        "metadata": {"resourceVersion": "5"},
    }
    assert to_facts.pod_seen(Micros(0), raw["items"][0]) == to_facts.pod_seen(Micros(0), pod)


def test_of_an_hpa_its_labels_and_no_foreign_annotation_are_kept() -> None:
    annotation = "autoscaling.alpha.kubernetes.io/conditions"
    meta = {
        "name": "web",
        "labels": {"team": "shop"},
        "annotations": {annotation: "[]", "kubectl.kubernetes.io/x": "secret"},
    }
    kind, raw = event_of(json.dumps({"type": "ADDED", "object": {"metadata": meta, "spec": {}}}).encode(), HPAS)
    fact = to_facts.hpa_seen(Micros(0), raw)
    assert kind == "ADDED"
    assert fact.annotations_json == f'{{"{annotation}":"[]"}}'
    assert fact.labels_json == '{"team":"shop"}'
    assert "secret" not in repr(fact)


def test_the_error_of_a_watch_is_decoded_whole() -> None:
    status = {"kind": "Status", "code": 410, "message": "too old"}
    assert event_of(json.dumps({"type": "ERROR", "object": status}).encode(), PODS) == ("ERROR", status)
