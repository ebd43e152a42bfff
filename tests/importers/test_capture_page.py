"""docs/capture.md claims what is read, all of it and nothing else."""

import re
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.importers.capture import Reader
from hpaaudit.importers.object_states import _KINDS
from tests.importers.lines import get_line, write

PAGE = (Path(__file__).parents[2] / "docs" / "capture.md").read_text("utf-8")
PATHS = re.findall(r"^\| `(/[^`]+)` \|", PAGE, re.MULTILINE)
LISTS = [path for path in PATHS if path.rsplit("/", 1)[-1] in _KINDS and "metrics.k8s.io" not in path]
BODIES: dict[str, Any] = {
    "scale": {"kind": "Scale", "spec": {"replicas": 2}, "status": {"replicas": 2, "selector": "app=web"}},
    "version": {"gitVersion": "v1.36.3"},
}
UNREAD = (
    "/api/v1/namespaces/kube-system/services/grafana/proxy/api/v1/model/namespaces/shop/pod-list/web/metrics/cpu-usage",
    "/api/v1/nodes",
    "/api/v1/configmaps",
)


def body_of(path: str) -> Any:
    """An answer with one object."""
    word = path.rsplit("/", 1)[-1]
    shown = {"metadata": {"name": "web", "namespace": "shop", "uid": "uid-web"}, "spec": {}, "status": {}}
    return BODIES.get(
        word, {"kind": "List" if "metrics" in path else "", "items": [] if "metrics" in path else [shown]}
    )


def read(path: str, tmp_path: Path) -> tuple[int, int]:
    """How many facts an answer on this path brings, and how many lines are ignored."""
    reader = Reader((write(tmp_path, get_line(0, path, body_of(path))),))
    facts = [fact for fact in reader.facts() if type(fact).__name__ != "Ended"]
    return len(facts), sum(reader.ignored.values())


@pytest.mark.parametrize("path", PATHS)
def test_what_the_page_says_is_read_is_read(path: str, tmp_path: Path) -> None:
    facts, ignored = read(path, tmp_path)
    assert (facts > 0, ignored) == (True, 0)


@pytest.mark.parametrize("path", UNREAD)
def test_what_the_page_does_not_say_is_ignored(path: str, tmp_path: Path) -> None:
    assert read(path, tmp_path) == (0, 1)
    assert path not in PAGE


def test_every_resource_that_is_read_is_on_the_page() -> None:
    assert {path.rsplit("/", 1)[-1] for path in LISTS} == set(_KINDS)
