"""A mistaken name is answered with the nearest ones, and a file of another kind with the command that reads it."""

import gzip
import shlex
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.api.flags import user_flags
from hpaaudit.engine.behaviours.release import behaviour
from hpaaudit.model.nearest import nearest
from tests.cli.run import run

RECORDING = Path(__file__).parents[2] / "recordings" / "load-step"
A_CAPTURE = (Path(__file__).parents[1] / "conformance" / "1.36" / "people-100-0002.capture.jsonl.gz").read_bytes()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording `r` with its results, a capture packed and plain, a text, a link to it and one to nothing."""
    folder = tmp_path_factory.mktemp("names")
    shutil.copytree(RECORDING.resolve(), folder / "r", ignore=shutil.ignore_patterns("*.duckdb"))
    assert run(f"hpaaudit replay {folder}/r --into {folder}/r.duckdb")[0] == 0
    (folder / "c.jsonl.gz").write_bytes(A_CAPTURE)
    (folder / "c.jsonl").write_bytes(gzip.decompress(A_CAPTURE))
    (folder / "notes.txt").write_text("We saw it scale.")
    (folder / "friday").symlink_to(folder / "r")
    (folder / "moved").symlink_to(folder / "absent")
    return folder


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("explain r.duckdb chekout", "did you mean shop/checkout?"),
        ("explain r Checkout", "did you mean shop/checkout?"),
        ("explain r.duckdb 'shp/*'", "no HPA of the namespace 'shp' in r.duckdb: did you mean shop?"),
        ("query r.duckdb why_this_number --hpa chekout", "did you mean shop/checkout?"),
        ("query r.duckdb why_this_number --hpa SHOP/Checkout", "did you mean shop/checkout?"),
        ("replay r --hpa Checkout", "did you mean shop/checkout?"),
        ("replay r --hpa shop/chekout", "did you mean shop/checkout?"),
        ("replay r --hpa x/y", "it has shop/checkout"),
        ("query r.duckdb whathappened", "did you mean what_happened"),
        ("query r.duckdb WHY_NO_SCALEUP", "did you mean why_no_scale_up"),
        ("query r.duckdb zzz", "`hpaaudit query` lists them"),
        ("query r.duckdb 'from reconcile'", 'Did you mean "reconciles"?'),
        ("query r.duckdb 'select desird from reconciles'", '"desired"'),
        ("replay r --with InclusiveTolerence", "InclusiveTolerance"),
        ("replay r --with Foo", "`hpaaudit releases` lists them"),
        ("replay r --release 1.99", "try --release 1.37"),
        ("replay r --flag tolernce=1", "did you mean tolerance?"),
        (
            "replay r --flag horizontal-pod-autoscaler-downscale-stabilisation=1m",
            "did you mean downscale-stabilization",
        ),
        ("replay r --relase 1.36", "--release"),
        ("replya r", "did you mean replay"),
        ("get r", "no command 'get': "),
        ("zzzz", "no command 'zzzz': there are record, import, replay, "),
        ("help zzzz", "no command 'zzzz': there are record, import, replay, "),
        ("import capure c.jsonl --into x", "no source 'capure': did you mean capture?"),
        ("import c.jsonl --into x", "no source 'c.jsonl': did you mean import capture c.jsonl?"),
        ("import zzz", "no source 'zzz': there are capture"),
        ("replay c.jsonl", "`hpaaudit import capture c.jsonl --into c`"),
        ("inspect c.jsonl.gz", "`hpaaudit import capture c.jsonl.gz --into c`"),
        ("verify c.jsonl", "`hpaaudit import capture c.jsonl --into c`"),
        ("repair c.jsonl", "`hpaaudit import capture c.jsonl --into c`"),
        ("explain c.jsonl", "`hpaaudit import capture c.jsonl --into c`"),
        ("query c.jsonl.gz what_happened", "`hpaaudit import capture c.jsonl.gz --into c`"),
        ("replay r.duckdb", "`hpaaudit query r.duckdb what_happened`"),
        ("inspect r.duckdb", "`hpaaudit query r.duckdb what_happened`"),
        ("replay notes.txt", "is a file: name the folder that `record` or `import` wrote into"),
        ("replay fridya", "fridya does not exist: did you mean friday?"),
        ("explain fridya", "no recording and no results file 'fridya' here: did you mean friday?"),
        ("query fridya", "no recording and no results file 'fridya' here: did you mean friday?"),
        (
            "query what_happened",
            "what_happened is a question, and what it is asked of comes first: hpaaudit query RESULTS|DIR",
        ),
        ("query absent --list", "no recording and no results file 'absent' here: a recording is the folder that"),
        ("timeline absent --since 5m", "no recording and no results file 'absent' here: a recording is the folder"),
        ("report absent --into x.html", "no recording and no results file 'absent' here: a recording is the folder"),
        ("replay absent", "does not exist: name the folder that `record` or `import` wrote into"),
        ("replay absent --since 14:00", "does not exist: name the folder that `record` or `import` wrote into"),
        ("replay notes.txt --until 14:00", "is a file: name the folder that `record` or `import` wrote into"),
        ("replay moved", "is a link to what does not exist: name the folder that `record` or `import` wrote into"),
    ],
)
def test_an_unknown_name_says_which_one_was_meant(
    command: str, message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    code, out, err = run(f"hpaaudit {command}")
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    if "`hpaaudit " in err and "RECORDING" not in err:
        hint = err.partition("`")[2].partition("`")[0]
        assert run(hint)[0] == 0
        shutil.rmtree(folder / "c", ignore_errors=True)


@given(
    st.lists(st.from_regex(r"[a-z]{1,8}/[a-z]{1,8}", fullmatch=True), min_size=1, max_size=8, unique=True), st.data()
)
def test_a_name_without_its_namespace_finds_its_hpa(names: list[str], data: st.DataObject) -> None:
    meant = data.draw(st.sampled_from(names))
    short = meant.partition("/")[2]
    suggestions = nearest(short.upper(), names, most=len(names))
    assert meant in suggestions
    assert all(name.endswith(f"/{short}") for name in suggestions[: suggestions.index(meant)])


def test_a_hint_with_a_strange_path_can_be_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = "it's a capture.jsonl.gz"
    Path(name).write_bytes(A_CAPTURE)
    hint = run(f"hpaaudit replay {shlex.quote(name)}")[2].partition("`")[2].partition("`")[0]
    code, _, err = run(hint)
    assert code == 0
    assert run(err.partition("next     ")[2].strip())[0] == 0


def test_flags_and_rules_are_known_in_upper_and_lower_case() -> None:
    assert behaviour("hpaconfigurabletolerance") == behaviour("HPAConfigurableTolerance")
    assert user_flags({"--Horizontal-Pod-Autoscaler-TOLERANCE": "0.05"}) == {"tolerance": "0.05"}


def test_the_demos_do_not_overwrite_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, first, _ = run("hpaaudit demo")
    _, other, _ = run("hpaaudit demo metrics-down")
    assert "saved hpaaudit-demo.duckdb\n" in first
    assert "saved hpaaudit-demo-metrics-down.duckdb\n" in other
    assert {path.name for path in tmp_path.iterdir()} == {"hpaaudit-demo.duckdb", "hpaaudit-demo-metrics-down.duckdb"}
    assert run("hpaaudit demo metrics-down")[0] == 0
