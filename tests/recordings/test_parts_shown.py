"""What a part of a recording shows is never more than what the whole shows."""

from collections import Counter
from pathlib import Path

import pytest

from hpaaudit.flows.query import account
from hpaaudit.flows.replay import replay
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.results.read import Results
from tests.recordings.kept import RECORDINGS


def held(results: Results) -> Counter[tuple[str, str, str]]:
    """In how many reconciles each cause held each HPA."""
    return Counter({
        (hpa.namespace, hpa.name, hold.cause): hold.reconciles for hpa in account(results).hpas for hold in hpa.holds
    })  # fmt: skip


@pytest.mark.parametrize("name", ["1.15-pending-pods", "gitops-loop", "load-step", "one-metric-fails"])
def test_no_hold_is_longer_in_a_part_than_in_the_whole(name: str, tmp_path: Path) -> None:
    """What came before the part still counts as evidence, and what is unknown of it is not said."""
    info = open_recording(RECORDINGS[name]).info
    assert info.ended_us is not None
    with replay(RECORDINGS[name], into=tmp_path / "whole.duckdb") as results:
        whole = held(results)
    length_us = info.ended_us - info.started_us
    for first, last in ((0.3, 1.0), (0.45, 0.8), (0.0, 0.7)):
        since_us, until_us = (int(info.started_us + share * length_us) for share in (first, last))
        part_file = tmp_path / f"{first}.duckdb"
        with replay(RECORDINGS[name], into=part_file, since=since_us, until=until_us) as results:
            part = held(results)
        assert part <= whole, (first, last)
