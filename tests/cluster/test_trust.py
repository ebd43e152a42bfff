"""How the API server was verified, and with which credentials, is printed before anything is read, and recorded."""

import json
from pathlib import Path

import pytest

from hpaaudit.cluster.access.config import ClientConfig, ExecPlugin
from hpaaudit.model.facts import RecorderStarted
from hpaaudit.model.recorder_plan import Plan
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.report.recorder_plan import plan_text
from tests.cluster.heavy import Heavy
from tests.cluster.recorder import run

HTTPS, HTTP, HERE = "https://api.example:6443", "http://api.example:8080", "http://127.0.0.1:8001"
PLUGIN = ExecPlugin(owner="me", version="v1", command="x")
SHOWN = "somebody"


def access(server: str, **more: object) -> ClientConfig:
    """A way to a server."""
    return ClientConfig(source="test", context="test", server=server, **more)  # type: ignore[arg-type]


CASES: list[tuple[ClientConfig, str, str, list[str]]] = [
    (access(HTTPS, authority=b"x", token=SHOWN), "authority", "token", []),
    (access(HTTPS, token_file=Path("x")), "system", "token", []),
    (access(HTTPS, certificate=b"x", plugin=PLUGIN), "system", "plugin+certificate", []),
    (access(HTTPS, verify=False), "unverified", "nothing", ["is not verified"]),
    (access(HTTPS, verify=False, authority=b"x", token=SHOWN), "unverified", "token", ["is not verified"]),
    (access(HTTP), "plain", "nothing", ["plain http"]),
    (access(HTTP, token=SHOWN), "plain", "token", ["plain http", "the token goes to"]),
    (access(HTTP, verify=False, plugin=PLUGIN), "plain", "plugin", ["plain http", "the plugin goes to"]),
    (access(HTTP, certificate=b"x"), "plain", "nothing", ["plain http"]),
    (access(HERE), "plain", "nothing", []),
    (access("http://localhost:8001"), "plain", "nothing", []),
    (access("http://[::1]:8001", token=SHOWN), "plain", "token", ["in plain text"]),
]


@pytest.mark.parametrize(("way", "trust", "auth", "warned"), CASES)
def test_a_way_says_how_far_it_is_safe(way: ClientConfig, trust: str, auth: str, warned: list[str]) -> None:
    assert (way.trust, way.auth) == (trust, auth)
    assert [word for word, line in zip(warned, way.warnings, strict=True) if word in line] == warned
    assert not any(SHOWN in line for line in way.warnings)


def test_a_plan_says_what_is_not_safe() -> None:
    plan = Plan(
        context="c", server=HTTP, version="v1.36.0", namespace="", interval_seconds=15, hpas=1, pods=1, watches=1,
        polls=1, requests_per_second=1, bytes_per_hour=1, denied=(), unserved=(), unauditable=(),
        warnings=access(HTTP, token=SHOWN).warnings,
    )  # fmt: skip
    text = plan_text(plan)
    assert "\n  not safe:\n" in text
    assert "the token goes to http://api.example:8080 in plain text: use https" in text


def test_every_start_of_a_recorder_is_a_row_that_every_command_tells(tmp_path: Path) -> None:
    """Twice on one folder; with a token over plain http, which is said each time and kept nowhere."""
    into = tmp_path / "recording"
    with Heavy(lambda _: None) as server:
        kubeconfig = server.kubeconfig(tmp_path)
        config = json.loads(kubeconfig.read_text())
        config["users"][0]["user"]["token"] = SHOWN * 3
        kubeconfig.write_text(json.dumps(config))
        for times in (1, 2):
            completed = run("record", "--into", str(into), "--kubeconfig", str(kubeconfig), "-A", "--for", "2s")
            assert completed.returncode == 0, completed.stderr
            assert completed.stderr.count("in plain text: use https") == 1
            assert len([one for one in open_recording(into).facts() if isinstance(one, RecorderStarted)]) == times
        plan = run("record", "--plan", "--kubeconfig", str(kubeconfig), "-A")
        assert "in plain text: use https" in plan.stdout
    started = [fact for fact in open_recording(into).facts() if isinstance(fact, RecorderStarted)]
    assert [(one.server, one.trust, one.auth) for one in started] == [(server.url, "plain", "token")] * 2
    assert "over plain http: NOT verified; credentials: token" in run("inspect", str(into)).stdout
    assert run("replay", str(into)).returncode == 0
    asked = run("query", str(into), "select server, trust, auth from recorders order by started_at", "-o", "csv")
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.count("plain,token") == 2
    assert not [path for path in into.rglob("*") if path.is_file() and (SHOWN * 3).encode() in path.read_bytes()]
