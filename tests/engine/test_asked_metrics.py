"""Which metrics the controllers of 1.1 to 1.5 ask for: CPU, those of the annotation, or both."""

import json
from dataclasses import replace

import pytest

from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.controller.metric_target import BAD_ANNOTATION, EMPTY_ANNOTATION
from hpaaudit.engine.eras.annotation_specs import asked_metrics, asks_by_annotation, labels_of
from hpaaudit.model.flags import Flags
from tests.engine.scenes import cpu, hpa_of

ONE = json.dumps({"items": [{"name": "qps", "value": "10"}]})
TWO = json.dumps({"items": [{"name": "qps", "value": "10"}, {"name": "qps", "value": "20"}]})
NONE = json.dumps({"items": []})
OLD = ("1.1", "1.2", "1.3", "1.4", "1.5")


def asked(release: str, cpu_target: int | None, annotation: str | None) -> tuple[list[object], tuple[str, ...]]:
    """The names of the metrics, or what is wrong with the annotation; and what people call them."""
    hpa = replace(hpa_of(cpu(60)), cpu_target=cpu_target, custom_metrics=annotation)
    behaviours = behaviours_of(Flags(release=release))
    problems = {BAD_ANNOTATION: "bad", EMPTY_ANNOTATION: "empty"}
    names = [problems.get(one.how, one.metric.name) for one in asked_metrics(hpa, behaviours)]
    return names, labels_of(hpa, behaviours)


@pytest.mark.parametrize(
    ("releases", "cpu_target", "annotation", "names"),
    [
        # 1.1 knows no annotation.
        (("1.1",), 50, ONE, ["cpu"]),
        (("1.1",), None, "{", ["cpu"]),
        # 1.2 asks for CPU whatever the annotation says.
        (("1.2",), None, ONE, ["cpu", "qps"]),
        (("1.2",), None, NONE, ["cpu", "empty"]),
        # Later ones do only where the spec has a target, or where there is no annotation.
        (OLD[2:], None, ONE, ["qps"]),
        (OLD[2:], None, "{", ["bad"]),
        (OLD[2:], None, "", []),
        (OLD[1:], 50, ONE, ["cpu", "qps"]),
        (OLD[1:], 50, TWO, ["cpu", "qps", "qps"]),
        (OLD[1:], 50, NONE, ["cpu", "empty"]),
        (OLD[1:], 50, "", ["cpu"]),
        (OLD, None, None, ["cpu"]),
        (OLD, 50, None, ["cpu"]),
    ],
)
def test_what_is_asked_for_depends_on_release_target_and_annotation(
    releases: tuple[str, ...], cpu_target: int | None, annotation: str | None, names: list[str]
) -> None:
    for release in releases:
        assert asked(release, cpu_target, annotation)[0] == names, release


def test_the_labels_are_those_of_what_is_asked_for() -> None:
    assert asked("1.3", None, ONE)[1] == ("qps",)
    assert asked("1.2", None, TWO)[1] == ("cpu", "qps (metric 2)", "qps (metric 3)")


def test_only_the_releases_until_1_5_ask_by_annotation() -> None:
    asking = [
        release for release in (*OLD, "1.6", "1.7", "1.36") if asks_by_annotation(behaviours_of(Flags(release=release)))
    ]
    assert asking == [*OLD]
