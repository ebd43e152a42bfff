"""A time that a screen shows, pasted back, means the reconcile beside which it stood."""

import re
from collections import Counter
from pathlib import Path

import pytest

from hpaaudit.flows.moments import moment, moments
from hpaaudit.flows.query import account
from hpaaudit.flows.replay import replay
from hpaaudit.report.replay import replay_text
from hpaaudit.report.text import clock
from hpaaudit.results.account_reconcile import reconcile_account
from tests.recordings.kept import RECORDINGS
from tests.sample import one_in

TIME = re.compile(r"\b\d\d:\d\d:\d\dZ")


@pytest.mark.parametrize("recording", RECORDINGS.values(), ids=lambda path: path.name)
def test_every_time_of_a_screen_explains_the_reconcile_of_that_second(recording: Path, tmp_path: Path) -> None:
    with replay(recording, into=tmp_path / "results.duckdb") as results:
        rows = results.rows(
            "select namespace || '/' || name as hpa, reconcile_id, epoch_us(ts) as at_us from reconciles"
        )
        seconds = Counter((row["hpa"], clock(row["at_us"])) for row in rows)
        screen = replay_text(account(results))
        on_screen = set(TIME.findall(screen))
        assert on_screen & {second for _, second in seconds}
        for row in one_in(3, rows):
            shown = clock(row["at_us"])
            at_us = moments(results.span, at=moment(shown))["at"]
            assert at_us is not None
            explained = reconcile_account(results, row["hpa"], at_us)
            assert clock(explained.at_us) == shown
            if seconds[row["hpa"], shown] == 1:
                assert explained.reconcile_id == row["reconcile_id"]
