"""HPAs from one API version to another: as the API server's own code did it, and there and back again."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.api.conversion import from_internal, losses, to_internal
from hpaaudit.api.decode import decode_spec
from hpaaudit.api.refusals import refusal_text, refusals
from hpaaudit.api.shapes import VERSIONS, WrongType
from tests.api.converted import differences
from tests.api.random_hpas import hpa

KEPT = sorted((Path(__file__).parent / "converted").glob("*.jsonl.gz"))
V1, V2 = "autoscaling/v1", "autoscaling/v2"
seeds = st.integers(0, 2**32)
versions = st.sampled_from(VERSIONS)


@pytest.mark.parametrize("kept", KEPT, ids=lambda path: path.name.removesuffix(".jsonl.gz"))
def test_the_api_servers_own_code_refuses_and_converts_as_we_do(kept: Path) -> None:
    rows = [json.loads(line) for line in gzip.decompress(kept.read_bytes()).splitlines()]
    assert sum(bool(row["errors"]) for row in rows) > 100
    assert sum(not row["errors"] for row in rows) > 50
    assert [text for row in rows for text in differences(row)] == []


@given(seed=seeds, version=versions)
def test_storing_in_v2_and_reading_back_changes_nothing(seed: int, version: str) -> None:
    """v2 can say everything that is valid; only a behavior that an annotation left incomplete is filled in."""
    read = to_internal(hpa(seed, version))
    if refusals(read):
        return
    shown = from_internal(read, V2)
    again = from_internal(to_internal(shown), V2)
    if version in (V1, "autoscaling/v2beta1"):
        assert from_internal(to_internal(again), V2) == again
        again["spec"].pop("behavior", None)
        shown["spec"].pop("behavior", None)
    assert again == shown


@given(seed=seeds, version=versions, other=versions)
def test_what_no_loss_names_is_the_same_after_the_round_trip(seed: int, version: str, other: str) -> None:
    before = to_internal(hpa(seed, version))
    after = to_internal(from_internal(before, other))
    told = {code for code, _ in losses(before, other)}
    if not told & {"behavior_lost_by_old_api", "behavior_filled_in"}:
        assert after.spec.get("behavior") == before.spec.get("behavior")
    if not any(code.startswith("metric_") for code in told):
        assert after.spec["metrics"] == before.spec["metrics"]
    assert after.spec["maxReplicas"] == before.spec["maxReplicas"]
    assert after.spec["minReplicas"] == before.spec["minReplicas"]


@given(seed=seeds)
def test_the_three_annotations_of_v1_carry_an_hpa_exactly(seed: int) -> None:
    """What v1 shows of an HPA, read and shown again, is the same to the letter."""
    shown = from_internal(to_internal(hpa(seed, V1)), V1)
    assert from_internal(to_internal(shown), V1) == shown


@given(seed=seeds, version=versions)
def test_the_engine_reads_an_hpa_of_any_version_as_it_reads_it_in_v2(seed: int, version: str) -> None:
    """Of those that an API server accepts, as their own server shows them.

    The controllers that read v1 (until 1.22) keep a value of zero beside an average, which v1 drops since 1.36.
    """
    read = to_internal(hpa(seed, version))
    if refusals(read):
        return
    shown, newest = from_internal(read, version), from_internal(read, V2)
    kept = shown["metadata"].get("annotations", {}).get("autoscaling.alpha.kubernetes.io/metrics", "")
    if '"targetValue":"0"' in kept:
        return
    annotations = json.dumps(shown["metadata"].get("annotations") or {})
    ours = decode_spec(version, json.dumps(shown["spec"]), annotations)
    assert ours == decode_spec(V2, json.dumps(newest["spec"]), "{}")


REFUSED: list[tuple[dict[str, Any], str]] = [
    (
        {"metadata": {"name": "My_HPA"}},
        ('HorizontalPodAutoscaler.autoscaling "My_HPA" is invalid: metadata.name: Invalid value: "My_HPA": a lowercase '
        "RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end "
        "with an alphanumeric character (e.g. 'example.com', regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"),
    ),
    (
        {"spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}},
        ('HorizontalPodAutoscaler.autoscaling "web" is invalid: [spec.maxReplicas: Required value: must be set and '
        'greater than 0, spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`]'),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("change", "text"), REFUSED, ids=["My_HPA", "no maxReplicas"])
def test_a_refusal_is_the_api_servers_answer_word_for_word(change: dict[str, Any], text: str) -> None:
    good: dict[str, Any] = {"apiVersion": V2, "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"}}
    good["spec"] = {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}, "maxReplicas": 5}
    assert refusals(to_internal(good)) == ()
    read = to_internal({**good, **change})
    assert refusal_text(read, refusals(read)) == text


def test_an_annotation_that_is_no_text_is_refused() -> None:
    document = {"apiVersion": V2, "kind": "HorizontalPodAutoscaler", "metadata": {"annotations": {"a": 1}}, "spec": {}}
    with pytest.raises(WrongType, match=r"metadata\.annotations\.a: must be text: put it in quotes"):
        to_internal(document)


WRONG: list[tuple[Any, str]] = [
    ({"maxReplicas": "5"}, "spec.maxReplicas: must be a whole number, not text"),
    ({"maxReplicas": 2**31}, "spec.maxReplicas: 2147483648 is too large"),
    ({"maxReplicas": True}, "spec.maxReplicas: must be a whole number, not true or false"),
    ({"metrics": {}}, "spec.metrics: must be a list, not an object"),
    ({"metrics": ["cpu"]}, "spec.metrics[0]: must be an object, not text"),
    ([], "spec: must be an object, not a list"),
]


@pytest.mark.parametrize(("spec", "text"), WRONG)
def test_a_field_of_another_type_is_named_with_its_path(spec: Any, text: str) -> None:
    document = {"apiVersion": V2, "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"}, "spec": spec}
    with pytest.raises(WrongType) as problem:
        to_internal(document)
    assert str(problem.value) == text


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ("scaleTargetRef", "scaleRef", "metrics", "behavior", "cpuUtilization", "maxReplicas", "minReplicas")


@given(version=versions, spec=st.dictionaries(st.sampled_from(FIELDS), json_values), status=json_values)
def test_whatever_a_document_holds_it_is_read_or_said_to_be_wrong(version: str, spec: Any, status: Any) -> None:
    document = {"apiVersion": version, "kind": "HorizontalPodAutoscaler", "spec": spec, "status": status}
    try:
        read = to_internal(document)
    except WrongType:
        return
    refusals(read)
    for other in VERSIONS:
        list(losses(read, other))
