"""The audit's single judgements: who wrote, what a gap hides, which write failed, who is paired with whom."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.engine.replay.cluster_state import is_controller
from hpaaudit.model.audit import Assumption, ReconcileTime
from hpaaudit.model.facts import EventSeen, Fact, Gap, HpaSeen, ScaleWritten, StatusWritten, TargetSeen
from hpaaudit.model.target import Scale
from hpaaudit.model.units import Micros
from hpaaudit.results import sql
from hpaaudit.results.read import Results
from tests.results import story
from tests.results.things import WEB, at, event_seen

HPA_ACCOUNT = "system:serviceaccount:kube-system:horizontal-pod-autoscaler"


@pytest.fixture(scope="module")
def knows_writers() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with the macro `writer_class`."""
    with duckdb.connect() as connection:
        connection.execute(sql.folder("macros")["writer_class"])
        yield connection


@pytest.mark.parametrize(
    ("username", "agent", "manager", "operation", "subresource", "who"),
    [
        ("", "", "kube-controller-manager", "Update", "scale", "hpa"),
        (HPA_ACCOUNT, "kube-controller-manager/v1.31", "", "", "", "hpa"),
        ("system:kube-controller-manager", "", "", "", "scale", "hpa"),
        ("", "", "kube-controller-manager", "Update", "", "unknown"),
        ("", "", "keda", "Update", "", "keda"),
        ("system:serviceaccount:keda:keda-operator", "", "", "", "scale", "keda"),
        ("", "", "argocd-controller", "Apply", "", "gitops"),
        ("", "", "helm-controller", "Apply", "", "gitops"),
        ("", "", "helm", "Update", "", "deploy_tool"),
        ("", "", "Terraform", "Apply", "", "deploy_tool"),
        ("", "", "kubectl-client-side-apply", "Update", "", "deploy_tool"),
        ("", "", "kubectl", "Apply", "", "deploy_tool"),
        ("deploy-bot", "", "", "", "scale", "deploy_tool"),
        ("", "", "kubectl", "Update", "scale", "kubectl"),
        ("", "", "kubectl-edit", "Update", "", "kubectl"),
        ("alice", "kubectl/v1.31.0 (linux/amd64)", "", "", "scale", "kubectl"),
        ("alice", "", "", "", "scale", "person"),
        ("", "", "rollouts-controller", "Update", "", "operator"),
        ("", "", "kube-downscaler", "Update", "", "operator"),
        ("system:serviceaccount:db:scaler", "", "", "", "scale", "operator"),
        ("system:serviceaccount:shop:horizontal-pod-autoscaler", "", "", "", "scale", "operator"),
        ("", "", "", "", "", "unknown"),
        ("system:admin", "", "", "", "", "unknown"),
    ],
)
def test_a_writer_is_known_by_what_it_left_behind(
    username: str,
    agent: str,
    manager: str,
    operation: str,
    subresource: str,
    who: str,
    knows_writers: duckdb.DuckDBPyConnection,
) -> None:
    values = [username, agent, manager, operation, subresource]
    assert knows_writers.execute("select writer_class(?, ?, ?, ?, ?)", values).fetchone() == (who,)


_OWN = ("system", "serviceaccount", "kube-system", "horizontal-pod-autoscaler", "kube-controller-manager")
_WORDS = st.sampled_from((*_OWN, "shop", "alice", ""))


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(st.lists(_WORDS, min_size=1, max_size=5).map(":".join) | st.sampled_from([HPA_ACCOUNT, "alice"]))
def test_engine_and_audit_know_the_same_controller(knows_writers: duckdb.DuckDBPyConnection, username: str) -> None:
    rows = knows_writers.execute("select writer_class(?, '', '', '', 'scale')", [username]).fetchone()
    assert is_controller(username) == (rows == ("hpa",))


@pytest.mark.parametrize(
    ("kind", "api_version", "group", "resource", "same"),
    [
        ("Deployment", "apps/v1", "apps", "deployments", True),
        ("Deployment", "extensions/v1beta1", "apps", "deployments", True),
        ("ReplicationController", "v1", "", "replicationcontrollers", True),
        ("Proxy", "example.com/v1", "example.com", "proxies", True),
        ("Ingress", "networking.k8s.io/v1", "networking.k8s.io", "ingresses", True),
        ("Deployment", "apps/v1", "apps", "statefulsets", False),
        ("Cache", "a.example/v1", "b.example", "caches", False),
    ],
)
def test_a_reference_means_a_target(kind: str, api_version: str, group: str, resource: str, same: bool) -> None:
    with duckdb.connect() as connection:
        connection.execute(sql.folder("macros")["scales"])
        assert connection.execute("select scales(?, ?, ?, ?)", [kind, api_version, group, resource]).fetchone() == (
            same,
        )


@pytest.mark.parametrize(
    ("prefix", "stream", "hides_shop"),
    [
        ("*", "everything", True),
        ("/apis/autoscaling/v2/horizontalpodautoscalers", "hpas", True),
        ("/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers", "hpas", True),
        ("/apis/autoscaling/v2/namespaces/db/horizontalpodautoscalers", "hpas", False),
        ("/apis/autoscaling/v2/namespaces/shop2/horizontalpodautoscalers", "hpas", False),
        ("/apis/metrics.k8s.io/v1beta1/pods", "metrics", True),
        ("/api/v1/pods", "pods", True),
        ("/api/v1/namespaces/shop/events", "events", True),
        ("/apis/apps/v1/deployments", "targets", True),
        ("/apis/apps/v1/deployments#writers", "writers", True),
        ("/apis/apps/v1/namespaces/shop/deployments#writers", "writers", True),
        ("/apis/apps/v1/namespaces/db/deployments#writers", "writers", False),
        ("/apis/apiregistration.k8s.io/v1/apiservices", "api_services", True),
        ("/apis/keda.sh/v1alpha1/namespaces/shop/scaledobjects", "scaled_objects", True),
        ("/apis/autoscaling.k8s.io/v1/namespaces/shop/verticalpodautoscalers", "surroundings", True),
        ("/api/v1/namespaces/shop/resourcequotas", "surroundings", True),
        ("/api/v1/nodes", "surroundings", True),
        ("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", "surroundings", True),
        ("/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods", "metrics", True),
        ("/apis/external.metrics.k8s.io/v1beta1/namespaces/shop", "metrics", True),
        ("/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue%7Cnew?labelSelector=a%3Db", "metrics", True),
        ("/apis/external.metrics.k8s.io/v1beta1/namespaces/db/queue%7Cnew", "metrics", False),
        ("/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/other?labelSelector=queue%7Cnew", "metrics", False),
        ("/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/*/rate?labelSelector=a%2Fb", "metrics", True),
        ("/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/*/rates", "metrics", False),
    ],
)
def test_a_gap_hides_what_its_prefix_says(prefix: str, stream: str, hides_shop: bool) -> None:
    metrics = [{"type": "External", "external": {"metric": {"name": "queue|new"}}}, {"type": "Resource"},
               {"type": "Pods", "pods": {"metricName": "rate"}}]  # fmt: skip
    with duckdb.connect() as connection:
        for name in ("gap_stream", "gap_hides", "metric_names"):
            connection.execute(sql.folder("macros")[name])
        rows = connection.execute(
            "select gap_stream($p), gap_hides($p, 'shop', metric_names($m::json))",
            {"p": prefix, "m": json.dumps(metrics)},
        ).fetchone()
        assert rows == (stream, hides_shop)


@pytest.mark.parametrize(
    ("prefix", "concerns"),
    [
        ("*", True),
        ("/api/v1/pods", True),
        ("/apis/autoscaling/v2/horizontalpodautoscalers", True),
        ("/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers", True),
        ("/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/", True),
        ("/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers?labelSelector=a", True),
        ("/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/check%20out", True),
        ("/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web", False),
        ("/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/other", False),
        ("/api/v1/namespaces/shop/pods/anybody", True),
        ("/apis/apps/v1/namespaces/shop/deployments/web", True),
        ("/apis/apps/v1/namespaces/shop/deployments/web/scale", True),
        ("/apis/apps/v1/namespaces/shop/deployments/other#writers", False),
        ("/apis/apps/v1/namespaces/shop/deployments/other/scale", False),
        ("/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue", True),
        ("/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods", True),
    ],
)
def test_the_gap_of_one_object_concerns_the_hpas_that_it_can_be_of(prefix: str, concerns: bool) -> None:
    with duckdb.connect() as connection:
        connection.execute(sql.folder("macros")["gap_of_object"])
        rows = connection.execute("select gap_of_object(?, 'check out', 'web')", [prefix]).fetchone()
    assert rows == (concerns,)


def test_a_gap_of_a_metric_hides_it_from_an_hpa_whose_metrics_an_annotation_keeps() -> None:
    with duckdb.connect() as connection:
        for name in ("gap_hides", "metric_names"):
            connection.execute(sql.folder("macros")[name])
        path = "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue"
        connection.execute("create table specs (metrics json); insert into specs values (null)")
        rows = connection.execute("select gap_hides(?, 'shop', metric_names(metrics)) from specs", [path]).fetchone()
        assert rows == (True,)


@pytest.mark.parametrize(
    ("gaps", "cause"),
    [(("b", "a"), "no answer for metric a"), ((), "no answer for metric a"), (("restart", "expired"), "expired")],
)
def test_of_causes_at_one_instant_the_first_by_name_is_told(gaps: tuple[str, ...], cause: str) -> None:
    """Not the one that a thread happens to read first. What was never recorded comes before any gap."""
    answers = set()
    for one_way in (1, -1):
        with duckdb.connect() as connection:
            ask = connection.execute
            ask("create schema runs")
            for folder, names in {
                "macros": ("gap_hides", "gap_of_object", "gap_stream", "metric_names"),
                "schema": ("coverage_gaps", "hpa_specs"),
                "staging": ("reconciles_in_gaps", "spans", "unrecorded"),
            }.items():
                for name in names:
                    ask(sql.folder(folder)[name])
            ask("create table sync as select interval 15 seconds as sync")
            ask("create table replayed_hpas as select 1 as hpa, 'u' as hpa_uid, 'shop' as namespace, 'web' as name")
            ask(
                "insert into spans by name select 7 as reconcile_id, 1 as hpa, '2026-03-02'::timestamp as began_at, "
                "'2026-03-03'::timestamp as until"
            )
            for each in gaps[::one_way]:
                ask(
                    "insert into runs.coverage_gaps by name select 'everything' as stream, '*' as prefix, "
                    "'2026-03-02'::timestamp as gap_from, '2026-03-03'::timestamp as gap_to, ? as cause",
                    [each],
                )
            if cause not in gaps:
                for metric in ("b", "a")[::one_way]:
                    ask(
                        "insert into unrecorded by name select 1 as hpa, ? as cause", [f"no answer for metric {metric}"]
                    )
            ask(sql.folder("audit")["22_reconciles_in_gaps"], {"first": 1, "last": 1})
            answers.add(ask("select cause from reconciles_in_gaps").fetchone())
    assert answers == {(cause,)}


def audited(folder: Path, facts: Iterator[Fact] | list[Fact]) -> Results:
    """The story's replay over other facts."""
    return story.replayed(folder / "x.duckdb", facts, story.reconciles())


def write_of_the_scale(seconds: float, sent: int, *, status: int = 200, by: str = HPA_ACCOUNT) -> ScaleWritten:
    """A write as a capture or an audit log tells it."""
    return ScaleWritten(
        at_us=at(seconds),
        took_us=Micros(0),
        target=WEB,
        path="/apis/apps/v1/namespaces/shop/deployments/web/scale",
        verb="put",
        status=status,
        error="" if status == 200 else "refused",
        by=by,
        agent="",
        manager="",
        sent=sent,
        scale=Scale(spec_replicas=sent, status_replicas=sent, selector="app=web") if status == 200 else None,
        resource_version="",
    )


def test_without_any_trace_a_change_is_of_the_hpa_that_decided_just_it_else_of_nobody_known(tmp_path: Path) -> None:
    bare = [
        replace(fact, manager="", operation="", subresource="", written_us=None)
        if isinstance(fact, TargetSeen)
        else fact
        for fact in story.facts()
        if not (hasattr(fact, "reason") and fact.reason == "SuccessfulRescale")
    ]
    with audited(tmp_path, bare) as results:
        changes = results.rows(
            """
            select from_replicas, to_replicas, writer_class, evidence_level
            from scale_events
            where source = 'actual'
            order by at_hi
            """
        )
        foreign = {"from_replicas": 8, "to_replicas": 3, "writer_class": "unknown", "evidence_level": "none"}
        assert [row for row in changes if row["writer_class"] == "unknown"] == [foreign]
        rest = [row for row in changes if row != foreign]
        assert len(rest) == 4
        assert {(row["writer_class"], row["evidence_level"]) for row in rest} == {("hpa", "decision")}
        assert results.rows("select class from reconciles where reconcile_id = 4") == [
            {"class": "external_write.unknown"}
        ]
        assert results.rows("select confidence from divergences where reconcile_id = 4") == [{"confidence": "possible"}]


def test_an_event_tells_of_a_write_whose_status_was_refused(tmp_path: Path) -> None:
    """The status of 30 s never came. That of before says 4; the Event and the target say 8, as the replay does."""
    facts = [fact for fact in story.facts() if not (isinstance(fact, HpaSeen) and at(30) < fact.at_us < at(31))]
    told = "select verdict, decided from reconciles where reconcile_id = 3"
    with audited(tmp_path, facts) as results:
        assert results.rows(told) == [{"verdict": "match", "decided": None}]
    silent = [fact for fact in facts if not (isinstance(fact, EventSeen) and at(30) <= fact.at_us < at(31))]
    (tmp_path / "silent").mkdir()
    with audited(tmp_path / "silent", silent) as results:
        assert results.rows(told) != [{"verdict": "match", "decided": None}]


def test_a_write_that_was_seen_is_exact_in_time_and_beats_managed_fields(tmp_path: Path) -> None:
    facts = list(story.facts())
    index = next(i for i, fact in enumerate(facts) if isinstance(fact, TargetSeen) and fact.manager == "helm")
    facts.insert(index, write_of_the_scale(51.9, 3, by="alice"))
    with audited(tmp_path, facts) as results:
        rows = results.rows(
            "select at_lo = at_hi as exact, writer_class, writer_name from scale_events where to_replicas = 3"
        )
        assert rows == [{"exact": True, "writer_class": "person", "writer_name": "alice"}]
        assert results.rows("select class from reconciles where reconcile_id = 4") == [
            {"class": "external_write.manual"}
        ]


@pytest.mark.parametrize(
    ("status", "named"), [(409, "conflict"), (403, "denied"), (500, "api_error"), (0, "api_error")]
)
def test_a_refused_write_is_told_by_its_answer_where_no_event_was_seen(tmp_path: Path, status: int, named: str) -> None:
    facts = [fact for fact in story.facts() if not (hasattr(fact, "reason") and fact.reason == "FailedRescale")]
    index = next(i for i, fact in enumerate(facts) if fact.at_us > at(75))
    facts.insert(index, write_of_the_scale(75.1, 8, status=status))
    with audited(tmp_path, facts) as results:
        assert results.rows("select class from reconciles where reconcile_id = 6") == [
            {"class": f"write_failed.{named}"}
        ]


def test_the_write_of_another_hpa_on_the_same_target_is_not_ours(tmp_path: Path) -> None:
    def two() -> Iterator[Fact]:
        for fact in story.facts():
            yield (
                replace(fact, manager="kube-controller-manager", subresource="scale")
                if (isinstance(fact, TargetSeen) and fact.manager == "helm")
                else fact
            )
            if isinstance(fact, HpaSeen):
                yield replace(fact, uid="u-rival", name="rival")

    with audited(tmp_path, two()) as results:
        assert results.rows(
            "select class, divergence_id is not null as told from reconciles where reconcile_id = 4"
        ) == [{"class": "external_write.autoscaler", "told": True}]
        assert results.rows(
            "select writer_name from scale_events where source = 'actual' and to_replicas = 3 and name = 'web'"
        ) == [{"writer_name": "shop/rival"}]
        assert results.rows("select verdict from findings where pattern = 'two_autoscalers'") == [
            {"verdict": "web is the target of rival too"}
        ]


def test_a_status_that_could_not_be_written_is_no_word_of_the_controller(tmp_path: Path) -> None:
    facts = [fact for fact in story.facts() if not (isinstance(fact, HpaSeen) and fact.at_us == at(30.2))]
    refused = StatusWritten(
        at_us=at(30.2),
        took_us=Micros(0),
        namespace="shop",
        name="web",
        path="/status",
        status=409,
        error="the object has been modified",
        by=HPA_ACCOUNT,
        status_json="{}",
    )
    index = next(i for i, fact in enumerate(facts) if fact.at_us > at(30.2))
    facts.insert(index, refused)
    with audited(tmp_path, facts) as results:
        assert results.rows("select decided, decided_source, verdict from reconciles where reconcile_id = 3") == [
            {"decided": None, "decided_source": None, "verdict": "match"}
        ]


@pytest.mark.parametrize(
    ("prefix", "touches"),
    [
        ("/api/v1/namespaces/db/pods", False),
        ("/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/asked_by_another", False),
        ("/apis/apps/v1/deployments#writers", False),
        ("/apis/apps/v1/deployments", True),
    ],
)
def test_a_gap_elsewhere_leaves_a_verdict_alone(prefix: str, touches: bool, tmp_path: Path) -> None:
    """And one of who wrote the replicas: the scale itself was read."""
    facts = [replace(fact, prefix=prefix) if isinstance(fact, Gap) else fact for fact in story.facts()]
    with audited(tmp_path, facts) as results:
        [rows_in_gap] = results.rows("select count(*) as n from reconciles where class = 'no_data.recording_gap'")
        assert (rows_in_gap["n"] > 0) == touches


def test_a_write_just_before_a_reconcile_that_read_the_number_from_before_comes_after_it(tmp_path: Path) -> None:
    """When a silent reconcile was is known to half a period, and informers lag: what it read says which was first."""
    early = [
        replace(fact, at_us=at(44.993), written_us=at(44))
        if isinstance(fact, TargetSeen) and fact.manager == "helm"
        else fact
        for fact in story.facts()
    ]
    with audited(tmp_path, sorted(early, key=lambda fact: fact.at_us)) as results:
        query = "select writer_name, reconcile_id from scale_events where source = 'actual' and to_replicas = 3"
        assert results.rows(query) == [{"writer_name": "helm", "reconcile_id": 4}]
        decided_query = "select spec_replicas, actual, class from reconciles where reconcile_id = 4"
        assert results.rows(decided_query) == [{"spec_replicas": 8, "actual": 3, "class": "external_write.deploy_tool"}]


def test_an_event_of_the_next_reconcile_contradicts_none_before_it(tmp_path: Path) -> None:
    """Events have whole seconds: with a short sync period two reconciles may stand within one."""
    early = [
        replace(
            reconcile,
            instant=ReconcileTime(began_us=at(29.2), at_us=at(29.2), source="event", uncertainty_us=Micros(0)),
        )
        if reconcile.reconcile_id == 2
        else reconcile
        for reconcile in story.reconciles()
    ]
    with story.replayed(tmp_path / "x.duckdb", story.facts(), early) as results:
        assert results.rows("select verdict from reconciles where reconcile_id = 2") == [{"verdict": "match"}]


def test_an_event_of_a_number_that_no_reconcile_gives_leaves_the_reconcile_beside_it_open(tmp_path: Path) -> None:
    """A quiet reconcile of which only an Event tells, and the Event tells of a write."""
    told = [
        replace(reconcile, instant=replace(reconcile.instant, source="event"))
        if reconcile.reconcile_id == 2
        else reconcile
        for reconcile in story.reconciles()
    ]
    facts = [*story.facts()]
    facts.insert(-1, event_seen(1, "Normal", "SuccessfulRescale", "New size: 7; reason: cpu above target"))
    with story.replayed(tmp_path / "x.duckdb", sorted(facts, key=lambda fact: fact.at_us), told) as results:
        assert results.rows("select verdict, class from reconciles where reconcile_id = 2") == [
            {"verdict": "undecidable", "class": "no_data.object_unseen"}
        ]


def test_a_late_view_of_an_older_object_is_no_change(tmp_path: Path) -> None:
    facts = list(story.facts())
    index = next(i for i, fact in enumerate(facts) if isinstance(fact, TargetSeen) and fact.manager == "helm")
    stale = next(fact for fact in facts if isinstance(fact, TargetSeen) and fact.scale.spec_replicas == 4)
    facts.insert(index + 1, replace(stale, at_us=at(53)))
    with audited(tmp_path, facts) as results:
        assert results.rows("select count(*) as n from scale_events where source = 'actual' and to_replicas = 4") == [
            {"n": 0}
        ]


def test_undecidable_time_keeps_a_divergence_open(tmp_path: Path) -> None:
    """Reconcile 11 differs, 12 is made undecidable, 13 differs again: one episode."""
    reconciles = [
        replace(reconcile, band_lo=2, band_hi=12, missing_input="memory.before_recording")
        if reconcile.reconcile_id == 12
        else replace(reconcile, decision=replace(reconcile.decision, desired=7, status_desired=7), band_lo=7, band_hi=7)
        if reconcile.reconcile_id == 13
        else reconcile
        for reconcile in story.reconciles()
    ]
    with story.replayed(tmp_path / "x.duckdb", story.facts(), reconciles) as results:
        assert results.rows("select class, reconciles from divergences where class = 'unexplained'") == [
            {"class": "unexplained", "reconciles": 3}
        ]


@pytest.mark.parametrize(("window", "found"), [("300s", "no_data.recording_gap"), ("1s", "unexplained")])
def test_what_was_guessed_in_a_gap_counts_as_long_as_the_window(
    window: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reconcile 12 differs, 45 s after one in a gap whose inputs are guessed."""
    setting = Assumption(key="downscale-stabilization", value=window, source="observed")
    monkeypatch.setattr(story, "REPLAY", replace(story.REPLAY, assumptions=(*story.REPLAY.assumptions, setting)))
    facts = [
        replace(fact, at_us=at(100), until_us=at(132)) if isinstance(fact, Gap) else fact for fact in story.facts()
    ]
    reconciles = [
        replace(reconcile, band_lo=9, band_hi=9, evidence="proven") if reconcile.reconcile_id == 12 else reconcile
        for reconcile in story.reconciles()
    ]
    with story.replayed(tmp_path / "x.duckdb", facts, reconciles) as results:
        assert results.rows("select class from reconciles where reconcile_id = 12") == [{"class": found}]


def test_a_published_value_that_no_recorded_answer_gives_is_no_divergence(tmp_path: Path) -> None:
    """The controller read a sample that we did not: what it made of that cannot be judged."""
    reconciles = [
        replace(reconcile, evidence="assumed") if reconcile.reconcile_id == 11 else reconcile
        for reconcile in story.reconciles()
    ]
    facts_seen = [fact for fact in story.facts() if not isinstance(fact, Gap)]
    with story.replayed(tmp_path / "x.duckdb", facts_seen, reconciles) as results:
        assert results.rows("select verdict, class from reconciles where reconcile_id = 11") == [
            {"verdict": "skew", "class": "input.metric_value_skew"}
        ]
        assert results.rows("select confidence from divergences where class = 'input.metric_value_skew'") == [
            {"confidence": "likely"}
        ]


Happened = list[tuple[int, int]]
"""Changes as (second, to how many replicas)."""


def paired(predicted: Happened, actual: Happened) -> list[tuple[int | None, int | None, int | None, int | None, str]]:
    """Predicted second and number, actual second and number, shape."""
    with duckdb.connect() as connection:
        connection.execute("create schema runs")
        for table in ("scale_events", "scale_event_matches"):
            connection.execute(sql.folder("schema")[table])
        connection.execute("create temp table sync as select interval 15 seconds as sync, 15000000 as sync_us")
        connection.execute("create temp table compared (reconcile_id bigint, actual integer)")
        rows = [("predicted", at, to) for at, to in predicted] + [("actual", at, to) for at, to in actual]
        for number, (source, at, to) in enumerate(rows):
            connection.execute(
                "insert into runs.scale_events by name select 'u' as hpa_uid, $n as scale_event_id, $source as source, "
                "make_timestamp($at) as at_lo, make_timestamp($at) as at_hi, 5 as from_replicas, $to as to_replicas",
                {"n": number, "source": source, "at": at * 1_000_000, "to": to},
            )
        connection.execute(sql.folder("audit")["42_scale_event_matches"])
        return connection.execute(
            "select epoch_us(predicted_at) // 1000000, predicted_to, epoch_us(actual_at_hi) // 1000000, actual_to, "
            "shape from runs.scale_event_matches"
        ).fetchall()


happened = st.lists(st.tuples(st.integers(0, 300), st.integers(1, 4)), max_size=12)


@settings(deadline=None, max_examples=40)
@given(predicted=happened, actual=happened)
def test_changes_are_paired_one_to_one_and_nothing_that_fits_is_left(predicted: Happened, actual: Happened) -> None:
    """Every change is in exactly one row; two leftovers of the same number are never within a sync period."""
    pairs = paired(predicted, actual)
    assert Counter((at, to) for at, to, *_ in pairs if at is not None) == Counter(predicted)
    assert Counter((at, to) for _, _, at, to, _ in pairs if at is not None) == Counter(actual)
    phantoms = [(at, to) for _, _, at, to, shape in pairs if shape == "phantom"]
    missing = [(at, to) for at, to, _, _, shape in pairs if shape == "missing"]
    assert not [(a, b) for a in phantoms for b in missing if a[1] == b[1] and abs(a[0] - b[0]) <= 15]
    assert all(abs(at - at_actual) <= 15 and to == done for at, to, at_actual, done, shape in pairs if shape == "match")
