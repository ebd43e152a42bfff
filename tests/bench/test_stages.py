"""The profile of a replay has every stage, and its parts are not larger than the whole."""

from pathlib import Path

from tests.bench import fleet, profile
from tests.bench.stages import Stages


def test_a_stage_sums_its_calls_and_passes_on_what_they_return() -> None:
    stages = Stages()
    doubled = stages.timing(lambda number: 2 * number, lambda number: f"even {number % 2 == 0}")
    assert [doubled(number) for number in (1, 2, 4)] == [2, 4, 8]
    assert [*stages.each(iter("ab"), "letters")] == ["a", "b"]
    assert {name: stage.calls for name, stage in stages.by_name.items()} == {
        "even False": 1,
        "even True": 2,
        "letters": 3,  # the end is asked for too
    }
    assert all(stage.process_bytes > stage.arrow_bytes >= 0 for stage in stages.by_name.values())


def test_a_profile_shows_deciding_by_stage_and_writing_by_statement(tmp_path: Path) -> None:
    fleet.write(tmp_path / "fleet", hpas=60, hours=1.5, seed=5)
    deciding = profile.deciding(tmp_path / "fleet").by_name
    assert {"open, checksums, plan", "decode Parquet", profile.BATCHES, "kernel", "columns out"} < deciding.keys()
    stages = profile.writing(tmp_path / "fleet", tmp_path / "results.duckdb")
    writing = stages.by_name
    assert {"wait for decisions", "insert decisions", "audit/61_reconciles", "copy recorded facts"} < writing.keys()
    assert any(name.startswith("findings/") for name in writing)
    for whole in (deciding[profile.WHOLE], writing[profile.WHOLE]):
        assert whole.calls == 1
    shown = [*profile.rows(stages)]
    assert (shown[0].what, shown[0].ratio) == (profile.WHOLE, "100.0% of the CPU")
    assert shown[-1].what.startswith("stages below")
