"""What the page of a replay shows of its results: causes of what is undecidable, and the moment of the headline."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.flows.replay import replay
from hpaaudit.model.account import Hidden, HpaAccount
from hpaaudit.results.account import replay_account
from hpaaudit.results.account_reconcile import interesting, reconcile_account
from hpaaudit.results.hpa_names import hpa_names
from hpaaudit.results.questions import Scope, defaults
from hpaaudit.results.read import Results
from tests.results import story
from tests.results.patterns import Row, at, patterns, reconciles
from tests.results.things import at as at_us


@pytest.fixture(scope="module")
def account_results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    """The results of the story."""
    with story.results(tmp_path_factory.mktemp("account")) as results:
        yield results


def web(results: Results) -> HpaAccount:
    """The one HPA of the story."""
    (hpa,) = replay_account(results).hpas
    return hpa


def test_a_gap_is_the_cause_where_it_hid_something_and_not_what_was_before_the_recording(
    account_results: Results,
) -> None:
    causes = {
        row["class"]: row["n"]
        for row in account_results.rows(
            "select class, count(*) as n from reconciles where verdict = 'undecidable' group by class"
        )
    }
    assert causes["no_data.recording_gap"] > 0
    assert causes["no_data.warmup"] > 0
    assert set(web(account_results).undecidable_why) == {"memory.before_recording", "recorder restarted"}


def test_explain_without_a_time_takes_the_moment_that_the_page_names(account_results: Results) -> None:
    hpa = web(account_results)
    assert hpa_names(account_results) == ["shop/web"]
    assert interesting(account_results, None) == ("shop/web", hpa.moment_us)
    outage = next(finding for finding in hpa.findings if finding.pattern == "metrics_api_down")
    assert hpa.moment_us == outage.first_us


def test_of_what_another_release_decides_a_number_matters_more_than_a_status_before_it(tmp_path: Path) -> None:
    """The next command explains what the headline names first."""
    recording = bundled_recording("unready-on-the-way-up")
    with replay(recording, into=tmp_path / "old.duckdb", release="1.10") as results:
        (hpa,) = replay_account(results).hpas
        assert hpa.otherwise is not None
        assert hpa.otherwise.statuses == 1
        assert min(one.opened_us for one in hpa.divergences) < hpa.otherwise.first_us  # type: ignore[operator]
        assert hpa.moment_us == hpa.otherwise.first_us
        assert interesting(results, None) == ("shop/checkout", hpa.moment_us)


def test_in_a_gap_nothing_is_recorded_or_proven(account_results: Results) -> None:
    """The statuses before and after it do not say what was between."""
    account = reconcile_account(account_results, "shop/web", at_us(120))
    assert account.divergence is not None
    assert account.divergence.divergence_class == "no_data.recording_gap"
    assert account.hidden == Hidden(since_us=at_us(115), until_us=at_us(145), hides_hpa=True, hides_target=True)
    assert (account.evidence, account.actual) == ("assumed", None)
    after = reconcile_account(account_results, "shop/web", at_us(150))
    assert (after.hidden, after.evidence, after.actual) == (None, "proven", 10)


def test_after_the_last_reconcile_of_a_gap_the_scale_was_looked_at_again(account_results: Results) -> None:
    account = reconcile_account(account_results, "shop/web", at_us(135))
    assert account.hidden is not None
    assert account.actual == 8


def test_before_its_first_reconcile_an_hpa_has_none_and_the_first_one_says_so(account_results: Results) -> None:
    first = reconcile_account(account_results, "shop/web", at_us(-1))
    assert (first.at_us, first.asked_us, first.seen_us) == (at_us(0), at_us(-1), None)
    earlier = reconcile_account(account_results, "shop/web", at_us(-6))
    assert (earlier.at_us, earlier.asked_us, earlier.seen_us) == (at_us(0), at_us(-6), at_us(-5))
    assert reconcile_account(account_results, "shop/web", at_us(0)).asked_us is None


def test_an_hpa_without_any_reconcile_is_named(tmp_path: Path) -> None:
    """As of a recording that is ten seconds long. Only `explain` has nothing to show of it."""
    seen = [fact for fact in story.facts() if fact.at_us < at_us(0)]
    with story.replayed(tmp_path / "short.duckdb", seen, ()) as results:
        hpa = web(results)
        assert (hpa.namespace, hpa.name, hpa.target, hpa.reconciles) == ("shop", "web", "Deployment/web", 0)
        assert hpa_names(results) == []


def test_an_hpa_that_was_not_there_in_the_time_that_is_shown_is_not_named() -> None:
    """One was deleted before, one came later, two were there, one of them reconciled."""
    hpas: list[Row] = [
        {"hpa_uid": "u-gone", "name": "gone", "seen_at": at(-60), "deleted_at": at(-1)},
        {"hpa_uid": "u-later", "name": "later", "seen_at": at(61)},
        {"hpa_uid": "u-idle", "name": "idle", "seen_at": at(60)},
        {"hpa_uid": "u-web", "name": "web", "seen_at": at(0)},
    ]
    shown = {"started_at": at(0), "ended_at": at(60)}
    with patterns() as database:
        there = database.there({"hpas": hpas, "recordings": [shown], "reconciles": reconciles(2)})
    assert there == [("idle", 0), ("web", 2)]


def test_the_moment_follows_the_order_in_which_the_headline_names_causes(account_results: Results) -> None:
    """The outage is first; a shorter time without it leaves the next cause."""
    rows = account_results.rows("select epoch_us(opened_at) as at_us, class from divergences order by opened_at")
    unexplained = next(row["at_us"] for row in rows if row["class"] == "unexplained")
    since = defaults(account_results, Scope(since_us=unexplained))["at"]
    (at,) = account_results.rows("select epoch_us($at) as at_us", at=since)
    assert at["at_us"] == unexplained


def test_a_gap_during_a_write_by_somebody_is_not_explained_by_that_write() -> None:
    """The divergence of the write stays open over reconciles that cannot be decided."""
    gap = {"class": "no_data.recording_gap", "verdict": "undecidable"}
    wrote = reconciles(1, divergence_id=1, verdict="divergent", **{"class": "external_write.gitops"})
    during = reconciles(2, first=1, divergence_id=1, **gap)
    later = reconciles(2, first=9, divergence_id=2, **gap)
    divergences: list[Row] = [
        {
            "divergence_id": 1,
            "class": "external_write.gitops",
            "explanation": "argocd-application-controller wrote 6 -> 2",
        },
        {"divergence_id": 2, "class": "no_data.recording_gap", "explanation": "not observed: recorder restarted"},
    ]
    with patterns() as database:

        def unknown(*rows: Row) -> list[str]:
            return database.unknown({"reconciles": rows, "divergences": divergences})

        assert unknown(*wrote, *during, *later) == ["recorder restarted"]
        assert unknown(*wrote, *during) == ["something that was not recorded"]
        assert unknown(*wrote) == []
        assert unknown(*reconciles(1, verdict="undecidable", **{"class": "no_data.warmup"})) == []


def test_the_first_controller_process_is_no_other_one() -> None:
    def said(*epochs: Row, of_epoch: int) -> list[str]:
        tables = {"controller_epochs": epochs, "reconciles": reconciles(1, first=4, epoch_id=of_epoch)}
        return [mark["what"] for mark in database.marks(tables)]

    def started(epoch_id: int, second: float) -> Row:
        return {"epoch_id": epoch_id, "acquired_at": at(second), "evidence": "started"}

    with patterns() as database:
        assert said(started(1, 0), of_epoch=1) == []
        assert said(started(1, 0), started(2, 70), of_epoch=1) == ["another controller process began"]
        assert said(started(0, -9), started(1, 70), of_epoch=0) == ["another controller process began"]
        # Nothing is known of the one that reconciled before.
        assert said(started(1, 70), of_epoch=0) == ["another controller process began"]
        assert said(started(1, 30), of_epoch=1) == ["a controller process began"]
