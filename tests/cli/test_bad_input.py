"""An error is one line: what, where, what next. The exit code is 2, and no file is left half written."""

import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from hpaaudit.api.flags import SHORT_NAMES
from hpaaudit.flows.bundled import bundled_recording
from tests.cli.api_server import HPAS, api_server, kubeconfig
from tests.cli.run import run

AN_HPA = {
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"namespace": "shop", "name": "checkout", "uid": "1"},
    "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "checkout"},
        "minReplicas": 2,
        "maxReplicas": 10,
        "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization"}}}],
    },
}
WATCHED = "/apis/autoscaling/v2/horizontalpodautoscalers"
OPTION, SEE = "Invalid value for", "(see hpaaudit replay --help)"
TIMES = "give 2026-03-02T14:05:00Z, 14:05 (on the day of the recording) or 5m (before its end)"
STARTED = '{"at":"2026-03-02T14:05:00Z","controller":"started","release":"1.36"}'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that commands run in; `friday` is a sound recording in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("KUBECONFIG", raising=False)
    shutil.copytree(bundled_recording(), tmp_path / "friday", ignore=shutil.ignore_patterns("*.duckdb"))
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    """Every file with its bytes, but for results that a replay keeps in its recording."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "results.duckdb")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def refused(folder: Path, line: str) -> str:
    """The one line that a command says when it cannot, having changed nothing."""
    before = contents(folder), {path.name for path in folder.iterdir()}
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert (contents(folder), {path.name for path in folder.iterdir()}) == before
    return err.removeprefix("Error: ").removesuffix("\n")


# Recordings and results


@pytest.mark.parametrize("command", ["replay", "explain", "inspect", "verify"])
def test_a_folder_that_is_no_recording(command: str, here: Path) -> None:
    (here / "notes").mkdir()
    message = refused(here, f"hpaaudit {command} notes")
    assert message == "notes has no recording.json: name the folder that `record` or `import` wrote into."


@pytest.mark.parametrize("command", ["replay", "explain", "inspect", "verify"])
def test_a_newer_format(command: str, here: Path) -> None:
    path = here / "friday" / "recording.json"
    path.write_text(path.read_text().replace('"format_version": 1', '"format_version": 99'))
    message = refused(here, f"hpaaudit {command} friday")
    assert message == "friday has format version 99, this hpaaudit reads up to 1: upgrade hpaaudit."


@pytest.mark.parametrize("command", ["replay", "explain", "inspect"])
def test_a_damaged_file_and_what_can_be_saved(command: str, here: Path) -> None:
    path = here / "friday" / "segments" / "000002" / "hpas.parquet"
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[:100])
    message = refused(here, f"hpaaudit {command} friday")
    assert message.startswith(
        f"segments/000002/hpas.parquet in friday has 100 bytes, its manifest says {size}: replay up to "
    )
    assert message.endswith("with --until, restore it from a copy, or save what can be read with `hpaaudit repair`.")


@pytest.mark.parametrize("table", ["hpas", "samples", "pods"])
def test_what_can_be_saved_of_a_damaged_recording_is_replayed(table: str, here: Path) -> None:
    """The advice of the line above works."""
    (here / "friday" / "segments" / "000002" / f"{table}.parquet").write_bytes(b"")
    until = refused(here, "hpaaudit replay friday").partition("replay up to ")[2].partition(" ")[0]
    assert run(f"hpaaudit replay friday --until {until}")[0] == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("replay friday --hpa shop/chekout", "no HPA 'shop/chekout' in this recording: did you mean shop/checkout?"),
        (
            "explain friday shop/chekout",
            "no HPA 'shop/chekout' in friday/results.duckdb: did you mean shop/checkout?",
        ),
        (
            "query friday what_happend",
            "no question 'what_happend': did you mean what_happened, what_was_recorded?",
        ),
        ("replay friday --release 1.99", "release 1.99 is not known to this engine: try --release 1.37"),
        ("replay friday --release 1.0", "release 1.0 is not known to this engine: try --release 1.1"),
        ("replay friday --release new", "release new is not known to this engine: try --release 1.37"),
        ("replya friday", "no command 'replya': did you mean replay, repair, explain? (see hpaaudit --help)"),
    ],
)
def test_an_unknown_name_names_the_nearest(line: str, message: str, here: Path) -> None:
    assert refused(here, f"hpaaudit {line}") == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--flag tolerance=much", "tolerance=much cannot be read: give a number such as 0.1"),
        ("--flag tolerance=nan", "tolerance=nan cannot be read: give a number such as 0.1"),
        ("--flag tolerance=-1", "tolerance=-1 is too little: no controller runs so"),
        ("--flag sync-period=15", "sync-period=15 cannot be read: give a duration such as 15s"),
        ("--flag sync-period=0s", "sync-period=0s is too little: no controller runs so"),
        (
            "--flag leader-elect-lease-duration=soon",
            "leader-elect-lease-duration=soon cannot be read: give a duration such as 15s",
        ),
        (
            "--flag leader-elect-lease-duration=0s",
            "leader-elect-lease-duration=0s is too little: no controller runs so",
        ),
        (
            "--flag upscale-delay=1m --release 1.36",
            (
                "--flag upscale-delay changes no decision of 1.36: known are sync-period, downscale-stabilization, "
                "cpu-initialization-period, initial-readiness-delay, tolerance"
            ),
        ),
        (
            "--flag tolernce=0.1",
            "--flag tolernce changes no decision: did you mean tolerance?",
        ),
        (
            "--flag colour=red",
            f"--flag colour changes no decision: known are {', '.join(SHORT_NAMES)}",
        ),
        (
            "--flag tolerance",
            f"{OPTION} '--flag': 'tolerance' is not a setting: give NAME=VALUE, for example tolerance=0.05 {SEE}",
        ),
        (
            "--since noon",
            f"{OPTION} '--since': 'noon' is not a time: {TIMES} {SEE}",
        ),
    ],
)
def test_a_bad_option(options: str, message: str, here: Path) -> None:
    assert refused(here, f"hpaaudit replay friday {options}") == message


def test_a_bad_time_to_explain(here: Path) -> None:
    message = refused(here, "hpaaudit explain friday --at 25:00")
    assert message == f"{OPTION} '--at': '25:00' is not a time: {TIMES} (see hpaaudit explain --help)"


def test_an_output_file_that_exists_is_replaced_only_when_told(here: Path) -> None:
    assert run("hpaaudit replay friday --into mine.duckdb")[0] == 0
    message = refused(here, "hpaaudit replay friday --into mine.duckdb")
    assert message == "mine.duckdb exists: name another file with --into, or add --overwrite"
    assert run("hpaaudit replay friday --into mine.duckdb --overwrite")[0] == 0


def test_a_file_that_holds_no_results_is_replaced_by_nobody(here: Path) -> None:
    (here / "mine.duckdb").write_text("mine")
    with duckdb.connect(str(here / "other.duckdb")) as other:
        other.execute("create table thesis as select 42 as answer")
    (here / "folder.duckdb").mkdir()
    for name in ("mine", "other", "folder"):
        message = refused(here, f"hpaaudit replay friday --into {name}.duckdb --overwrite")
        assert (
            message
            == f"{name}.duckdb is not a results file of hpaaudit and is not replaced: name another file with --into"
        )


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("selec name from reconciles", 'Parser Error: syntax error at or near "selec"'),
        ("select desird from reconciles", 'Binder Error: Referenced column "desird" not found in FROM clause!'),
        ("from reconcils", "Catalog Error: Table with name reconcils does not exist!"),
        ("drop table runs.reconciles", "DROP is refused, because results are read-only: use select or from"),
    ],
)
def test_sql_that_cannot_be_answered(sql: str, message: str, here: Path) -> None:
    assert refused(here, f'hpaaudit query friday "{sql}"').startswith(message)


# Captures


def test_a_capture_line_that_is_not_json_is_named_by_file_and_number(here: Path) -> None:
    (here / "incident.jsonl").write_text(f"{STARTED}\nnot json\n")
    message = refused(here, "hpaaudit import capture incident.jsonl --into incident")
    assert message.startswith("incident.jsonl:2: not JSON (")
    assert message.endswith("; a capture has one JSON object per line")


def test_a_capture_that_is_not_there(here: Path) -> None:
    message = refused(here, "hpaaudit import capture incident.jsonl --into incident")
    assert message == "incident.jsonl: no such file; name a capture of JSON lines"


def test_a_folder_that_holds_something_is_no_place_for_a_recording(here: Path) -> None:
    (here / "incident.jsonl").write_text(f"{STARTED}\n")
    message = refused(here, "hpaaudit import capture incident.jsonl --into friday")
    assert message == "friday already holds something: name a folder that is new or empty."


def test_an_unknown_metric_type_is_decided_as_the_controller_does(here: Path) -> None:
    strange: dict[str, Any] = json.loads(json.dumps(AN_HPA))
    strange["metadata"] |= {"name": "strange", "uid": "2"}
    strange["spec"]["metrics"] = [{"type": "Quantum", "quantum": {}}]
    watch_lines = [{"watch": WATCHED, "type": "ADDED", "object": one} for one in (AN_HPA, strange)]
    reconciled = [{"reconcile": f"shop/{name}"} for name in ("checkout", "strange")]
    path = "/apis/apps/v1/namespaces/shop/deployments/checkout/scale"
    scale = {"spec": {"replicas": 3}, "status": {"replicas": 3, "selector": "app=checkout"}}
    read = {"get": path, "status": 200, "body": scale}
    lines = [{"at": "2026-03-02T14:05:00Z", **line} for line in (*watch_lines, read, *reconciled)]
    (here / "incident.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert run("hpaaudit import capture incident.jsonl --into incident")[0] == 0
    code, out, err = run("hpaaudit replay incident")
    assert (code, err) == (0, "")
    assert "shop/strange" in out
    words = "select active_reason from reconciles where name = 'strange'"
    code, out, err = run(f'hpaaudit query incident "{words}"')
    assert (code, "InvalidMetricSourceType" in out) == (0, True), f"{out}{err}"


# Clusters


def test_a_context_that_does_not_exist_names_those_that_do(here: Path) -> None:
    config = kubeconfig(here, "http://127.0.0.1:1")
    message = refused(here, f"hpaaudit record --into today --kubeconfig {config} --context prod")
    assert message == f"{config} has no context prod; it has shop, staging"


def test_a_kubeconfig_that_is_not_there(here: Path) -> None:
    message = refused(here, "hpaaudit record --into today --kubeconfig nowhere")
    assert message == "nowhere: No such file or directory; name another kubeconfig by --kubeconfig"


def test_a_server_that_cannot_be_reached(here: Path) -> None:
    config = kubeconfig(here, "http://127.0.0.1:1")
    message = refused(here, f"hpaaudit record --into today --kubeconfig {config}")
    assert message.startswith("context shop (http://127.0.0.1:1) cannot be reached: Connection refused")


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (401, "does not know you (401): it refused to list horizontalpodautoscalers.autoscaling in namespace shop; "),
        (403, "refused to list horizontalpodautoscalers.autoscaling in namespace shop (403): not for you"),
        (404, "does not serve horizontalpodautoscalers.autoscaling in namespace shop (404 on "),
        (500, "answered 500 to list horizontalpodautoscalers.autoscaling in namespace shop: not for you"),
    ],
)
def test_a_refusal_names_verb_and_resource(status: int, message: str, here: Path) -> None:
    body = {"kind": "Status", "message": "not for you"}
    with api_server({HPAS: (status, body)}) as url:
        config = kubeconfig(here, url)
        assert refused(here, f"hpaaudit record --into today --kubeconfig {config}").startswith(
            f"context shop ({url}) {message}"
        )


def test_a_metrics_api_that_is_not_served_is_named_and_the_rest_is_recorded(here: Path) -> None:
    listed = {"kind": "HorizontalPodAutoscalerList", "metadata": {"resourceVersion": "1"}, "items": [AN_HPA]}
    with api_server({HPAS: (200, listed), "/apis": (200, {"groups": [{"name": "apps", "versions": []}]})}) as url:
        code, out, err = run(f"hpaaudit record --into today --kubeconfig {kubeconfig(here, url)} --for 2s")
    assert (code, out) == (0, "")
    message = (
        "shop/checkout needs metrics.k8s.io, which the cluster does not serve: install its adapter, or change the HPA"
    )
    assert err.splitlines().count(message) == 1
    assert run("hpaaudit verify today")[0] == 0
