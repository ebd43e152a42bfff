"""Whatever HPA is given to `convert`, the answer is one that converts to itself, or one line that says why not."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.api.shapes import VERSIONS
from hpaaudit.importers.documents import documents
from tests.api.random_hpas import hpa
from tests.cli.run import run

odd_values = st.sampled_from([
    None, True, 0, -1, 2**31, 2**64, 1.5, float("inf"), float("nan"), "", "x", "10m", "-1", "1e400", "a\nb", "\x1b[2J",
    "\ud83d", "\U0001f600", "2026-03-02T14:05:00Z", [], {}, [None], {"": 1}, {1: 2}, "9" * 400,
])  # fmt: skip
versions = st.sampled_from(VERSIONS)
SHORT = {version: version.removeprefix("autoscaling/") for version in VERSIONS}


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each object and list within a value with each of its keys."""
    for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


def _text(document: Any, *, is_yaml: bool) -> str:
    return str(yaml.safe_dump(document)) if is_yaml else json.dumps(document)


def _converted(folder: Path, text: str, to: str) -> tuple[int, str, str]:
    (folder / "given").write_text(text, "utf-8")
    return run(f"hpaaudit convert {folder / 'given'} --to {SHORT[to]} -o json")


@settings(max_examples=400)
@given(data=st.data(), seed=st.integers(0, 2**32), version=versions, to=versions, is_yaml=st.booleans())
def test_a_damaged_hpa_is_converted_or_refused_in_a_line(
    data: st.DataObject, seed: int, version: str, to: str, is_yaml: bool, tmp_path_factory: Any
) -> None:
    folder = tmp_path_factory.getbasetemp()
    document = copy.deepcopy(hpa(seed, version))
    for _ in range(data.draw(st.integers(0, 2))):
        owner, key = data.draw(st.sampled_from(list(_places(document))))
        owner[key] = copy.deepcopy(data.draw(odd_values))
    code, out, err = _converted(folder, _text(document, is_yaml=is_yaml), to)
    if code:
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert err.startswith("Error: HorizontalPodAutoscaler") or "no HorizontalPodAutoscaler" in err
        return
    # What is shown is what an API server would store: to read it and show it again changes nothing but what was said.
    code, again, _ = _converted(folder, out, to)
    if code:
        assert "refused_by_new_version" in err
    elif again != out:
        assert "metric_added_by_old_api" in err or "behavior_filled_in" in err


def test_what_a_document_cannot_say_of_its_own_metadata_is_refused(tmp_path: Path) -> None:
    for field, value, told in (
        ("name", 5, "metadata.name: must be text, not a number"),
        ("namespace", ["shop"], "metadata.namespace: must be text, not a list"),
        ("labels", {"app": 1}, "metadata.labels.app: must be text, not a number"),
        ("namespace", "My_Shop", 'metadata.namespace: Invalid value: "My_Shop": a lowercase RFC 1123 label must'),
    ):
        document = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"},
            "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"},
            "maxReplicas": 3}}  # fmt: skip
        document["metadata"][field] = value  # type: ignore[index]
        code, out, err = _converted(tmp_path, json.dumps(document), "autoscaling/v1")
        assert (code, out) == (2, "")
        assert told in err


def test_both_halves_of_a_character_are_one_and_a_half_alone_is_none() -> None:
    """JSON writes an emoji as two escapes; Go reads it as one character, and a half as U+FFFD."""
    [document] = documents(r'{"kind": "X", "name": "\ud83d\ude00 \ud83d", "\ude00": 1}', "file")
    assert document == {"kind": "X", "name": "\U0001f600 �", "�": 1}


def test_a_metric_that_an_old_version_alters_is_not_said_to_be_lost(tmp_path: Path) -> None:
    document = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web"},
        "spec": {
            "scaleTargetRef": {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"},
            "maxReplicas": 3,
            "metrics": [
                {
                    "type": "ContainerResource",
                    "containerResource": {
                        "name": "cpu",
                        "container": "app",
                        "target": {"type": "Utilization", "averageUtilization": 50},
                    },
                }
            ],
        },
    }
    _, _, err = _converted(tmp_path, json.dumps(document), "autoscaling/v2beta1")
    assert err.splitlines()[0] == (
        "web: spec.metrics[0], ContainerResource cpu, is altered: autoscaling/v2beta1 does not keep "
        "containerResource.container [metric_lost_by_old_api]"
    )
    _, _, err = _converted(tmp_path, json.dumps(document), "extensions/v1beta1")
    lost, added = (line for line in err.splitlines() if "metric_" in line)
    assert lost.endswith("is lost: extensions/v1beta1 has no such metric [metric_lost_by_old_api]")
    assert added.endswith("extensions/v1beta1 then means a cpu utilization of 80 % [metric_added_by_old_api]")
