"""The list of mutants is sound, and so is what `make mutants` leaves out; it runs them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hpaaudit.engine.replay.watched_times import Seen, watched_times
from hpaaudit.engine.rules.forbidden_windows import NEVER_SCALED, ForbiddenWindows, is_open, may_scale
from tests.mutants import store
from tests.mutants.change import ENGINE, install, mutated, path_of
from tests.mutants.lines import lines_of, running_lines
from tests.mutants.mutants import MUTANTS, Mutant

WATCHED = "replay/watched_times"
LATER = Mutant("forbidden_windows", "is_open", "last_scale_us + window_us < metric_us", "True")
NEVER = Mutant("forbidden_windows", "is_open", "last_scale_us == NEVER_SCALED", "False")


@pytest.fixture
def is_open_restored() -> Iterator[None]:
    code, defaults, keyword_defaults = is_open.__code__, is_open.__defaults__, is_open.__kwdefaults__
    yield
    is_open.__code__, is_open.__defaults__, is_open.__kwdefaults__ = code, defaults, keyword_defaults


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_fits_in_one_place_and_can_be_compiled(mutant: Mutant) -> None:
    compile(mutated(mutant), mutant.file, "exec")


def test_every_rule_has_a_mutant_and_no_mutant_comes_twice() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    files = {path for folder in ("rules", "eras") for path in (ENGINE / folder).glob("*.py")}
    without = files - {path_of(mutant) for mutant in MUTANTS}
    assert {path.stem for path in without} == {"__init__", "reason_codes"}


@pytest.mark.usefixtures("is_open_restored")
def test_whoever_imported_a_function_before_runs_the_mutant() -> None:
    assert not is_open(0, 10, 10)
    install(LATER)
    assert is_open(0, 10, 10)


def test_every_mutant_touches_a_line() -> None:
    assert [mutant.name for mutant in MUTANTS if not lines_of(mutant)] == []


def test_a_mutant_outside_of_the_rules_is_reached_by_what_runs_no_rule() -> None:
    outside = next(mutant for mutant in MUTANTS if (mutant.file, mutant.function) == (WATCHED, "watched_times"))
    with running_lines() as running:
        watched_times([Seen(0, 10, is_status=False)], [], 100, 30, newborn=True)
    assert running.lines & lines_of(outside)


@pytest.mark.parametrize(
    ("desired", "last_us", "runs"), [(5, 0, False), (6, 0, True), (6, NEVER_SCALED, True)], ids=["held", "up", "never"]
)
def test_a_call_that_reaches_a_mutant_runs_a_line_of_it(desired: int, last_us: int, runs: bool) -> None:
    with running_lines() as running:
        may_scale(5, desired, last_us, 10**9, ForbiddenWindows(up_us=180, down_us=300))
    assert [bool(running.lines & lines_of(mutant)) for mutant in (LATER, NEVER)] == [runs, runs]


def test_what_was_kept_is_read_until_a_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HPAAUDIT_MUTANTS_CACHE", str(tmp_path))
    monkeypatch.setattr(store, "ROOT", tmp_path)
    rule = tmp_path / "rule.py"
    rule.write_text("1")
    store.keep("worlds", store.key_of([rule]), {"world": 1})
    assert store.read("worlds", store.key_of([rule])) == {"world": 1}
    rule.write_text("2")
    assert store.read("worlds", store.key_of([rule])) is None
    store.keep("worlds", store.key_of([rule]), {"world": 2})
    assert len(list(tmp_path.glob("worlds-*"))) == 1


def test_the_killers_of_some_mutants_leave_those_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HPAAUDIT_MUTANTS_CACHE", str(tmp_path))
    store.keep_killers({"one": "a", "two": "b"})
    store.keep_killers({"two": "c"})
    assert store.killers() == {"one": "a", "two": "c"}
