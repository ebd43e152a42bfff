"""`report` writes a page, and no file that is there is lost."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.flows.query import account
from hpaaudit.flows.replay import replay
from hpaaudit.flows.report import report
from hpaaudit.flows.report_files import SUFFIXES
from tests.cli.run import run


@pytest.mark.usefixtures("at_desk")
def test_the_command_writes_a_page_once_and_replaces_it_only_when_asked() -> None:
    code, out, _ = run("hpaaudit report web.duckdb --into web.html")
    assert code == 0
    text = Path("web.html").read_text("utf-8")
    assert out == f"saved web.html ({len(text.encode()):,} bytes)\n"
    assert "shop/web" in text
    assert '<details class="told">' in text
    code, out, err = run("hpaaudit report web.duckdb --into web.html")
    assert (code, out) == (2, "")
    assert "web.html exists" in err
    assert run("hpaaudit report web.duckdb --into web.html --overwrite")[0] == 0
    Path("ticket").mkdir()
    assert run("hpaaudit report web.duckdb --into ticket -o junit")[1].startswith("saved ticket/report.xml (")
    code, _, err = run("hpaaudit report web.duckdb --into ticket -o junit")
    assert (code, "ticket/report.xml exists" in err) == (2, True)
    assert run("hpaaudit report web.duckdb --into - -o junit")[1].startswith("<?xml")
    assert run("hpaaudit report web.duckdb --into web.txt -o markdown")[0] == 0
    code, _, err = run("hpaaudit report web.duckdb --into none/web.html")
    assert (code, "cannot be written" in err) == (2, True)


@pytest.mark.usefixtures("at_desk")
@pytest.mark.parametrize("form", [*SUFFIXES])
def test_every_format_is_printed_as_it_is_written(form: str, tmp_path: Path) -> None:
    file = tmp_path / f"web.{SUFFIXES[form]}"
    assert run(f"hpaaudit report web.duckdb --into {file} -o {form}")[0] == 0
    code, out, err = run(f"hpaaudit report web.duckdb --into - -o {form}")
    written = re.sub(r"!\[[^]]*\]\(web\.1\.svg\)\n\n", "", file.read_text("utf-8"))  # it lies beside the file
    assert (code, err) == (0, "")
    assert out == written
    assert form != "markdown" or (tmp_path / "web.1.svg").exists()


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("f.md", "replay of "),
        ("f.xml", "<?xml"),
        ("f.sarif", "{"),
        ("f.json", "{"),
        ("f.html", "<!doctype"),
        ("f", "<!doctype"),
    ],
)
def test_the_name_of_the_file_says_the_format(name: str, begins: str, tmp_path: Path) -> None:
    code, _, err = run(f"hpaaudit report recordings/scaled-by-hand --into {tmp_path / name}")
    assert code == 0, err
    assert (tmp_path / name).read_text("utf-8").lower().startswith(begins)


def test_a_page_of_one_hpa_and_one_hour_shows_what_such_a_replay_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(bundled_recording("gitops-loop"), "friday", ignore=shutil.ignore_patterns("*.duckdb"))
    with replay("friday", hpas=["shop/checkout"], since="23:08", until="23:10") as results:
        asked = account(results)
    drawn = report("friday", hpas=["shop/checkout"], since="23:08", until="23:10")
    assert 0 < asked.hpas[0].reconciles < 10
    assert replace(drawn.account, missing=()) == asked
    assert {moment.at_us for moment in drawn.explanations} <= set(range(asked.started_us, asked.ended_us))

    narrowed = "--since 23:08 --until 23:10 --into hour.html"
    code, _, err = run(f"hpaaudit report friday -n shop {narrowed}")
    assert (code, err) == (0, "")
    page = Path("hour.html").read_text("utf-8")
    assert "23:09:06Z" in page
    assert "23:12:07Z" not in page
    assert run(f"hpaaudit report friday -n other {narrowed} --overwrite")[0] == 2
    code, _, err = run(f"hpaaudit report friday/what-if.duckdb {narrowed} --overwrite")
    assert (code, err) == (
        2,
        (
            "Error: friday/what-if.duckdb was replayed already: "
            "give the recording to --hpa, --selector, --since and --until\n"
        ),
    )
