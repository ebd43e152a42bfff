"""`replay --declare`: the settings of the real controller hold for the audit in the folder, and for what follows."""

import shutil
from pathlib import Path

import pytest

import hpaaudit
from hpaaudit.errors import BadOption
from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.flows.replay import replay
from hpaaudit.flows.source import open_source
from hpaaudit.model.audit import Assumption
from tests.cli.run import run

DECLARED = "tolerance 0.05 (declared by you)"


@pytest.fixture
def friday(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording without results, in the current folder."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(bundled_recording(), "friday", ignore=shutil.ignore_patterns("*.duckdb"))
    return Path("friday")


def printed(line: str) -> str:
    """What a command that succeeds prints, as one line."""
    code, out, err = run(line)
    assert code == 0, err
    return " ".join(out.split())


def setting(folder: Path, key: str) -> Assumption:
    """That setting of the results in the folder, which are made if there are none."""
    with open_source(folder) as results:
        return next(one for one in results.assumptions if one.key == key)


@pytest.mark.usefixtures("friday")
def test_every_command_uses_what_was_declared_and_says_so() -> None:
    assert "tolerance 0.1 (default)" in printed("hpaaudit replay friday")
    assert DECLARED in printed("hpaaudit replay friday --flag horizontal-pod-autoscaler-tolerance=0.05 --declare")
    assert not Path("friday/what-if.duckdb").exists()
    assert DECLARED in printed("hpaaudit explain friday")
    settings = printed("hpaaudit query friday which_settings_were_assumed")
    assert "tolerance 0.05 declared" in settings
    assert printed('hpaaudit query friday "select mode, options from replays" --no-headers') == "audit"
    printed("hpaaudit report friday --into friday.html")
    page = Path("friday.html").read_text("utf-8")
    assert "hpaaudit replay   friday --flag tolerance=0.05 --declare" in page


def test_a_declaration_holds_for_later_replays_until_another_one(friday: Path) -> None:
    replay(friday, flags={"tolerance": "0.05"}, release="1.35", declare=True).close()
    assert setting(friday, "release").source == "declared"
    replay(friday).close()
    assert setting(friday, "tolerance") == Assumption(key="tolerance", value="0.05", source="declared")
    replay(friday, flags={"horizontal-pod-autoscaler-downscale-stabilization": "60s"}, declare=True).close()
    assert setting(friday, "tolerance").source == "default"
    assert setting(friday, "release").source == "observed"
    assert setting(friday, "downscale-stabilization").value == "60s"
    replay(friday, declare=True).close()
    assert setting(friday, "downscale-stabilization").source == "default"


def test_a_recording_that_grew_is_replayed_with_what_was_declared(
    friday: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replay(friday, flags={"tolerance": "0.05"}, behaviours={"HPAScaleToZero": True}, declare=True).close()
    monkeypatch.setattr("hpaaudit.results.read.Results.manifest_sha256", "what it was before")
    with open_source(friday) as results:
        declared = {one.key: one.value for one in results.assumptions if one.source == "declared"}
        assert declared == {"tolerance": "0.05", "ScaleToZero": "on"}
        assert results.is_whole


def test_a_what_if_stands_on_what_was_declared(friday: Path) -> None:
    replay(friday, flags={"tolerance": "0.05"}, declare=True).close()
    with replay(friday, flags={"downscale-stabilization": "60s"}) as results:
        sources = {one.key: one.source for one in results.assumptions}
        assert (sources["tolerance"], sources["downscale-stabilization"]) == ("declared", "user")
        assert results.frame("replays")["options"].to_list() == ["--flag downscale-stabilization=60s"]
    with replay(friday, flags={"horizontal-pod-autoscaler-tolerance": "0.2"}) as results:
        assert next(one for one in results.assumptions if one.key == "tolerance").value == "0.2"
        assert results.path.name == "what-if.duckdb"
    with replay(friday, release="1.9") as results:  # which has no such stabilization, but a tolerance
        assert results.frame("replays")["options"].to_list() == ["--release 1.9"]
    assert setting(friday, "tolerance").value == "0.05"


@pytest.mark.usefixtures("friday")
def test_another_release_is_compared_with_what_was_declared() -> None:
    printed("hpaaudit replay friday --flag tolerance=0.05 --declare")
    code, out, _ = run("hpaaudit replay friday --release 1.20")
    assert code == 0
    assert "To see what differs" not in out
    assert DECLARED in " ".join(out.split())


def test_what_the_recording_contradicts_is_said_of_declared_settings_too(friday: Path) -> None:
    assert "started with other settings" not in printed("hpaaudit replay friday")
    replay(friday, flags={"tolerance": "0.5"}, declare=True).close()
    assert "it was started with other settings, or read other values" in printed("hpaaudit replay friday")


def test_only_the_whole_recording_has_declared_settings(friday: Path) -> None:
    for option in ("--hpa shop/checkout", "--since 5m", "--until 5m", "--into x.duckdb", "-n shop"):
        code, _, err = run(f"hpaaudit replay friday --flag tolerance=0.05 --declare {option}")
        assert (code, err.count("\n")) == (2, 1)
        assert "--declare is said of the whole recording" in err
    with pytest.raises(BadOption, match="declare is said of the whole recording: leave out into"):
        hpaaudit.replay(friday, declare=True, hpas=["shop/checkout"])
    assert not (friday / "results.duckdb").exists()


def test_results_of_somebody_else_declare_nothing(friday: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replay(friday, flags={"tolerance": "0.05"}, declare=True).close()
    monkeypatch.setenv("XDG_STATE_HOME", str(Path("another-user").absolute()))
    with replay(friday) as results:
        assert next(one for one in results.assumptions if one.key == "tolerance").source == "default"
