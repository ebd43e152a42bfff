"""What a stranger tries at 3 a.m. works, or the one line that it gets says what does."""

import os
import re
import shutil
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

import hpaaudit
from hpaaudit.cli import hpaaudit_command
from hpaaudit.flows.bundled import bundled_recording
from tests.cli.run import printed, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of two HPAs, `friday`, its results `r.duckdb`, a cut copy of these, and an empty file."""
    made = tmp_path_factory.mktemp("night")
    shutil.copytree(bundled_recording("two-hpas"), made / "friday", ignore=shutil.ignore_patterns("*.duckdb"))
    hpaaudit.replay(made / "friday", into=made / "r.duckdb").close()
    (made / "cut.duckdb").write_bytes((made / "r.duckdb").read_bytes()[:4000])
    (made / "empty.sql").touch()
    (made / "web.yaml").write_text(
        "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web}, spec: "
        "{maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}"
    )
    return made


@pytest.fixture(autouse=True)
def _here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("TZ", raising=False)


HELP = "(see hpaaudit {} --help)"
FIRST_TRIES = {
    "replay fryday": "fryday does not exist: did you mean friday?",
    "replay friday shop/chekout": (
        "no HPA 'shop/chekout' in this recording, nor a folder of that name: "
        "did you mean shop/checkout, shop/checkout-requests?"
    ),
    "replay friday -n shp": "no HPA of the namespace 'shp' in this recording: did you mean shop?",
    "explain r.duckdb -n foo": (
        "no HPA of the namespace 'foo' in r.duckdb: there are shop/checkout, shop/checkout-requests"
    ),
    "replay friday --since": f"Option '--since' requires an argument {HELP.format('replay')}",
    "-n shop replay friday --since": f"Option '--since' requires an argument {HELP.format('replay')}",
    "releases --between 1.36": f"Option '--between' requires 2 arguments {HELP.format('releases')}",
    "import capture x --into": f"Option '--into' requires an argument {HELP.format('import capture')}",
    "help replay nosuch": f"replay has no command 'nosuch' {HELP.format('replay')}",
    "query r.duckdb -f empty.sql": "nothing is asked: `hpaaudit query` lists the questions",
    "query r.duckdb hpas": "no question 'hpas': it is a relation, whose rows the SQL \"from hpas\" gives",
    "query r.duckdb coverage_gaps": (
        "no question 'coverage_gaps': it is a relation, whose rows the SQL \"from coverage_gaps\" gives"
    ),
    "query what_happened r.duckdb": (
        "what_happened is a question, and what it is asked of comes first: hpaaudit query r.duckdb what_happened"
    ),
    "query what_happened": (
        "what_happened is a question, and what it is asked of comes first: hpaaudit query RESULTS|DIR what_happened"
    ),
    "report r.duckdb -o markdown": f"missing option --into FILE, or --into - to print it {HELP.format('report')}",
    "report r.duckdb --into new/": "new/ is no folder: make it with mkdir -p new/",
    "convert --to v1": f"Missing argument 'FILE' {HELP.format('convert')}",
    "convert web.yaml -f web.yaml --to v1": (
        f"web.yaml and --filename web.yaml name two files {HELP.format('convert')}"
    ),
    "timeline r.duckdb --tz Berlin": (
        f"Invalid value for '--tz': there is no zone 'Berlin' here: did you mean Europe/Berlin? "
        f"{HELP.format('timeline')}"
    ),
    "timeline r.duckdb --tz europe/berlin": (
        f"Invalid value for '--tz': there is no zone 'europe/berlin' here: did you mean Europe/Berlin? "
        f"{HELP.format('timeline')}"
    ),
}


@pytest.mark.parametrize("line", FIRST_TRIES)
def test_the_one_line_of_a_mistake_says_what_works(line: str) -> None:
    code, out, err = run(f"hpaaudit {line}")
    assert (code, out) == (2, "")
    assert [one for one in err.splitlines() if one.startswith("Error")] == [f"Error: {FIRST_TRIES[line]}"]
    assert not Path("new").exists()


def test_results_that_were_cut_are_said_to_be_and_how_to_make_them_again() -> None:
    code, _, err = run("hpaaudit query cut.duckdb what_happened")
    assert code == 2
    assert err.startswith("Error: cut.duckdb cannot be opened (IO Error: ")
    assert err.endswith("if it is damaged or cut, `hpaaudit replay RECORDING --into FILE` makes it anew\n")


@pytest.mark.parametrize("verb", ["get", "describe", "events", "logs", "watch"])
def test_a_verb_of_kubectl_is_answered_with_the_command_that_does_it(verb: str) -> None:
    code, _, err = run(f"hpaaudit {verb} hpa")
    assert code == 2
    assert err.startswith(f"Error: no command '{verb}': `hpaaudit ")
    for command in err.split("`hpaaudit ")[1:]:
        assert run(f"hpaaudit {command.split()[0].rstrip('`')} --help")[0] == 0


def test_completion_is_where_kubectl_has_it() -> None:
    code, _, err = run("hpaaudit completion bash")
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    lines = re.findall(r"`([^`]*_COMPLETE=[^`]*)`", err)
    assert code == 2
    assert len(lines) == 2
    assert all(line in readme for line in lines)


def test_a_question_without_results_can_be_described() -> None:
    told = printed("hpaaudit query --columns what_happened")
    assert told == printed("hpaaudit query r.duckdb what_happened --columns")
    assert told.startswith("what_happened\n")


def test_a_file_is_converted_as_kubectl_names_it() -> None:
    assert printed("hpaaudit convert -f web.yaml --to v1") == printed("hpaaudit convert web.yaml --to v1")


def test_a_report_goes_into_a_folder_that_there_is() -> None:
    Path("pages").mkdir()
    assert run(f"hpaaudit report r.duckdb --into pages{os.sep}")[0] == 0
    assert Path("pages/report.html").exists()


def test_the_span_of_a_recording_is_told_alike_by_inspect_and_replay() -> None:
    told, replayed = (printed(f"hpaaudit {command} friday").splitlines()[0] for command in ("inspect", "replay -q"))
    assert "2026-11-28T11:35:02Z to 11:45:36Z" in told
    assert "2026-11-28T11:35:02.898454Z to 11:45:36Z" in replayed


def test_reconciles_that_counted_no_pods_are_not_said_to_have_counted_zero() -> None:
    told = " ".join(printed("hpaaudit timeline r.duckdb shop/checkout").split())
    assert "n is a reconcile that did not count pods" in told


def test_a_time_line_without_a_reconcile_says_so_and_proposes_none() -> None:
    told = " ".join(printed("hpaaudit timeline r.duckdb --until 11:35:10 shop/checkout").split())
    assert told.endswith("no reconcile: in this time none took place, none was seen, or none could be replayed")


def test_who_looks_for_a_function_as_a_method_is_told_where_it_is() -> None:
    with hpaaudit.open_results("r.duckdb") as results:
        for name in ("explain", "timeline", "query", "report"):
            with pytest.raises(AttributeError, match=f"no relation '{name}': hpaaudit.{name}"):
                getattr(results, name)
            assert callable(getattr(hpaaudit, name))
        with pytest.raises(AttributeError, match=r"no relation 'thesis': dir\(results\) lists them"):
            _ = results.thesis


def test_the_shell_completes_the_file_of_a_report() -> None:
    """As it does every path: the program says so, and the shell knows its files."""
    asked = ShellComplete(hpaaudit_command, {}, "hpaaudit", "_HPAAUDIT_COMPLETE")
    items = asked.get_completions(["report", "r.duckdb", "--into"], "pa")
    assert [(item.type, item.value) for item in items] == [("file", "pa")]
