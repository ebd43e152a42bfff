"""Assumed flags that the real controller was not started with: the setting that explains the difference is named."""

import tempfile
from dataclasses import replace as with_fields
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.flows.replay import replay
from hpaaudit.model.facts import ControllerSeen, Fact
from tests.conformance.expected import captures, name_of
from tests.fleet.chance import write
from tests.truth.views import VIEWS
from tests.truth.worlds import facts_of


def _replayed(world: str, *, is_told: bool) -> tuple[dict[str, int], list[tuple[Any, ...]]]:
    """How often each class occurs, and what explains it. `told`: the recording holds the controller's flags."""
    facts = facts_of(next(path for path in captures("1.36") if name_of(path) == world))

    def shown(fact: Fact) -> Fact:
        return with_fields(fact, flags=(), gates=()) if isinstance(fact, ControllerSeen) and not is_told else fact

    facts_shown = [shown(fact) for fact in VIEWS["outside"](facts)]
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "recording", facts_shown, len(facts_shown) + 1)
        results = replay(Path(folder) / "recording", detail="numbers")
        classes = dict(results.sql("select coalesce(class, verdict), count(*) from reconciles group by 1").fetchall())
        settings = results.sql(
            "select key, value, alternative, differing, explained, broken from sensitivity"
        ).fetchall()
        results.close()
    return classes, settings


@pytest.mark.parametrize(
    ("world", "key", "used", "explaining"),
    [
        ("edges-100-0010", "downscale-stabilization", "300s", "0s"),
        ("legacy-100-0007", "downscale-stabilization", "300s", "60s"),
        ("restart-100-0001", "tolerance", "0.1", "0.2"),
    ],
)
def test_the_setting_that_explains_what_an_assumed_one_does_not_is_named(
    world: str, key: str, used: str, explaining: str
) -> None:
    classes, [(found_key, value, alternative, differing, explained, broken)] = _replayed(world, is_told=False)
    assert (found_key, value, alternative, broken) == (key, used, explaining, 0)
    assert explained == differing == classes[f"config.{key.replace('-', '_')}"]
    assert "unexplained" not in classes


def test_where_the_flags_are_known_nothing_is_put_down_to_them() -> None:
    classes, settings = _replayed("restart-100-0001", is_told=True)
    assert settings == []
    assert not any(name.startswith(("config.", "unexplained")) for name in classes)
