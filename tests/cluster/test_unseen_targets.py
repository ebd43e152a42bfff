"""A target that was not read yet is a gap, for itself and its pods, from when its HPA was known."""

from pathlib import Path
from typing import Any

import pytest

from hpaaudit.model.facts import Gap, HpaSeen, PodSeen, ScaleRead
from tests.cluster.small import CRD, SCALE, Small, record
from tests.cluster.test_odd import of

KIND = "/apis/example.com/v1"
NO_LIST: tuple[Any, ...] = ({}, {"kind": "Status"}, {"resources": None}, {"groups": None})


@pytest.mark.parametrize("answer", NO_LIST, ids=str)
def test_an_answer_without_a_list_does_not_say_that_a_kind_is_not_served(answer: Any, tmp_path: Path) -> None:
    outcome = record(Small(odd={KIND: of(answer)}), tmp_path / "r", seconds=3)
    assert not [note for note in outcome.notes if "does not serve" in note]
    assert {gap.prefix for gap in outcome.of(Gap)} >= {f"{KIND}/", "/api/v1/namespaces/shop/pods?"}
    assert any("did not say whether it serves" in gap.cause for gap in outcome.of(Gap))


def test_where_the_scale_cannot_be_read_the_target_and_its_pods_are_a_gap_from_when_the_hpa_was_known(
    tmp_path: Path,
) -> None:
    """Nobody may read the definition, so the scale is polled; as long as that fails its selector is unknown."""
    outcome = record(Small(odd={CRD: of({}, 403), SCALE: of({}, 500)}), tmp_path / "r", seconds=3)
    known_us = next(fact.at_us for fact in outcome.of(HpaSeen) if fact.name == "rocket")
    gaps = [gap for gap in outcome.of(Gap) if "had just become known" in gap.cause]
    assert {gap.prefix for gap in gaps} == {
        "/api/v1/namespaces/shop/pods?new",
        "/apis/example.com/v1/namespaces/shop/rockets?new",
    }
    assert {gap.at_us for gap in gaps if gap.at_us == known_us}
    assert max(gap.until_us for gap in gaps) >= outcome.facts[-1].at_us - 1000


def test_once_the_scale_is_read_nothing_is_hidden_any_more(tmp_path: Path) -> None:
    outcome = record(Small(odd={CRD: of({}, 403)}), tmp_path / "r", seconds=3)
    read_us = next(fact.at_us for fact in outcome.of(ScaleRead) if fact.scale)
    assert outcome.of(PodSeen)
    late = [
        gap for gap in outcome.of(Gap) if "had just become known" in gap.cause and gap.until_us > read_us + 1_500_000
    ]
    assert late == []


@pytest.mark.parametrize("status", [404])
def test_a_target_that_is_not_there_hides_nothing(status: int, tmp_path: Path) -> None:
    outcome = record(Small(odd={CRD: of({}, 403), SCALE: of({"code": status}, status)}), tmp_path / "r", seconds=3)
    asked_us = next(fact.at_us for fact in outcome.of(ScaleRead))
    late = [
        gap for gap in outcome.of(Gap) if "had just become known" in gap.cause and gap.until_us > asked_us + 1_500_000
    ]
    assert late == []
