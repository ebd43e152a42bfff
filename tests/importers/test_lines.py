"""Kinds of line: reads, writes, reconciles, processes, ends; what is unknown is counted and not fatal."""

from pathlib import Path

import pytest

from hpaaudit.importers.capture import Reader
from hpaaudit.model.facts import (
    ControllerSeen,
    Ended,
    Reconciled,
    ResourceMetricsRead,
    ScaleRead,
    ScaleWritten,
    StatusWritten,
    ValuesRead,
    VersionRead,
)
from hpaaudit.model.target import Scale
from tests.importers.lines import (
    CONTROLLER,
    HPA,
    PODS,
    SCALE,
    USAGE,
    at,
    described,
    get_line,
    hpa,
    line,
    pod,
    read,
    saw,
    scale,
    usage,
    write,
)

REFUSED = {"kind": "Status", "message": "the object has been modified"}


def test_the_line_of_a_reconcile_says_when_it_decided_and_when_it_began(tmp_path: Path) -> None:
    first, second = read(
        tmp_path, line(15, reconcile="shop/web"), line(30, reconcile="shop/web", began="2026-03-02T14:00:29.5Z")
    )
    assert first == Reconciled(at_us=at(15), namespace="shop", name="web", began_us=at(15))
    assert second == Reconciled(at_us=at(30), namespace="shop", name="web", began_us=at(29.5))


def test_a_process_has_a_release_flags_and_gates(tmp_path: Path) -> None:
    flags = {"horizontal-pod-autoscaler-tolerance": 0.2, "a": "b"}
    started, stopped, declared = read(
        tmp_path,
        line(0, controller="started", release="1.36", flags=flags, gates={"HPAScaleToZero": True}),
        line(1, controller="stopped"),
        line(2, controller="declared", version="v1.36.2"),
    )
    assert started == ControllerSeen(
        at_us=at(0), state="started", release="1.36", version="",
        flags=(("a", "b"), ("horizontal-pod-autoscaler-tolerance", "0.2")), gates=(("HPAScaleToZero", True),),
    )  # fmt: skip
    assert isinstance(stopped, ControllerSeen)
    assert isinstance(declared, ControllerSeen)
    assert (stopped.state, declared.state, declared.version) == ("stopped", "declared", "v1.36.2")


def test_the_end_is_the_line_that_says_so_or_the_last_one(tmp_path: Path) -> None:
    told_ = list(Reader((write(tmp_path, get_line(0, SCALE, scale(3)), line(60, end=True)),)).facts())
    assert told_[-1] == Ended(at_us=at(60))
    assert sum(isinstance(fact, Ended) for fact in told_) == 1
    silent = list(Reader((write(tmp_path, get_line(0, SCALE, scale(3)), get_line(9, "/nothing")),)).facts())
    assert silent[-1] == Ended(at_us=at(9))


def test_a_read_keeps_how_long_it_took_and_who_made_it(tmp_path: Path) -> None:
    (fact,) = read(tmp_path, get_line(5, SCALE, scale(3), ms=12.5, by=CONTROLLER))
    assert isinstance(fact, ScaleRead)
    assert (fact.at_us, fact.took_us, fact.by) == (at(5), 12_500, CONTROLLER)
    assert fact.scale == Scale(spec_replicas=3, status_replicas=3, selector="app=web")


def test_every_failed_read_is_a_fact(tmp_path: Path) -> None:
    facts = read(
        tmp_path,
        get_line(0, SCALE, None, 503, error="down"),
        get_line(1, USAGE, None, 0, error="dial tcp: timeout"),
        get_line(2, "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue", "boom", 500),
    )
    assert [getattr(fact, "status", None) for fact in facts] == [503, 0, 500]
    assert [type(fact) for fact in facts] == [ScaleRead, ResourceMetricsRead, ValuesRead]


def test_samples_are_read_with_their_own_time(tmp_path: Path) -> None:
    (fact,) = read(tmp_path, get_line(0, USAGE, usage(web_0=250)))
    assert isinstance(fact, ResourceMetricsRead)
    assert fact.samples is not None
    assert (fact.samples[0].pod, fact.samples[0].timestamp_us, fact.samples[0].window_us) == (
        "web-0",
        at(-10),
        30_000_000,
    )


def test_the_servers_version_is_read(tmp_path: Path) -> None:
    (fact,) = read(tmp_path, get_line(0, "/version", {"gitVersion": "v1.36.2"}, ms=3))
    assert isinstance(fact, VersionRead)
    assert (fact.version, fact.round_trip_us) == ("v1.36.2", 3000)


# --- writes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["put", "patch", "post"])
def test_a_write_of_a_scale_with_its_body_is_what_stands_then(tmp_path: Path, verb: str) -> None:
    fields = {
        verb: SCALE,
        "status": 200,
        "body": scale(5),
        "by": "alice",
        "agent": "kubectl",
        "manager": "kubectl-scale",
    }
    (fact,) = read(tmp_path, line(1, **fields))
    assert isinstance(fact, ScaleWritten)
    assert (fact.verb, fact.status, fact.sent, fact.error) == (verb, 200, 5, "")
    assert (fact.by, fact.agent, fact.manager) == ("alice", "kubectl", "kubectl-scale")
    assert fact.scale == Scale(spec_replicas=5, status_replicas=5, selector="app=web")


def test_without_its_body_a_write_is_evidence_of_who_wrote_and_of_nothing_else(tmp_path: Path) -> None:
    (fact,) = read(tmp_path, line(1, put=SCALE, status=200, request=scale(5), by="alice"))
    assert isinstance(fact, ScaleWritten)
    assert (fact.sent, fact.scale) == (5, None)
    (bare,) = read(tmp_path, line(1, put=SCALE, status=200))
    assert isinstance(bare, ScaleWritten)
    assert (bare.sent, bare.scale) == (None, None)


def test_a_failed_write_has_an_error_and_changes_nothing(tmp_path: Path) -> None:
    (fact,) = read(tmp_path, line(1, put=SCALE, status=409, body=REFUSED, request=scale(5), by=CONTROLLER))
    assert isinstance(fact, ScaleWritten)
    assert (fact.status, fact.error, fact.sent, fact.scale) == (409, "the object has been modified", 5, None)


def test_a_write_of_zero_replicas_is_zero(tmp_path: Path) -> None:
    (fact,) = read(tmp_path, line(1, put=SCALE, status=200, body={"spec": {}, "status": {}}))
    assert isinstance(fact, ScaleWritten)
    assert (fact.sent, fact.scale) == (0, Scale(spec_replicas=0, status_replicas=0, selector=""))


def test_a_write_of_an_object_changes_it_at_once(tmp_path: Path) -> None:
    assert described(read(tmp_path, line(1, put=HPA, status=200, body=hpa()))) == ["HpaSeen web"]
    assert described(read(tmp_path, line(1, put=HPA, status=422, body=REFUSED))) == []
    assert described(read(tmp_path, line(1, post=PODS, status=201, body=pod("a")))) == ["PodSeen a"]


def test_where_the_collection_is_watched_its_watch_decides(tmp_path: Path) -> None:
    watched = saw(0, PODS, "ADDED", pod("a"))
    assert described(read(tmp_path, watched, line(1, put=f"{PODS}/a", status=200, body=pod("a")))) == ["PodSeen a"]


def test_a_write_of_a_status_says_what_was_sent(tmp_path: Path) -> None:
    shown = hpa(status={"desiredReplicas": 4})
    written, status_fact = read(tmp_path, line(1, put=f"{HPA}/status", status=200, body=shown, by=CONTROLLER))
    assert isinstance(written, StatusWritten)
    assert (written.name, written.status_json, described([status_fact])) == (
        "web",
        '{"desiredReplicas":4}',
        ["HpaSeen web"],
    )
    (refused,) = read(tmp_path, line(1, put=f"{HPA}/status", status=409, body=REFUSED, request=shown))
    assert isinstance(refused, StatusWritten)
    assert (refused.status, refused.error, refused.status_json) == (
        409,
        "the object has been modified",
        '{"desiredReplicas":4}',
    )


def test_a_deletion_of_a_workload_takes_it_and_one_of_a_pod_waits_for_its_end(tmp_path: Path) -> None:
    target = SCALE.removesuffix("/scale")
    assert described(read(tmp_path, line(1, delete=target, status=200))) == ["TargetGone web"]
    assert described(read(tmp_path, line(1, delete=target, status=404))) == []
    assert described(read(tmp_path, get_line(0, f"{PODS}/a", pod("a")), line(1, delete=f"{PODS}/a", status=200))) == [
        "PodSeen a"
    ]


# --- what we do not know -----------------------------------------------------------------------------------


def test_unknown_kinds_and_paths_are_counted(tmp_path: Path) -> None:
    reader = Reader(
        (
            write(
                tmp_path,
                line(0, weather="sunny"),
                get_line(1, "/api/v1/namespaces/shop/secrets", {"items": []}),
                get_line(2, "/api/v1/nodes", {"items": []}),
                saw(3, "/api/v1/nodes", "ADDED", {"metadata": {"name": "n"}}),
                line(4, put="/api/v1/namespaces/shop/configmaps/c", status=200),
                line(5, delete="/api/v1/namespaces/shop/configmaps/c", status=200),
            ),
        )
    )
    assert [type(fact) for fact in reader.facts()] == [Ended]
    assert dict(reader.ignored) == {"unknown kind of line": 1, "secrets": 1, "nodes": 2, "c": 2}


def test_unknown_fields_are_ignored(tmp_path: Path) -> None:
    assert described(read(tmp_path, get_line(0, SCALE, scale(3), colour="blue"))) == ["ScaleRead web"]
