"""Whatever bytes a server sends: what is valid is recorded, the rest is a row that says so, and the recorder goes on.

`FUZZ_EXAMPLES=20000` tries so many of each kind; without it each takes a second.
"""

import asyncio
import itertools
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hpaaudit.api.decode import decode_hpa
from hpaaudit.api.selector import parse
from hpaaudit.api.workload import scale_paths
from hpaaudit.cluster.access.config import ClientConfig, ExecPlugin
from hpaaudit.cluster.access.exec_plugin import _read
from hpaaudit.cluster.access.kubeconfig import load_config
from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.clock import Clock
from hpaaudit.cluster.client.discovery import METRICS, Discovery
from hpaaudit.cluster.client.http_answer import Answer, WatchFailed
from hpaaudit.cluster.decoding import decoders
from hpaaudit.cluster.decoding.decoders import KindDecoder, page_of
from hpaaudit.cluster.observe.controller_manager import controller_seen
from hpaaudit.cluster.observe.poller import LastAnswer, _decoder
from hpaaudit.cluster.observe.server_version import ServerVersion
from hpaaudit.cluster.stores import scaled_objects
from hpaaudit.cluster.stores.api_services import api_services
from hpaaudit.cluster.stores.events import EventStore
from hpaaudit.cluster.stores.hpas import HpaStore
from hpaaudit.cluster.stores.leases import LeaseStore
from hpaaudit.cluster.stores.pods import PodStore
from hpaaudit.cluster.stores.surroundings import surroundings
from hpaaudit.cluster.stores.workloads import WorkloadStore
from hpaaudit.cluster.watch import backoff
from hpaaudit.cluster.watch.collection import Collection
from hpaaudit.cluster.watch.gaps import Gaps
from hpaaudit.cluster.watch.interruption import UnnamedObject
from hpaaudit.cluster.watch.pager import named
from hpaaudit.cluster.watch.reflector import Reflector
from hpaaudit.cluster.watch.store import Store
from hpaaudit.cluster.watch.unreadable_objects import UnreadableObjects
from hpaaudit.errors import AuditError, ClusterError
from hpaaudit.model.facts import Fact, Gap, HpaSeen, Refused, TargetRef
from hpaaudit.model.hpa import ObjectRef
from hpaaudit.model.units import Micros
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits
from hpaaudit.recording.writing.pending import PendingFacts
from tests.cluster import small
from tests.cluster.mutations import documents, torn
from tests.cluster.small import GOOD, PATHS, Small, answers, object_of

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "0"))
SLICE, SLICE_WHOLE = 120, 6
"""So many examples of a kind, and so many recordings, where nobody asks for more."""
SECRET = "hunter2"  # noqa: S105  # that of the small cluster: in what no decision needs
NOW = Micros(1_772_452_800_000_000)


def some(count: int) -> Callable[[Any], Any]:
    """So many examples, or as many as the environment says."""
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
    return settings(max_examples=EXAMPLES or count, deadline=None, suppress_health_check=checks, database=None)


def nothing(*_: Any) -> None:
    """Nobody listens."""


class Eyes:
    """A watch of one kind as the recorder has it, fed by hand; `facts` are what it told."""

    def __init__(self, kind: str) -> None:
        self.kind, self.facts, self.pending = kind, list[Fact](), PendingFacts(0)
        self.gaps = Gaps(self.sink)
        client = Client(ClientConfig(source="test", context="test", server="http://127.0.0.1:1"), Clock())
        store, decoder, unreadable = self.store()

        async def observe() -> Reflector:
            return Reflector(
                client, Collection(path=PATHS[kind], decoder=decoder), store, self.gaps, unreadable=unreadable
            )

        self.reflector = asyncio.run(observe())
        self.decoder = decoder

    def sink(self, fact: Fact) -> None:
        """What is told can be kept."""
        self.facts.append(fact)
        self.pending.add(fact)
        assert not self.pending.refused, self.pending.refused
        assert SECRET not in repr(fact)
        if isinstance(fact, HpaSeen):
            decode_hpa(fact)

    def store(self) -> tuple[Store, KindDecoder, UnreadableObjects]:
        """The store of this kind, its decoder, and its unreadable objects."""
        is_relevant: Callable[[Any], bool] = lambda _: True  # noqa: E731
        store: Any
        match self.kind:
            case "hpa":
                store, decoder = HpaStore(self.sink, nothing), decoders.HPAS
            case "pod":
                store, decoder = PodStore(self.sink), decoders.PODS
                store.select({("shop", parse("app=web"))})
                is_relevant = store.is_relevant
            case "deployment" | "custom":
                group_resource = ("apps", "deployments") if self.kind == "deployment" else ("example.com", "rockets")
                definition = answers()[small.CRD]
                paths = None if self.kind == "deployment" else scale_paths(definition, "v1")
                store, decoder = WorkloadStore(*group_resource, self.sink, nothing, paths=paths), decoders.WORKLOADS
                decoder = decoders.WORKLOADS if paths is None else decoders.CUSTOM
                group, resource = group_resource
                store.wanted = {
                    TargetRef(group=group, resource=resource, namespace="shop", name=name) for name in ("web", "bad")
                }
                is_relevant = store.is_relevant
            case "event":
                store, decoder = (
                    EventStore(self.sink, lambda namespace, name: (namespace, name) == ("shop", "web")),
                    decoders.EVENTS,
                )
                is_relevant = store.is_relevant
            case "lease":
                store, decoder = LeaseStore(self.sink, nothing), decoders.LEASES
            case "api_service":
                store, decoder = api_services(self.sink, tuple(METRICS)), decoders.API_SERVICES
            case "scaled_object":
                store, decoder = scaled_objects.scaled_objects(self.sink), decoders.SCALED_OBJECTS
            case _:
                kinds = {"quota": ("", "resourcequotas"), "node": ("", "nodes")}
                hooks = ("admissionregistration.k8s.io", "mutatingwebhookconfigurations")
                store, decoder = surroundings(kinds.get(self.kind, hooks), self.sink), decoders.SURROUNDINGS
        return store, decoder, UnreadableObjects(PATHS[self.kind], self.gaps, self.sink, nothing, is_relevant)

    def hear(self, line: bytes) -> bool:
        """A line of the watch; False where all must be listed anew."""
        try:
            self.reflector._take(*self.reflector._decode(line))
        except (UnnamedObject, WatchFailed):
            return False
        except ValueError as problem:
            assert "unknown type" in str(problem)  # noqa: PT017  # all is listed anew then
            return False
        return True

    def read(self, data: bytes) -> bool:
        """A page of a list; False where it is none."""
        page = page_of(self.decoder)(data)
        if not isinstance(page, dict):
            assert isinstance(page, str)
            return False
        for raw in named(page):
            self.reflector.intake.update(raw, NOW)
        return True


def event(kind: str, data: bytes) -> bytes:
    """A line of a watch."""
    return b'{"type":"' + kind.encode() + b'","object":' + data + b"}"


def page(*items: bytes) -> bytes:
    """A page of a list."""
    head = b'{"kind":"List","apiVersion":"autoscaling/v2","metadata":{"resourceVersion":"9"},"items":['
    return head + b",".join(items) + b"]}"


counter = itertools.count(10)


def sound(kind: str) -> bytes:
    """A sound object that nobody saw before, in a state that is new."""
    number = next(counter)
    raw = object_of(kind, GOOD[kind][0])
    raw["metadata"] |= {"resourceVersion": str(number), "uid": f"uid-{number}"}
    if kind == "lease":
        raw["spec"]["leaseTransitions"] = number
    if kind == "api_service":
        raw["status"]["conditions"][0]["message"] = str(number)
    return json.dumps(raw).encode()


@pytest.mark.parametrize("kind", PATHS)
def test_an_object_of_any_bytes_is_recorded_or_refused_and_the_next_one_is_seen(kind: str) -> None:
    observed = Eyes(kind)

    @some(SLICE)
    @given(
        documents(object_of(kind, "bad")),
        documents(object_of(kind, "bad"), whole=True),
        st.sampled_from(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "", "ERROR"]),
    )
    def law(data: bytes, listed: bytes, type_: str) -> None:
        observed.hear(event(type_, data))
        observed.facts.clear()
        assert observed.read(page(sound(kind), listed))
        assert count(observed.facts) >= 1
        observed.facts.clear()
        assert observed.hear(event("MODIFIED", sound(kind)))
        assert count(observed.facts) >= 1

    law()


def count(facts: list[Fact]) -> int:
    """How many facts tell of an object."""
    return sum(not isinstance(fact, Refused | Gap) for fact in facts)


@pytest.mark.parametrize("kind", PATHS)
def test_a_page_or_a_line_of_any_bytes_ends_nothing(kind: str) -> None:
    observed = Eyes(kind)
    whole = page(json.dumps(object_of(kind, "web")).encode(), json.dumps(object_of(kind, "bad")).encode())

    @some(SLICE // 2)
    @given(documents(json.loads(whole)) | torn(whole), st.data())
    def law(data: bytes, more: st.DataObject) -> None:
        observed.read(data)
        observed.hear(more.draw(torn(event("ADDED", json.dumps(object_of(kind, "bad")).encode()))))
        observed.facts.clear()
        assert observed.hear(event("MODIFIED", sound(kind)))
        assert count(observed.facts) >= 1

    law()


POLLED = {
    "usage": small.METRICS,
    "values": small.CUSTOM,
    "series": small.EXTERNAL,
    "scale": small.SCALE,
}


@pytest.mark.parametrize("name", POLLED)
def test_an_answer_of_any_bytes_is_a_read_that_can_be_kept(name: str) -> None:
    """Well or failed; and a good one after it is read well."""
    path = POLLED[name]
    good = json.dumps(answers()[path]).encode()
    pending = PendingFacts(0)

    @some(SLICE * 3)
    @given(documents(answers()[path]))
    def law(data: bytes) -> None:
        last = LastAnswer(_decoder(path))
        for body, well in ((data, None), (good, True)):
            answer = Answer(path=path, status=200, body=last.decode(body), error="", sent_us=NOW, at_us=NOW)
            fact = last.fact_of(answer)
            pending.add(fact)
            assert not pending.refused, pending.refused
            assert not well or not fact.error
            assert len(fact.error) <= 32 << 10

    law()


class Scripted(Client):
    """A client whose server is a table of bytes."""

    def __init__(self, bodies: dict[str, bytes]) -> None:
        super().__init__(ClientConfig(source="test", context="test", server="http://127.0.0.1:1"), Clock())
        self.bodies = bodies

    async def get(self, path: str, *, decode: Callable[[bytes], Any] = decoders.decoded, **_: Any) -> Answer:
        """A 200, else a 404."""
        data = self.bodies.get(path.partition("?")[0])
        body = None if data is None else decode(data)
        return Answer(path=path, status=404 if data is None else 200, body=body, error="", sent_us=NOW, at_us=NOW)


ASKED = [path for path in answers() if path not in POLLED.values()]


@pytest.mark.parametrize("path", ASKED)
def test_what_a_server_says_of_itself_in_any_bytes_ends_nothing(path: str) -> None:
    sure = {one: json.dumps(body).encode() for one, body in answers().items()}

    @some(SLICE)
    @given(documents(answers()[path]))
    def law(data: bytes) -> None:
        pending = PendingFacts(0)

        async def ask() -> None:
            client = Scripted({**sure, path: data})
            discovery = Discovery(client)
            await discovery.refresh()
            with suppress(ClusterError):
                assert isinstance(await discovery.autoscaling(), str)
            await discovery.serves("/api/v1", "nodes")
            await discovery.serves("/apis/admissionregistration.k8s.io/v1", "nodes")
            rocket = ObjectRef(kind="Rocket", name="web", api_version="example.com/v1")
            await discovery.resolve("shop", rocket)
            for holder in ("", "one_1"):
                if (controller := await controller_seen(client, holder)) is not None:
                    pending.add(controller)
            await ServerVersion(client, pending.add).read()

        asyncio.run(ask())
        assert not pending.refused, pending.refused

    law()


CONFIG: dict[str, Any] = {
    "current-context": "here",
    "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u", "namespace": "shop"}}],
    "clusters": [
        {
            "name": "c",
            "cluster": {
                "server": "https://127.0.0.1:6443",
                "proxy-url": "http://127.0.0.1:3128",
                "tls-server-name": "kubernetes",
                "insecure-skip-tls-verify": False,
                "extensions": [{"name": "client.authentication.k8s.io/exec", "extension": {"a": 1}}],
            },
        }
    ],
    "users": [
        {
            "name": "u",
            "user": {
                "as": "me",
                "as-groups": ["a"],
                "as-user-extra": {"k": ["v"]},
                "exec": {
                    "command": "no-such-plugin",
                    "apiVersion": "client.authentication.k8s.io/v1",
                    "args": ["get"],
                    "env": [{"name": "A", "value": "B"}],
                    "interactiveMode": "Never",
                    "provideClusterInfo": True,
                },
            },
        },
    ],
}
PLUGGED = {
    "apiVersion": "client.authentication.k8s.io/v1",
    "kind": "ExecCredential",
    "status": {"token": "t", "expirationTimestamp": "2026-03-02T12:00:00Z"},
}


def test_a_kubeconfig_of_any_bytes_is_a_way_in_or_one_line(tmp_path: Path) -> None:
    with_token: Any = json.loads(json.dumps(CONFIG))
    with_token["users"][0]["user"] |= {"token": "t", "exec": None}
    path = tmp_path / "kubeconfig"

    async def show(access: ClientConfig) -> None:
        async with Client(access, Clock()) as client:
            await client.get("/version", seconds=0.001)

    @some(SLICE)
    @given(documents(CONFIG) | documents(with_token))
    def law(data: bytes) -> None:
        path.write_bytes(data)
        with suppress(AuditError):
            asyncio.run(show(load_config(path, None)))

    law()


def test_what_a_plugin_prints_in_any_bytes_is_a_credential_or_one_line() -> None:
    made_by = ExecPlugin(owner="user u", version="client.authentication.k8s.io/v1", command="plugin")

    @some(SLICE)
    @given(documents(PLUGGED) | st.binary())
    def law(data: bytes) -> None:
        with suppress(AuditError):
            credentials = _read(made_by, data, "the plugin")
            assert isinstance(credentials.token, str)

    law()


def test_a_recording_of_objects_of_any_bytes_is_sound_and_has_every_good_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server, a recorder and a disk: nothing of what is sound is lost, and nothing is called damaged."""
    monkeypatch.setattr(backoff, "FIRST_DELAY", 0.05)
    monkeypatch.setattr(backoff, "LONGEST_DELAY", 0.1)
    folders = (tmp_path / str(number) for number in itertools.count())
    kinds = [kind for kind in PATHS if kind != "lease"]

    @some(SLICE_WHOLE)
    @given(
        # A list that is no JSON says nothing of anybody; a line of a watch that is none is one line.
        st.fixed_dictionaries(
            {kind: st.lists(documents(object_of(kind, "bad"), whole=True), max_size=2) for kind in kinds}
        ),
        st.fixed_dictionaries({kind: st.lists(documents(object_of(kind, "bad")), max_size=2) for kind in kinds}),
        st.booleans(),
    )
    def law(more: dict[str, list[bytes]], events: dict[str, list[bytes]], streamed: bool) -> None:
        lines = {kind: [event("MODIFIED", item) for item in items] for kind, items in events.items()}
        cluster = Small(more=dict(more), events=lines, streamed=streamed)

        def enough(facts: list[Fact]) -> bool:
            return {"web", "rocket"} <= {fact.name for fact in facts if isinstance(fact, HpaSeen)}

        outcome = small.record(cluster, next(folders), enough, 10)
        assert outcome.ended is None
        assert outcome.verification.damages == ()
        assert enough(outcome.facts)

    law()


def test_what_breaks_an_invariant_is_a_row_in_its_place_and_the_log_is_sound(tmp_path: Path) -> None:
    """The last line: whatever comes in, sealing does not fail, and what was logged is read after a crash."""
    facts = [fact for observed in map(Eyes, PATHS) for fact in facts_without_gaps(observed)]
    folders = (tmp_path / str(number) for number in itertools.count())
    odd = [True, 2**63, -(2**70), 1.5, None, "\ud800", "x" * (5 << 20), b"x", [], {"a": 1}, "[" * 100 + "]" * 100]

    @some(SLICE_WHOLE * 4)
    @given(st.lists(st.tuples(st.sampled_from(facts), st.integers(0, 20), st.sampled_from(odd)), max_size=12))
    def law(drawn: list[tuple[Fact, int, Any]]) -> None:
        into = next(folders)
        writer = RecorderWriter(into, cluster="here", now_us=NOW, note=nothing, limits=Limits(ballast_bytes=0))
        for fact, position, value in drawn:
            names = [name for name in fact.__slots__ if name != "at_us"]
            fields = {name: getattr(fact, name) for name in fact.__slots__}
            writer.add(type(fact)(**fields | {names[position % len(names)]: value}))
            writer.add(fact)
        writer.flush(NOW)
        assert len(list(open_recording(into).facts())) == 2 * len(drawn)
        writer.close()
        recorded = list(open_recording(into).facts())
        assert verify(into, reread=True).damages == ()
        assert recorded[1::2] == [fact for fact, _, _ in drawn]

    law()


def facts_without_gaps(observed: Eyes) -> list[Fact]:
    """What was told of a sound object."""
    assert observed.hear(event("ADDED", json.dumps(object_of(observed.kind, GOOD[observed.kind][0])).encode()))
    return observed.facts
