"""What kubectl taught its users works here too: -n, -A, -o, -q, bare names, options before the command."""

import json
import shutil
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.cli import KUBECTL_OPTIONS, behind_command
from hpaaudit.cli.options import hpa_named_by, hpas_named_by
from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.model.landmark import Landmark
from hpaaudit.model.meant_hpas import meant_hpas
from hpaaudit.results import sql
from tests.bench import fleet
from tests.cli.run import printed, run

pytestmark = pytest.mark.usefixtures("at_desk")

NAMES = st.from_regex(r"[a-c]{1,2}/[a-c]{1,2}", fullmatch=True)


@pytest.mark.parametrize("command", ["explain", "timeline"])
@pytest.mark.parametrize(
    "hpa",
    [
        *(
            "web",
            "-n shop web",
            "web -n shop",
            "-n shop",
            "--namespace=shop",
            "-nshop",
            "--hpa shop/web",
            "-A",
            "shop/*",
        ),
        *("hpa web", "hpa/web", "-n shop hpa/web", "-n shop hpa web", "hpa web -n shop", "--hpa hpa/web -n shop"),
        *("horizontalpodautoscalers.autoscaling web", "HPA shop/web", "hpa hpa/web", "--hpa hpa web"),
    ],
)
def test_an_hpa_is_named_as_in_kubectl(command: str, hpa: str) -> None:
    assert printed(f"hpaaudit {command} web.duckdb {hpa}") == printed(f"hpaaudit {command} web.duckdb shop/web")


@pytest.mark.parametrize(
    "command",
    [
        "query web.duckdb what_happened",
        "inspect web",
        "replay web -q --into one.duckdb --overwrite",
        "report web --into - -o junit",
    ],
)
def test_an_hpa_is_named_alike_by_option_and_by_argument_on_every_command(command: str) -> None:
    if not Path("web").exists():
        shutil.copytree(bundled_recording(), "web", ignore=shutil.ignore_patterns("*.duckdb"))
    command, name = (command, "web") if "query" in command else (command, "checkout")
    expected = printed(f"hpaaudit {command} --hpa shop/{name}")
    for hpa in (
        f"hpa {name}",
        f"hpas/{name}",
        f"-n shop hpa/{name}",
        f"shop/{name}",
        f"-n shop {name}",
        f"--hpa hpa {name}",
    ):
        assert printed(f"hpaaudit {command} {hpa.format(name)}") == expected
    assert "no HPA 'cart'" in run(f"hpaaudit {command} cart")[2]


def test_an_hpa_of_the_name_of_its_kind_is_reached() -> None:
    assert hpa_named_by(["hpa"]) == hpa_named_by(["hpa", "hpa"]) == "hpa"
    assert hpas_named_by(["hpas"]) == hpas_named_by(["hpa", "hpas"]) == ("hpas",)
    assert hpas_named_by(["hpa", "web", "api"]) == ("web", "api")
    assert meant_hpas("hpa/hpa", ["shop/hpa", "shop/web"]) == meant_hpas("hpa", ["shop/hpa"]) == ["shop/hpa"]


def test_a_folder_comes_before_an_hpa_and_what_is_neither_is_said(tmp_path: Path) -> None:
    shutil.copytree(bundled_recording(), tmp_path / "web", ignore=shutil.ignore_patterns("*.duckdb"))
    _, out, err = run(f"hpaaudit replay {tmp_path}/web friday -q")
    assert (out, err) == (
        "",
        "Error: no HPA 'friday' in this recording, nor a folder of that name: it has shop/checkout\n",
    )
    two = f"{tmp_path}/web {tmp_path}/web"
    assert len(json.loads(printed(f"hpaaudit replay {two} -q -o json"))) == 2
    assert "absent does not exist" in run(f"hpaaudit replay {tmp_path}/web {tmp_path}/absent -q")[2]


@pytest.mark.parametrize("options", ["-n shop", "--namespace shop", "-nshop -o json", "-A -q", "--namespace=shop"])
def test_such_options_may_stand_before_the_command(options: str) -> None:
    assert printed(f"hpaaudit {options} explain web.duckdb") == printed(f"hpaaudit explain web.duckdb {options}")


def test_name_lists_the_hpas_of_a_recording_and_of_a_replay() -> None:
    assert run("hpaaudit import capture people.jsonl.gz --into named")[0] == 0
    recorded = printed("hpaaudit inspect named -o name").splitlines()
    replayed = printed("hpaaudit replay named -o name -q").splitlines()
    assert sorted(replayed) == sorted(recorded) != []
    assert all(printed(f"hpaaudit timeline named {hpa}").startswith(f"{hpa} -> ") for hpa in replayed[:3])


def test_wide_lists_what_text_only_counts() -> None:
    fleet.write(Path("many"), hpas=14, hours=0.1, seed=2)
    for command in ("inspect many", "replay many -q"):
        text, wide = (printed(f"hpaaudit {command} -o {output}") for output in ("text", "wide"))
        names = printed("hpaaudit inspect many -o name").split()
        assert len(names) == 14
        assert all(name in wide for name in names)
        assert not all(name in text for name in names)
        assert (" more" in text, " more HPA" in wide) == (True, False)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("explain web.duckdb shop/web -n other", "-n other and shop/web name two namespaces"),
        ("explain web.duckdb hpa web api", "Got unexpected extra argument (api)"),
        ("explain web.duckdb web api", "Got unexpected extra argument (api)"),
        ("timeline web.duckdb deployment web", "Got unexpected extra argument (web)"),
        ("explain web.duckdb -n other", "no HPA of the namespace 'other' in web.duckdb"),
        ("explain web.duckdb shop/web --hpa shop/api", "shop/web and --hpa shop/api name two HPAs"),
        ("query web.duckdb why_this_number -f x.sql", "--file takes the place of the question"),
        ("query web.duckdb -f absent.sql", "--file absent.sql does not exist: name a file with SQL"),
        ("query web.duckdb -f .", "--file . cannot be read: is a directory"),
        ("query web.duckdb -f web.duckdb", "--file web.duckdb is no text in UTF-8"),
        (
            "report web.duckdb --into web.pdf",
            "no report is written as .pdf: --into takes .html (html), .md (markdown), ",
        ),
        ("report web.duckdb --into web.txt", ".xml (junit), .sarif (sarif), .json (perfetto)"),
        ("report web.duckdb --into 'no such/x.html'", "make it with mkdir -p 'no such'"),
        ("query web.duckdb 'select 1 as one' -o name", "-o name needs the columns namespace and name"),
        ("query web.duckdb why_this_number --since first", "'first' is not a time"),
        ("-n", "No such option '-n'"),
    ],
)
def test_what_contradicts_itself_is_refused_in_a_line(command: str, message: str) -> None:
    code, out, err = run(f"hpaaudit {command}")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


@given(st.lists(NAMES, min_size=1, unique=True), st.data())
def test_a_name_alone_means_the_only_hpa_that_has_it(known: list[str], data: st.DataObject) -> None:
    asked = data.draw(st.sampled_from(known))
    alone = asked.partition("/")[2]
    same = [name for name in known if name.endswith(f"/{alone}")]
    assert meant_hpas(asked, known) == [asked]
    assert meant_hpas(alone, known) == (same if len(same) == 1 else [])
    assert meant_hpas(f"*/{alone}", known) == same
    assert meant_hpas("*", known) == known
    for pattern in (f"{alone[0]}*", f"*{alone[-1]}"):
        of_names = [name for name in known if fnmatchcase(name.partition("/")[2], pattern)]
        whole = [name for name in known if fnmatchcase(name, pattern)]
        assert meant_hpas(pattern, known) == (whole or of_names)
        assert whole or asked in of_names
    kind = data.draw(
        st.sampled_from(["hpa", "HPA", "horizontalpodautoscaler", "horizontalpodautoscalers.v2.autoscaling"])
    )
    assert meant_hpas(f"{kind}/{alone}", known) == meant_hpas(alone, known)


@pytest.mark.parametrize("command", ["explain", "timeline", "query"])
def test_a_pattern_of_names_gives_what_the_name_gives(command: str) -> None:
    question = " why_this_number" if command == "query" else ""
    (one,) = {
        printed(f"hpaaudit {command} web.duckdb{question} {hpa}") for hpa in ("web", "'w*'", "'*eb'", "'shop/w*'")
    }
    assert "web" in one
    assert run(f"hpaaudit {command} web.duckdb{question} 'x*'")[0] == 2


def test_in_a_namespace_of_that_name_the_kind_is_the_namespace() -> None:
    known = ["hpa/checkout", "shop/checkout", "shop/cart"]
    assert meant_hpas("hpa/checkout", known) == ["hpa/checkout"]
    assert meant_hpas("hpa/cart", known) == []
    assert meant_hpas("hpa/", ["shop/cart"]) == []


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(
    st.lists(st.sampled_from([*KUBECTL_OPTIONS, "-nshop", "--output=json", "--namespace=x"]), max_size=4),
    st.lists(st.sampled_from(["explain", "DIR", "--at", "14:05", "-n", "shop"]), max_size=5),
)
def test_moving_options_behind_the_command_loses_no_word(before: list[str], line: list[str]) -> None:
    words = [
        word for option in before for word in ((option, "value") if KUBECTL_OPTIONS.get(option) else (option,))
    ] + ["query", *line]
    moved = behind_command(words)
    assert moved[0] == "query"
    assert moved[1:] == [word for word in words[: len(words) - len(line)] if word != "query"] + line


@pytest.mark.parametrize("landmark", list(Landmark))
def test_a_landmark_is_the_reconcile_that_sql_finds(landmark: Landmark) -> None:
    moment = json.loads(printed("hpaaudit explain web.duckdb -o json"))["at_us"]
    where = {
        "next": f"epoch_us(ts) > {moment}",
        "prev": f"epoch_us(ts) < {moment}",
        "first-divergence": "verdict = 'divergent'",
    }.get(landmark, "true")
    order = "desc" if landmark in ("last", "prev") else "asc"
    sql = f"select reconcile_id from reconciles where {where} order by ts {order} limit 1"  # noqa: S608 our own
    expected = json.loads(printed(f'hpaaudit query web.duckdb "{sql}" -o json'))
    code, out, err = run(f"hpaaudit explain web.duckdb --at {landmark} -o json")
    if expected:
        assert json.loads(out)["reconcile_id"] == expected[0]["reconcile_id"]
    else:
        assert (code, err) == (2, f"Error: --at {landmark}: shop/web has no divergent reconcile\n")


@pytest.mark.parametrize(("landmark", "side"), [("next", "after"), ("prev", "before")])
@pytest.mark.parametrize("command", ["explain", "query {} why_this_number"])
def test_that_there_is_no_reconcile_on_this_side_is_said(
    landmark: str, side: str, command: str, tmp_path: Path
) -> None:
    whole, alone = tmp_path / "whole.duckdb", tmp_path / "alone.duckdb"
    printed(f"hpaaudit replay {bundled_recording()} --into {whole}")
    most = json.loads(printed(f"hpaaudit explain {whole} -o json"))["at"]
    printed(f"hpaaudit replay {bundled_recording()} --into {alone} --since {most} --until {most} -q")
    code, out, err = run(
        f"hpaaudit {command.format(alone) if '{}' in command else f'{command} {alone}'} --at {landmark}"
    )
    assert (code, out) == (2, "")
    assert err == (
        f"Error: --at {landmark}: shop/checkout has no reconcile {side} the one that matters most, of {most[:19]}Z\n"
    )


def test_questions_take_landmarks_too() -> None:
    rows = json.loads(printed("hpaaudit query web.duckdb why_this_number --at first -o json"))
    assert (
        rows[0]["ts"]
        == json.loads(printed('hpaaudit query web.duckdb "select min(ts) as ts from reconciles" -o json'))[0]["ts"]
    )


def test_every_statement_of_an_explanation_has_its_rows(tmp_path: Path) -> None:
    account = json.loads(printed("hpaaudit explain web.duckdb --at first-divergence -o json"))
    queries = printed("hpaaudit explain web.duckdb --at first-divergence --sql").split(";\n")[:-1]
    rows = {}
    for name, query in zip(sql.folder("evidence"), queries, strict=True):
        (tmp_path / "one.sql").write_text(query)
        rows[name] = json.loads(printed(f"hpaaudit query web.duckdb -f {tmp_path}/one.sql -o json"))
    assert [row["desired"] for row in rows["10_reconcile"]] == [account["desired"]]
    assert [row["proposal"] for row in rows["20_metrics"]] == [metric["proposal"] for metric in account["metrics"]]
    assert [row["code"] for row in rows["30_steps"]] == [step["code"] for step in account["steps"]]
    assert [row["pod"] for row in rows["45_pod_names"]] == [pod["pod"] for pod in account["members"]]
    assert rows["50_status"][0]["able_reason"] == account["conditions"][0][2]
    assert [row["message"] for row in rows["55_conditions"]] == [text["message"] for text in account["published"]]
    assert [[row["reason"], row["message"]] for row in rows["60_events"]] == account["events"]
    assert rows["80_divergence"][0]["class"] == account["divergence"]["divergence_class"]


@pytest.mark.parametrize(
    "command", ["explain web.duckdb", "timeline web.duckdb", "query web.duckdb what_happened", "version"]
)
def test_yaml_says_what_json_says(command: str) -> None:
    assert yaml.safe_load(printed(f"hpaaudit {command} -o yaml")) == json.loads(printed(f"hpaaudit {command} -o json"))


def test_several_recordings_are_a_list_in_json_and_documents_in_yaml(tmp_path: Path) -> None:
    shutil.copytree(bundled_recording(), tmp_path / "one")
    shutil.copytree(bundled_recording("gitops-loop"), tmp_path / "two")
    both = f"{tmp_path}/one {tmp_path}/two"
    listed = json.loads(printed(f"hpaaudit replay {both} -q -o json"))
    assert listed == [json.loads(printed(f"hpaaudit replay {one} -q -o json")) for one in both.split()]
    assert list(yaml.safe_load_all(printed(f"hpaaudit replay {both} -q -o yaml"))) == listed
    code, out, err = run(f"hpaaudit replay {tmp_path}/one {tmp_path}/three -q -o json")
    assert (code, json.loads(out), err.count("\n")) == (2, listed[:1], 1)
    assert run(f"hpaaudit replay {tmp_path}/three {tmp_path}/four -q -o json")[:2] == (2, "")


def test_sql_comes_from_stdin_and_from_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sql = "select count(*) as n from reconciles"
    asked = printed(f'hpaaudit query web.duckdb "{sql}"')
    (tmp_path / "count.sql").write_text(sql)
    assert printed(f"hpaaudit query web.duckdb --file {tmp_path}/count.sql") == asked
    for line in ("hpaaudit query web.duckdb -", "hpaaudit query web.duckdb -f -"):
        with (tmp_path / "count.sql").open() as stdin:
            monkeypatch.setattr("sys.stdin", stdin)
            assert printed(line) == asked


def test_a_script_gets_rows_without_headings_and_without_talk() -> None:
    code, out, err = run("hpaaudit query web.duckdb why_this_number --no-headers -q")
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert "REASON_CODE" not in out
    assert printed("hpaaudit query web.duckdb why_this_number -o csv --no-headers").count("\n") == 1
    assert printed("hpaaudit query web.duckdb what_happened -o name") == "shop/web\n"
    assert run("hpaaudit query web.duckdb 'from reconciles where false' --no-headers")[1] == ""
