"""`explain --at` a time without a reconcile says in its first line which reconcile it took."""

import json

import pytest

from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.flows.replay import replay
from tests.cli.run import run


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Reconciles at 15:03:54.154667, at 15:04:24.176147, and the last one at 15:11:09."""
    file = tmp_path_factory.mktemp("at") / "hand.duckdb"
    assert run(f"hpaaudit replay {bundled_recording('scaled-by-hand')} --into {file}")[0] == 0
    return str(file)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("15:04", "15:03:54Z, the last reconcile until 15:04:00Z (6s earlier): kept 6."),
        ("2026-11-21T16:04:00+01:00", "15:03:54Z, the last reconcile until 15:04:00Z (6s earlier): kept 6."),
        ("15:03:55", "15:03:54Z, the last reconcile until 15:03:55Z (less than 1s earlier): kept 6."),
        ("now", "15:11:09Z, the last reconcile until 15:11:23Z (14s earlier): kept 6."),
        ("15:04:24", "15:04:24Z: kept 6."),
        ("15:04:24.176147", "15:04:24Z: kept 6."),
        ("last", "15:11:09Z: kept 6."),
    ],
)
@pytest.mark.parametrize("options", ["", "--since 15:00"])
def test_the_first_line_says_which_reconcile_a_time_without_one_took(
    results: str, asked: str, told: str, options: str
) -> None:
    first, *_ = run(f"hpaaudit explain {results} --at {asked} {options} -q")[1].splitlines()
    assert first.startswith(f"shop/checkout at {told} Replay 6, controller 6")


def test_json_has_the_time_that_was_asked_for_and_how_much_earlier_the_reconcile_was(results: str) -> None:
    for asked, time, seconds in (("15:04", "2026-11-21T15:04:00Z", 5.845333), ("15:04:24", None, None)):
        account = json.loads(run(f"hpaaudit explain {results} --at {asked} -o json -q")[1])
        assert (account["asked"], account["before_asked_s"]) == (time, seconds)


def test_a_time_before_the_first_reconcile_is_told_as_before(results: str) -> None:
    out = run(f"hpaaudit explain {results} --at 14:57:20 -q")[1]
    assert out.startswith("shop/checkout at 14:57:38Z: kept 2.")
    assert "after 14:57:20Z: this is its first reconcile" in " ".join(out.split())
    account = json.loads(run(f"hpaaudit explain {results} --at 14:57:20 -o json -q")[1])
    assert (account["asked"], account["before_asked_s"]) == ("2026-11-21T14:57:20.999999Z", None)


def test_a_time_after_the_hpa_was_deleted_is_told_as_after(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The last reconcile of a deleted HPA says so; one before it was deleted, and that of another HPA, do not."""
    results = tmp_path_factory.mktemp("deleted") / "two.duckdb"
    replay(bundled_recording("two-hpas"), into=results).close()
    told = "The HPA was deleted at 11:42:36Z, before 11:45:00Z: this is its last reconcile."

    def explained(hpa: str, at: str, output: str = "text") -> str:
        return run(f"hpaaudit explain {results} shop/{hpa} --at {at} -o {output}")[1]

    assert told in " ".join(explained("checkout-requests", "11:45").split())
    account = json.loads(explained("checkout-requests", "11:45", "json"))
    assert account["deleted"].startswith("2026-11-28T11:42:36.")
    for hpa, at in (("checkout-requests", "11:42:30"), ("checkout", "11:45")):
        assert "was deleted" not in explained(hpa, at)
        assert json.loads(explained(hpa, at, "json"))["deleted"] is None
