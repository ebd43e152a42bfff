"""What `--since`, `--until`, `--no-headers`, `-o`, `-q` and `-v` do on commands that had to learn them."""

import json
import shutil
from pathlib import Path

import pytest
import yaml

import hpaaudit
from hpaaudit.api.times import precise
from hpaaudit.flows.bundled import bundled_recording, bundled_recordings
from hpaaudit.model.facts import PodGone
from hpaaudit.model.units import Micros
from tests.cli.run import printed, run

DEMO = bundled_recording()


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("shared") / "demo.duckdb"
    printed(f"hpaaudit replay {DEMO} --into {file}")
    return file


def explained(results: Path, options: str) -> str:
    """When the reconcile was that is explained."""
    at_us: int = json.loads(printed(f"hpaaudit explain {results} {options} -o json"))["at_us"]
    return precise(Micros(at_us))


def times(results: Path, where: str) -> list[str]:
    """The times of these reconciles."""
    sql = f"select epoch_us(ts) as at_us from reconciles where {where} order by ts"  # noqa: S608 our own
    return [precise(row["at_us"]) for row in json.loads(printed(f'hpaaudit query {results} "{sql}" -o json'))]


def test_explain_chooses_among_the_reconciles_of_a_time(results: Path) -> None:
    span = "--since 15:00 --until 15:01"
    among = times(results, "ts between '2026-11-21 15:00:00' and '2026-11-21 15:01:00.999999'")
    assert len(among) == 4
    assert explained(results, f"{span} --at first") == among[0]
    assert explained(results, f"{span} --at last") == among[-1]
    assert explained(results, span) in among
    assert explained(results, f"{span} --at {among[1]}") == among[1]
    [divergent] = times(results, "verdict = 'divergent'")
    assert explained(results, "--since 15:04 --at first-divergence") == divergent
    assert explained(results, "--until 15:06") == divergent == explained(results, "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--since 15:00 --until 15:01 --at first-divergence", "shop/checkout has no divergent reconcile from 2026-"),
        ("--since 15:05 --until 15:05:01", "has no reconcile from 2026-11-21T15:05:00Z to 2026-11-21T15:05:01Z"),
        ("--since 15:05 --until 15:05:01 --at first", "--at first: shop/checkout has no reconcile from"),
        ("--since 15:05:03 --at 15:05:04", "has no reconcile from 2026-11-21T15:05:03Z to 2026-11-21T15:05:04Z"),
        ("--since 15:05 --at 15:04", "before --since, which is 2026-11-21T15:05:00Z"),
        ("--until 15:05 --at 15:06", "later than --until, which is 2026-11-21T15:05:00.999999Z"),
        ("--since 15:05 --until 15:04", "--since 15:05 is later than --until 15:04"),
    ],
)
def test_explain_says_that_the_time_has_no_such_reconcile(results: Path, options: str, message: str) -> None:
    code, out, err = run(f"hpaaudit explain {results} {options}")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_inspect_counts_what_is_of_a_time() -> None:
    whole = json.loads(printed(f"hpaaudit inspect {DEMO} -o json"))
    first = json.loads(printed(f"hpaaudit inspect {DEMO} --until 15:04:00 -o json"))
    later = json.loads(printed(f"hpaaudit inspect {DEMO} --since 15:04:01 -o json"))
    for counted in ("reads", "failures", "polled", "new"):
        assert first[counted] + later[counted] == whole[counted]
    assert 0 < first["reads"] < whole["reads"]
    assert first["pods"] < whole["pods"]
    assert first["facts"] == whole["facts"]
    assert first["hpas"] == later["hpas"] == whole["hpas"]  # seen before, and there all the same
    told = printed(f"hpaaudit inspect {DEMO} --since 15:00 --until 15:04")
    assert "15:00:00Z to 15:04:00Z: 1 HPA" in told
    assert "of the whole recording:" in told


@pytest.mark.usefixtures("at_desk")
def test_inspect_leaves_out_a_pod_that_was_deleted_before() -> None:
    assert run("hpaaudit import capture people.jsonl.gz --into deleted")[0] == 0
    gone = [fact for fact in hpaaudit.open("deleted").facts() if isinstance(fact, PodGone)]
    pods, left = (
        json.loads(printed(f"hpaaudit inspect deleted {options} -o json"))["pods"]
        for options in ("", f"--since {precise(Micros(gone[-1].at_us + 1))}")
    )
    assert left == pods - len({fact.uid for fact in gone}) < pods


def test_demo_plays_a_part_of_its_incident(tmp_path: Path) -> None:
    def reconciles(options: str) -> int:
        [hpa] = json.loads(printed(f"hpaaudit demo --into {tmp_path}/{len(options)}.duckdb -o json {options}"))["hpas"]
        count: int = hpa["reconciles"]
        return count

    assert reconciles("--since 15:04 --until 15:05") == 4
    assert reconciles("-n shop --hpa checkout") == reconciles("") == 55
    assert run(f"hpaaudit demo --into {tmp_path}/none.duckdb -n other")[0] == 2


def test_demo_prints_as_replay_does(tmp_path: Path) -> None:
    name = f"hpaaudit demo metrics-down --into {tmp_path}/one.duckdb --overwrite"
    assert printed(f"{name} -o name") == "shop/checkout\n"
    assert yaml.safe_load(printed(f"{name} -o yaml")) == json.loads(printed(f"{name} -o json"))
    assert printed(f"{name} -o wide").startswith(printed(name).partition("\n\n")[0])
    code, _, err = run(f"{name} -v")
    assert (code, err.endswith(" s in all\n")) == (0, True)


def test_demo_lists_its_incidents_in_every_form() -> None:
    incidents = bundled_recordings()
    assert printed("hpaaudit demo --list -o name").split() == [*incidents]
    heading, *rows = printed("hpaaudit demo --list -o wide").splitlines()
    assert heading.split() == ["NAME", "HAPPENED"]
    assert [tuple(row.split(maxsplit=1)) for row in rows] == [*incidents.items()]
    assert printed("hpaaudit demo --list -o wide --no-headers").splitlines() == rows
    listed = [{"name": name, "happened": happened} for name, happened in incidents.items()]
    assert json.loads(printed("hpaaudit demo --list -o json")) == listed


@pytest.mark.parametrize(
    "command",
    [
        f"inspect {DEMO}",
        "replay friday -q",
        "demo --into demo.duckdb --overwrite",
        "releases --between 1.26 1.33 -o wide",
        "demo --list -o wide",
        "query friday what_happened -q",
    ],
)
def test_without_headings_the_lines_are_the_same_but_for_these(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(DEMO, "friday", ignore=shutil.ignore_patterns("*.duckdb"))
    printed("hpaaudit replay friday -q")
    told = {" ".join(line.split()) for line in printed(f"hpaaudit {command}").splitlines()}
    bare = {" ".join(line.split()) for line in printed(f"hpaaudit {command} --no-headers").splitlines()}
    assert bare < told
    assert [line for line in told - bare if line != line.upper()] == []
    assert {" ".join(line.split()) for line in printed(f"hpaaudit {command}").splitlines()} == told


def test_releases_are_a_table_or_names() -> None:
    changes = json.loads(printed("hpaaudit releases --between 1.26 1.33 -o json"))["changes"]
    names = printed("hpaaudit releases --between 1.26 1.33 -o name").splitlines()
    assert names == [*dict.fromkeys(change["name"] for change in changes)]
    rows = printed("hpaaudit releases --between 1.26 1.33 -o wide --no-headers").splitlines()
    assert len(rows) == len(changes)
    assert all(change["description"] in row for change, row in zip(changes, rows, strict=True))


def test_verify_names_the_damaged_files(tmp_path: Path) -> None:
    shutil.copytree(DEMO, tmp_path / "friday")
    assert printed(f"hpaaudit verify {tmp_path}/friday -o name") == ""
    file = next((tmp_path / "friday" / "segments").rglob("hpas.parquet"))
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    code, out, err = run(f"hpaaudit verify {tmp_path}/friday -o name")
    assert (code, out, err) == (2, f"{file.relative_to(tmp_path / 'friday')}\n", "")


def test_verify_lists_every_foreign_file_if_asked(tmp_path: Path) -> None:
    shutil.copytree(DEMO, tmp_path / "friday", ignore=shutil.ignore_patterns("*.duckdb"))
    names = [f"note-{number:02}.csv" for number in range(15)]
    for name in names:
        (tmp_path / "friday" / name).touch()
    told = printed(f"hpaaudit verify {tmp_path}/friday")
    wide = printed(f"hpaaudit verify {tmp_path}/friday -o wide")
    assert all(name in wide for name in names)
    assert " more." in told
    assert " more." not in wide


@pytest.mark.usefixtures("at_desk")
def test_what_is_lost_is_not_said_if_nobody_wants_to_hear_it(desk: Path) -> None:
    spoken, quiet = (run(f"hpaaudit convert {desk}/several.yaml --to v1{option}") for option in ("", " -q"))
    assert spoken[2] != ""
    assert quiet == (0, spoken[1], "")


@pytest.mark.parametrize("command", ["version", "releases --between 1.32 1.33", f"repair {DEMO} --plan"])
def test_how_long_it_took_is_said_if_asked(command: str) -> None:
    code, out, err = run(f"hpaaudit {command} -v -q")
    assert (code, err.endswith(" s in all\n"), err.count("\n")) == (0, True, 1)
    assert out == printed(f"hpaaudit {command}")
