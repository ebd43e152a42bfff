"""Which results are used: complete ones that this user made of this very recording. A line names any others."""

import os
import re
import shutil
from pathlib import Path

import duckdb
import pytest

from hpaaudit.flows import provenance
from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.version import VERSION
from tests.cli.conftest import CAPTURE
from tests.cli.run import run

HOW_MANY = 'hpaaudit query friday "select count(*) from reconciles" -o csv'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that commands run in, a recording `friday` in it, and a user who made nothing yet."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    shutil.copytree(bundled_recording(), "friday", ignore=shutil.ignore_patterns("*.duckdb"))
    return tmp_path / "here"


def lied(path: Path) -> None:
    """Changes results so that they name the right recording and say something else."""
    with duckdb.connect(str(path)) as file:
        file.execute("delete from runs.encoded_reconciles")


def test_results_of_ours_are_used_again(here: Path) -> None:
    assert run("hpaaudit replay friday")[0] == 0
    before = (here / "friday" / "results.duckdb").stat()
    assert run(HOW_MANY)[2] == ""
    assert (here / "friday" / "results.duckdb").stat() == before


@pytest.mark.parametrize("command", [HOW_MANY, "hpaaudit explain friday"])
def test_results_that_came_with_a_recording_are_not_believed_though_they_name_it(command: str, here: Path) -> None:
    assert run("hpaaudit replay friday")[0] == 0
    true = run(command)
    lied(here / "friday" / "results.duckdb")
    warning = "friday/results.duckdb was not made here by you: friday is replayed again\n"
    assert run(command) == (true[0], true[1], warning)
    assert run(command) == true


def test_a_file_that_is_named_is_answered_from_and_said_to_come_from_elsewhere(here: Path) -> None:
    assert run("hpaaudit replay friday --into web.duckdb")[0] == 0
    assert run('hpaaudit query web.duckdb "select count(*) from hpas"')[2] == ""
    lied(here / "web.duckdb")
    code, out, err = run('hpaaudit query web.duckdb "select count(*) as n from reconciles" -o csv')
    assert (code, out) == (0, "n\n0\n")
    assert err == "web.duckdb was not made here by you: trust it only if you know who made it\n"


def test_a_copy_and_a_moved_file_of_ours_are_ours(here: Path) -> None:
    assert run("hpaaudit replay friday --into web.duckdb")[0] == 0
    shutil.copy("web.duckdb", "copy.duckdb")
    (here / "web.duckdb").rename("moved.duckdb")
    for name in ("copy", "moved"):
        assert run(f'hpaaudit query {name}.duckdb "from hpas"')[2] == ""


@pytest.mark.parametrize("seconds", [0, 3600])
def test_bytes_that_change_behind_an_equal_time_are_noticed(seconds: int, here: Path) -> None:
    """Who may write to a file may also set when it was changed."""
    assert run("hpaaudit replay friday")[0] == 0
    path = here / "friday" / "results.duckdb"
    was = path.stat()
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns + seconds))
    code, out, told = run(HOW_MANY)
    # Where DuckDB itself sees that they changed, it is no results file any more.
    assert (code, out) == (2, "")
    assert re.search("was not made here by you|is not a results file of hpaaudit and is not replaced", told)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "options", ["--since -30s", "--until -30s", "--release 1.30", "--flag tolerance=0.5", "--hpa shop/checkout"]
)
def test_a_replay_that_is_narrowed_or_changed_is_not_the_answer_of_its_folder(options: str) -> None:
    assert run("hpaaudit replay friday")[0] == 0
    true = run(HOW_MANY)
    code, out, _ = run(f"hpaaudit replay friday {options}")
    assert code == 0
    assert "saved friday/what-if.duckdb" in out
    assert run(HOW_MANY) == true
    (option,) = run('hpaaudit query friday/what-if.duckdb "select options from replays" -o csv')[1].splitlines()[1:]
    assert option.startswith(options.split(maxsplit=1)[0])
    code, out, err = run(f"hpaaudit replay friday {options} --into friday/../friday/results.duckdb --overwrite")
    assert (code, out) == (2, "")
    assert "does not replace it: name another file with --into" in err
    assert run(HOW_MANY) == true


@pytest.mark.usefixtures("here")
def test_every_replay_of_a_recording_is_kept_and_the_last_one_is_shown() -> None:
    command = 'hpaaudit query friday/what-if.duckdb "select options from runs.replays order by ran_at" -o csv'
    shown = 'hpaaudit query friday/what-if.duckdb "select options, (from recordings select count(*)) as n from replays"'
    for tolerance in ("0.2", "0.3", "0.2"):
        assert run(f"hpaaudit replay friday --flag tolerance={tolerance}")[0] == 0
    assert run(command)[1].split() == ["options", "--flag", "tolerance=0.3", "--flag", "tolerance=0.2"]
    assert run(shown + " -o csv")[1].splitlines()[1:] == ["--flag tolerance=0.2,1"]
    rows = (
        'hpaaudit query friday/what-if.duckdb "select count(distinct desired) from runs.reconciles group by replay_id"'
    )
    assert len(run(rows + " -o csv")[1].splitlines()) == 3
    assert run("hpaaudit replay friday")[0] == 0
    assert run("hpaaudit replay friday --detail all")[0] == 0
    details = 'hpaaudit query friday "select detail, mode from runs.replays order by ran_at" -o csv'
    assert run(details)[1].split() == ["detail,mode", "moved,audit", "all,audit"]


@pytest.mark.usefixtures("here")
def test_a_what_if_says_which_one_its_file_showed_before() -> None:
    said = {}
    for tolerance in ("0.2", "0.2", "0.3", "0.4"):
        said[tolerance] = " ".join(
            run(f"hpaaudit replay friday --flag tolerance={tolerance}")[1].split("saved")[1].split()
        )
    assert said["0.2"] == "friday/what-if.duckdb"
    assert "show this what-if. The one before, --flag tolerance=0.2, stays in its schema runs" in said["0.3"]
    assert "The one before, --flag tolerance=0.3 and 1 more, stays in its schema runs" in said["0.4"]
    assert "The one before" not in run("hpaaudit replay friday --flag tolerance=0.2 --into own.duckdb")[1]
    assert "The one before" not in run("hpaaudit replay friday")[1]


def test_replays_that_somebody_else_made_are_not_kept(here: Path) -> None:
    assert run("hpaaudit replay friday --flag tolerance=0.3")[0] == 0
    lied(here / "friday" / "what-if.duckdb")
    assert run("hpaaudit replay friday --flag tolerance=0.2")[0] == 0
    count = 'hpaaudit query friday/what-if.duckdb "select count(*) as n from runs.replays" -o csv'
    assert run(count)[1] == "n\n1\n"


@pytest.fixture
def read_only(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`friday` takes no new file. By a patch, for root may write to every folder."""
    make = provenance.tempfile.mkdtemp

    def refused(suffix: str | None = None, prefix: str | None = None, dir: object = None) -> str:  # noqa: A002 as it is called
        if dir is not None and Path(str(dir)).name == "friday":
            raise OSError(30, "Read-only file system")
        return make(suffix, prefix, dir)

    monkeypatch.setattr("tempfile.mkdtemp", refused)
    del here


@pytest.mark.usefixtures("read_only")
def test_a_folder_that_cannot_be_written_to_is_replayed_into_the_state_folder(here: Path) -> None:
    code, out, err = run(HOW_MANY)
    assert code == 0
    state_folder = here.parent / "state" / "hpaaudit" / "results"
    assert err.startswith(f"friday cannot be written to: the results are kept in {state_folder}/")
    assert run(HOW_MANY) == (0, out, "")
    assert [path.name for path in (here / "friday").iterdir() if path.suffix == ".duckdb"] == []
    assert run("hpaaudit explain friday")[0] == 0
    warning = run("hpaaudit replay friday --into friday/mine.duckdb")[2]
    assert warning == (
        "Error: friday/mine.duckdb cannot be written (Read-only file system): name another file with --into\n"
    )


def test_a_name_that_duckdb_misreads_is_said_to_be_the_reason(here: Path) -> None:
    (here / "friday").rename("why?")
    _, _, err = run("hpaaudit replay 'why?'")
    assert err.startswith("why? has a ? in its name, which DuckDB misreads: the results are kept in ")
    assert run("hpaaudit explain 'why?'")[0] == 0


@pytest.mark.usefixtures("read_only")
def test_without_a_home_the_temporary_folder_of_this_user_serves(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/proc/nowhere")
    monkeypatch.setattr("tempfile.tempdir", str(here.parent))
    _, out, err = run(HOW_MANY)
    assert f"{here.parent}/hpaaudit-{os.geteuid()}/results/" in err
    assert run(HOW_MANY) == (0, out, "")


@pytest.mark.usefixtures("here")
def test_where_nothing_can_be_remembered_it_is_said_and_replayed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance, "state_folder", lambda: None)
    _, out, err = run(HOW_MANY)
    assert err == "no state folder can be written to: a later command cannot know that you made friday/results.duckdb\n"
    _, again, stderr = run(HOW_MANY)
    assert again == out
    assert stderr.startswith("friday/results.duckdb was not made here by you: friday is replayed again\n")


@pytest.mark.parametrize("kind", ["open", "link", "file"])
def test_a_state_folder_that_others_could_write_to_is_none(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    folder = tmp_path / "hpaaudit"
    if kind == "open":
        folder.mkdir()
        folder.chmod(0o777)
    elif kind == "link":
        (tmp_path / "other").mkdir()
        folder.symlink_to(tmp_path / "other")
    else:
        folder.write_text("")
    (tmp_path / "none").write_text("")
    assert provenance.state_folder() is None


def test_only_so_many_results_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(provenance, "MOST_REMEMBERED", 6)
    for number in range(5):
        (tmp_path / "x").write_text(str(number))
        assert provenance.remember(tmp_path / "x")
        os.utime(tmp_path / "hpaaudit" / "made" / provenance._content_name(tmp_path / "x"), (number, number))
    assert provenance.is_ours(tmp_path / "x")
    assert len(list((tmp_path / "hpaaudit" / "made").iterdir())) == 6


def test_results_are_for_nobody_elses_eyes(here: Path) -> None:
    assert run("hpaaudit replay friday")[0] == 0
    assert (here / "friday" / "results.duckdb").stat().st_mode & 0o777 == 0o600


def test_a_copy_of_a_folder_reads_its_own_recording_though_the_original_is_there(here: Path) -> None:
    asked = '"select count(*) as n from pod_states" -o csv'
    assert run("hpaaudit replay friday")[0] == 0
    answer = run(f"hpaaudit query friday {asked}")
    shutil.copytree(here / "friday", here / "saturday")
    for pods in (here / "friday").rglob("pods.parquet"):
        pods.write_bytes(b"")
    assert run(f"hpaaudit query saturday {asked}") == answer
    assert run(f"hpaaudit query saturday/results.duckdb {asked}") == answer
    shutil.rmtree(here / "friday")
    (here / "saturday").rename(here / "sunday")
    assert run(f"hpaaudit query sunday/results.duckdb {asked}") == answer


def test_a_file_of_somebody_else_under_our_default_name_is_not_replaced(here: Path) -> None:
    with duckdb.connect(str(here / "friday" / "results.duckdb")) as other:
        other.execute("create table thesis as select 42 as answer")
    code, _, err = run("hpaaudit replay friday")
    assert (code, err.startswith("Error: friday/results.duckdb is not a results file of hpaaudit")) == (2, True)


def test_both_versions_are_the_version_of_hpaaudit(here: Path) -> None:
    shutil.copy(CAPTURE, here / "people.jsonl.gz")
    assert run("hpaaudit import capture people.jsonl.gz --into people")[0] == 0
    asked = '"select engine_version, recorder_version from replays join recordings using (recording_id)" -o csv'
    assert run(f"hpaaudit query people {asked}")[1] == f"engine_version,recorder_version\n{VERSION},{VERSION}\n"


@pytest.mark.parametrize("detail", ["moved", "numbers"])
def test_results_away_from_their_recording_say_what_cannot_be_shown(detail: str, here: Path) -> None:
    """Each line that is lacking is named; what the results hold is shown."""
    assert run(f"hpaaudit replay friday --detail {detail} --into moved.duckdb")[0] == 0
    code, beside, err = run("hpaaudit explain moved.duckdb")
    assert (code, err) == (0, "")
    (here / "friday").rename(here.parent / "friday")
    code, away, err = run("hpaaudit explain moved.duckdb")
    assert (code, err.count("\n")) == (0, 1)
    assert "recording friday is not here as it was replayed, so " in err
    assert (
        "the nearest change and the budget of policies cannot be shown: put it beside moved.duckdb, or replay it" in err
    )
    lacking = [line for line in beside.splitlines() if line not in away.splitlines()]
    assert any("nearest change" in line for line in lacking)
    assert ("the steps, " in err) == (detail == "numbers")
    assert run("hpaaudit explain moved.duckdb -q")[2] == ""
