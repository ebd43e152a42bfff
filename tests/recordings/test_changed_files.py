"""Whatever was done to the files: a replay answers as before, or names the file that is not what was written."""

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.errors import DamagedRecording
from hpaaudit.flows.explain import explain
from hpaaudit.flows.query import query
from hpaaudit.flows.replay import replay
from hpaaudit.flows.source import open_file, open_source
from hpaaudit.recording.files import durable, layout
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.upkeep import retention as retiring
from hpaaudit.results import sql
from hpaaudit.results.write import ResultsWriter
from tests.bench import fleet
from tests.recordings.changed_files import (
    HARMS,
    Answers,
    answers,
    copied_meanwhile,
    files,
    plant,
    replayed,
    rows_of,
    segments_of,
)

ROOT = Path(__file__).parents[2] / "recordings"
NAMES = ["load-step", "metrics-down", "scaled-by-hand", "unready-on-the-way-up", "fleet"]
PATTERNS = ["inc[1]", "inc*", "seq=5", "o'brien", "{inc1,b}", " ü", "[!a]", "**"]
"""Names of folders that mean more to a pattern, or to a partitioned data set."""


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Those of the project, and a small fleet with custom metrics, in several segments."""
    fleet_folder = tmp_path_factory.mktemp("handled") / "fleet"
    fleet.write(fleet_folder, hpas=6, hours=0.1, seed=11, budget=60_000)
    return {name: fleet_folder if name == "fleet" else ROOT / name for name in NAMES}


@pytest.fixture(scope="session")
def clean(recordings: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answers]:
    """What replays of them answer where nobody touched anything."""
    return {name: replayed(copy(path, tmp_path_factory.mktemp(name) / name)) for name, path in recordings.items()}


def copy(recording: Path, into: Path) -> Path:
    shutil.copytree(recording, into, ignore=shutil.ignore_patterns("*.duckdb"))
    return into


def asked() -> set[str]:
    """Tables that the audit or a view reads by itself."""
    return {
        table
        for folder in ("facts", "recorded")
        for text in sql.folder(folder).values()
        for table in sql.recorded_tables_of(text)
    }


@pytest.mark.parametrize("name", NAMES)
def test_files_that_no_manifest_names_change_nothing(
    name: str, recordings: dict[str, Path], clean: dict[str, Answers], tmp_path: Path
) -> None:
    folder = copy(recordings[name], tmp_path / name)
    assert plant(folder, rows_of([*recordings.values()])) > 10
    for strange in ("pods.parquet.old", "x.parquet"):
        shutil.copy(files(recordings["fleet"])[0], next(segments_of(folder)) / strange)
    assert replayed(folder) == clean[name]


@pytest.mark.parametrize("named", PATTERNS)
def test_the_name_of_a_folder_mixes_nothing_in(
    named: str, recordings: dict[str, Path], clean: dict[str, Answers], tmp_path: Path
) -> None:
    for beside in ("inc1", "inca", "b", "bck", "seq"):
        copy(recordings["scaled-by-hand"], tmp_path / beside)
    folder = copy(recordings["metrics-down"], tmp_path / named / "friday")
    assert replayed(folder) == clean["metrics-down"]
    with replay(folder) as results:
        assert answers(results) == clean["metrics-down"]
        assert results.path == folder / "results.duckdb"
    # By plain DuckDB as well: the views in the file name these very files.
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(folder / "results.duckdb"), read_only=True) as plain:
        for view in sql.folder("recorded"):
            assert sorted(plain.sql(f"from {view}").fetchall(), key=repr) == clean["metrics-down"][view]


@pytest.mark.parametrize("named", ["b\\ck", "inc?"])
def test_a_path_that_duckdb_cannot_write_to_is_replayed_all_the_same(
    named: str, recordings: dict[str, Path], clean: dict[str, Answers], tmp_path: Path
) -> None:
    """It takes a backslash for a slash, and puts `.wal` before a question mark."""
    lines: list[str] = []
    folder = copy(recordings["metrics-down"], tmp_path / named)
    with replay(folder, warn=lines.append) as results:
        assert answers(results) == clean["metrics-down"]
    mark = "\\" if "\\" in named else "?"
    message = f"{folder} has a {mark} in its name, which DuckDB misreads: the results are kept in "
    assert [line.startswith(message) for line in lines] == [True]


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_not_what_was_written_is_named(
    name: str, harm: str, recordings: dict[str, Path], tmp_path: Path
) -> None:
    chance = random.Random(f"{name} {harm}")  # noqa: S311 (chance that can be repeated)
    folder = copy(recordings[name], tmp_path / name)
    every = files(folder)
    for path in every if name == "metrics-down" else chance.sample(every, 12):
        data = path.read_bytes()
        before = {other: other.read_bytes() for other in every}
        HARMS[harm](path, chance)
        if {other: other.read_bytes() for other in every if other.exists()} == before:
            continue  # a swap of equals
        with pytest.raises(DamagedRecording, match="segments/"):
            replay(folder)
        for other, was in before.items():
            other.write_bytes(was)
        for planted in set(files(folder)) - set(every):
            planted.unlink()
        assert path.read_bytes() == data


@pytest.mark.parametrize("harm", [*HARMS, "remove"])
def test_a_file_that_changes_between_the_decisions_and_the_audit_is_named(
    harm: str, recordings: dict[str, Path], clean: dict[str, Answers], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine has read everything, the audit nothing yet: whatever it asks is what was decided from."""
    finish = ResultsWriter.finish
    folder = copy(recordings["fleet"], tmp_path / "fleet")
    target = folder

    def harmed(writer: ResultsWriter, *explain: Any) -> Any:
        if harm == "remove":
            target.unlink()
        else:
            HARMS[harm](target, random.Random(harm))  # noqa: S311 (chance that can be repeated)
        return finish(writer, *explain)

    monkeypatch.setattr(ResultsWriter, "finish", harmed)
    names = set()
    for target in [path for path in files(folder) if path.parent.name == "000002"]:
        shutil.rmtree(folder)
        copy(recordings["fleet"], folder)
        if target.stem in asked():
            with pytest.raises(DamagedRecording, match=rf"segments/00000\d/{target.name}"):
                replayed(folder)
            assert {path.name for path in tmp_path.iterdir()} <= {"fleet", "handled.duckdb"}
            names.add(target.stem)
        else:
            assert replayed(folder) == clean["fleet"]
    assert names >= {"pods", "reads", "samples"}


@pytest.mark.parametrize("harm", ["flip", "shorten", "cut", "move", "swap"])
def test_what_changes_after_the_replay_is_named_where_it_is_asked(
    harm: str, recordings: dict[str, Path], clean: dict[str, Answers], tmp_path: Path
) -> None:
    """Of a results file that is named: what is in it is told as before, what lies in the recording is checked."""
    folder = copy(recordings["metrics-down"], tmp_path / "friday")
    replay(folder).close()
    views = {"samples": "metric_samples", "reads": "metric_samples", "pods": "pod_states"}
    for table, view in views.items():
        path = folder / layout.SEGMENTS / "000002" / f"{table}.parquet"
        data = path.read_bytes()
        HARMS[harm](path, random.Random(table))  # noqa: S311 (chance that can be repeated)
        with open_file(folder / "results.duckdb") as results:
            assert results.sql("from scale_events").fetchall()
            with pytest.raises(DamagedRecording, match=rf"segments/00000\d/{table}"):
                results.rows(f"from {view}")
        shutil.rmtree(folder / layout.SEGMENTS)
        shutil.copytree(recordings["metrics-down"] / layout.SEGMENTS, folder / layout.SEGMENTS)
        assert path.read_bytes() == data
    with open_file(folder / "results.duckdb") as results:
        assert answers(results) == clean["metrics-down"]


@pytest.mark.parametrize("location", ["beside", "around", "where it was"])
def test_results_that_move_show_their_own_recording(
    location: str, recordings: dict[str, Path], clean: dict[str, Answers], tmp_path: Path
) -> None:
    """Though a recording of the same name lies where it was."""
    folder = copy(recordings["metrics-down"], tmp_path / "friday")
    results = tmp_path / "r.duckdb" if location == "where it was" else folder / "results.duckdb"
    replay(folder, into=results).close()
    (tmp_path / "away").mkdir()
    moved = tmp_path / "away" / "friday"
    if location == "where it was":
        results = results.rename(tmp_path / "away" / "r.duckdb")
    else:
        shutil.copytree(folder, moved)
        shutil.rmtree(folder)
        copy(recordings["scaled-by-hand"], folder)
        results = moved / "results.duckdb"
    if location == "beside":
        results = results.rename(tmp_path / "away" / "r.duckdb")
    with open_file(results) as opened:
        assert answers(opened) == clean["metrics-down"]


def test_a_recording_that_is_gone_is_said(recordings: dict[str, Path], tmp_path: Path) -> None:
    folder = copy(recordings["metrics-down"], tmp_path / "friday")
    replay(folder, into=tmp_path / "r.duckdb").close()
    shutil.rmtree(folder)
    copy(recordings["scaled-by-hand"], folder)
    lines: list[str] = []
    with pytest.raises(Exception, match=f"the recording {folder} does not exist: put it beside") as gone:
        query(tmp_path / "r.duckdb", "select * from pod_states").rows()
    assert "\n" not in str(gone.value)
    explain(
        tmp_path / "r.duckdb",
        "shop/checkout",
        at=open_recording(ROOT / "metrics-down").info.started_us,
        warn=lines.append,
    )
    assert [line.startswith(f"the recording {folder} is not here as it was replayed") for line in lines] == [True]


@pytest.fixture
def states(recordings: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """A fleet while its first segments are removed: before, after each change of a name or a file, and in the end."""
    folder, states_so_far = copy(recordings["fleet"], tmp_path / "live" / "fleet"), []

    def keep() -> None:
        states_so_far.append(tmp_path / "states" / str(len(states_so_far)) / "fleet")
        shutil.copytree(folder, states_so_far[-1])

    def kept_after(call: Any) -> Any:
        def called(*args: Any, **options: Any) -> Any:
            answer = call(*args, **options)
            keep()
            return answer

        return called

    keep()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", kept_after(Path.rename))
        patch.setattr(durable.shutil, "rmtree", kept_after(shutil.rmtree))
        opened = open_recording(folder)
        assert retiring.remove_segments(folder, opened.segments, 2, "removed by retention")
    return states_so_far


def test_a_copy_taken_while_old_segments_go_answers_as_before_or_after_or_says_what_it_lacks(
    states: list[Path], tmp_path: Path
) -> None:
    whole = [replayed(states[0]), replayed(states[-1])]
    assert whole[0] != whole[1]
    chance, refused = random.Random(5), 0  # noqa: S311 (chance that can be repeated)
    folders = states[1:-1]
    for number in range(6):
        folders.append(tmp_path / "copies" / str(number) / "fleet")
        copied_meanwhile(states, folders[-1], chance)
    for folder in folders:
        try:
            assert replayed(folder) in whole, folder
        except DamagedRecording:
            refused += 1
    assert refused < len(folders)


def test_segments_that_go_between_the_decisions_and_the_audit_are_missed(
    recordings: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy(recordings["fleet"], tmp_path / "fleet")
    finish = ResultsWriter.finish

    def retired(writer: ResultsWriter, *explain: Any) -> Any:
        retiring.remove_segments(folder, open_recording(folder).segments, 2, "removed by retention")
        return finish(writer, *explain)

    monkeypatch.setattr(ResultsWriter, "finish", retired)
    with pytest.raises(DamagedRecording, match="segments/00000"):
        replayed(folder)
    monkeypatch.undo()
    with open_source(folder) as results:
        assert results.rows("select cause from coverage_gaps") == [{"cause": "removed by retention"}]
