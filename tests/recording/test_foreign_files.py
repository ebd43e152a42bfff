"""Files in a recording's folder that are no part of it are named, and change nothing."""

import os
from pathlib import Path

import pytest

import hpaaudit
from hpaaudit.flows.inspect import inspect
from hpaaudit.flows.replay import replayed_reconciles
from hpaaudit.recording.format.reader_limits import FOREIGN_NAMED
from hpaaudit.recording.inspection.verify import Verification, verify
from tests.cli.run import run
from tests.recording.small import small

KNOWN = (
    "README.md", "README", "expected.txt", "results.duckdb", "ballast", "end.json.tmp",
    "recording.json.tmp", "head.sig", "log/000009.wal.tmp", "quarantine/000001.wal", "segments/000001/uploaded",
)  # fmt: skip
FOREIGN = (
    "segments/000001/scale_writes.parquet.bak", "segments/000001/ends.parquet", "segments/000001/more/hpas.parquet",
    "segments/hpas.parquet", "segments/1/hpas.parquet", "extra/manifest.json", "samples.parquet", "log/notes",
    "segments/000001/.hidden", "core",
)  # fmt: skip


def put(folder: Path, name: str) -> None:
    """A file with folders above it."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(b"x")


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    return small(tmp_path / "friday", reconciles=True)


def test_what_may_lie_there_is_not_named(sound: Path) -> None:
    for name in KNOWN:
        put(sound, name)
    assert verify(sound).foreign == ()
    assert verify(sound).foreign_count == 0


def test_a_replay_that_runs_beside_is_not_named(sound: Path) -> None:
    """Its results lie in a folder of their own until they are finished."""
    seen: list[Verification] = []
    hpaaudit.replay(sound, progress=lambda *_: seen.append(verify(sound))).close()
    assert seen
    assert {name for verification in seen for name in verification.foreign} == set()


@pytest.mark.parametrize("name", FOREIGN)
def test_what_no_document_names_is_named_and_changes_nothing(sound: Path, name: str) -> None:
    before = verify(sound, reread=True), inspect(sound), repr(list(replayed_reconciles(sound)))
    put(sound, name)
    after = verify(sound, reread=True)
    assert after.damages == ()
    (foreign,) = after.foreign
    assert name.startswith(foreign.removesuffix(" (a folder)"))
    assert inspect(sound).foreign == (foreign,)
    assert (after.head, after.facts) == (before[0].head, before[0].facts)
    assert inspect(sound).tables == before[1].tables
    assert repr(list(replayed_reconciles(sound))) == before[2]


@pytest.mark.parametrize("name", ["README.md", "results.duckdb", "ballast", "quarantine", "segments/000001/uploaded"])
def test_a_link_is_named_whatever_it_is_called(sound: Path, name: str) -> None:
    (sound / name).symlink_to("/etc/passwd")
    assert verify(sound).foreign == (f"{name} (a link)",)
    assert verify(sound).damages == ()


def test_a_name_that_steers_a_terminal_is_written_out_by_every_command(sound: Path) -> None:
    (sound / "segments" / "\x1b[31m\n").write_bytes(b"")
    os.close(os.open(bytes(sound) + b"/\xff\xfe", os.O_CREAT | os.O_WRONLY, 0o600))
    for command in ("verify", "inspect", "verify -o json", "inspect -o json", "replay"):
        code, out, err = run(f"hpaaudit {command} {sound}")
        assert code == 0
        assert "\x1b" not in out + err
        assert "\\xff" in out + err
        (out + err).encode()


def test_very_many_are_counted_and_some_are_named(sound: Path) -> None:
    for number in range(FOREIGN_NAMED + 5):
        (sound / f"{number}.bin").write_bytes(b"")
    verification = verify(sound)
    assert (len(verification.foreign), verification.foreign_count) == (FOREIGN_NAMED, FOREIGN_NAMED + 5)
    assert f"and {FOREIGN_NAMED - 5} more" in run(f"hpaaudit verify {sound}")[1]
