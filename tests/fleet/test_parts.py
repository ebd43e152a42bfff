"""A segment that is decided in parts of some namespaces each gives what it gives as a whole."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.engine.fleet.input.namespaces import shares
from hpaaudit.flows import fleet as flow
from hpaaudit.flows.options import AS_RECORDED, EVERYTHING, ignore_warning
from hpaaudit.flows.prepare import prepare_compiled
from hpaaudit.model.fleet_columns import Columns, Words
from hpaaudit.recording.reading.recording import open_recording
from tests.bench import fleet, outside

HPAS, HOURS, SEED = 45, 0.3, 11


@pytest.fixture(scope="module", params=["by lines", "by statuses"])
def recording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fleet in four namespaces and several segments: reconciles told by lines, or only by what they published."""
    folder = tmp_path_factory.mktemp("parts")
    fleet.write(folder / "recording", hpas=HPAS, hours=HOURS, seed=SEED, budget=1 << 20)
    if request.param == "by lines":
        return folder / "recording"
    outside.write(folder / "recording", folder / "seen", rows=4000)
    return folder / "seen"


def decided(recording: Path, parts: int, monkeypatch: pytest.MonkeyPatch) -> tuple[list[object], ...]:
    """Every row of the three tables that the rules write, in one order."""
    monkeypatch.setattr(flow, "PARTS", parts)
    monkeypatch.setattr(flow, "FACTS_OF_PARTS", 0)
    prepared = prepare_compiled(open_recording(recording), AS_RECORDED, EVERYTHING)
    tables: tuple[list[object], ...] = ([], [], [])
    for columns in flow.decide(prepared, ignore_warning):
        for rows, table in zip(tables, (columns.reconciles, columns.proposals, columns.writes), strict=True):
            rows.extend(rows_of(table))
    return tuple(sorted(rows, key=repr) for rows in tables)


def rows_of(columns: Columns) -> list[object]:
    """The rows of a table with their words."""
    values = []
    for column in columns.values():
        if isinstance(column, Words):
            values.append([None if code < 0 else column.words[code] for code in column.codes.tolist()])
        else:
            missing = [False] * len(column.values) if column.missing is None else column.missing.tolist()
            numbers = zip(column.values.tolist(), missing, strict=True)
            values.append([None if is_missing else number for number, is_missing in numbers])
    return list(zip(*values, strict=True))


def test_in_two_or_five_parts_a_fleet_is_decided_as_in_one(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = decided(recording, 1, monkeypatch)
    assert len(whole[0]) > HPAS
    assert decided(recording, 2, monkeypatch) == whole
    assert decided(recording, 5, monkeypatch) == whole


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(st.text(max_size=63), st.integers(1, 7))
def test_each_namespace_is_in_one_part(namespace: str, parts: int) -> None:
    if parts == 1:
        assert [*shares(1)] == [()]  # all of them, which is not narrowed
    else:
        assert sum(namespace in part for part in shares(parts)) == 1
