"""A scale that is read more seldom than the HPA is reconciled, and shows another number then."""

from pathlib import Path

import pytest

from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.replay import replay
from hpaaudit.model.facts import Gap
from tests.importers.lines import (
    HPAS,
    PODS,
    SCALE,
    USAGE,
    Line,
    at,
    get_line,
    hpa,
    items,
    line,
    read,
    running,
    saw,
    scale,
    usage,
    write,
)


def _gaps(folder: Path, *lines: Line) -> list[tuple[int, int]]:
    """Begin and end, in seconds, of the gaps of the scale."""
    facts = read(folder, *lines)
    scales = (fact for fact in facts if isinstance(fact, Gap) and fact.prefix == SCALE)
    return [((gap.at_us - at(0)) // 1_000_000, (gap.until_us - at(0)) // 1_000_000) for gap in scales]


def _looks(every: float, *numbers: int) -> list[Line]:
    return [get_line(every * nth, SCALE, scale(number)) for nth, number in enumerate(numbers)]


def test_between_two_looks_that_differ_the_number_is_unknown(tmp_path: Path) -> None:
    assert _gaps(tmp_path, *_looks(40, 3, 3, 5, 5, 4)) == [(40, 80), (120, 160)]


def test_who_looks_as_often_as_the_controller_misses_nothing(tmp_path: Path) -> None:
    assert _gaps(tmp_path, *_looks(15.4, 3, 4, 5, 4)) == []


def test_how_often_the_controller_looks_is_its_sync_period(tmp_path: Path) -> None:
    flags = {"horizontal-pod-autoscaler-sync-period": "1m0s"}
    started = line(0, controller="started", release="1.36", flags=flags)
    assert _gaps(tmp_path, started, *_looks(40, 3, 5)) == []


@pytest.mark.parametrize(
    "telling",
    [
        line(81, reconcile="shop/web"),
        saw(81, "/apis/apps/v1/deployments", "MODIFIED", {"metadata": {"name": "web", "namespace": "shop"}}),
    ],
    ids=["reconciles", "a watch of the workloads"],
)
def test_what_else_tells_of_the_scale_leaves_no_gap(telling: Line, tmp_path: Path) -> None:
    assert _gaps(tmp_path, *_looks(40, 3, 3, 5), telling) == []


def test_a_write_that_was_seen_is_a_look(tmp_path: Path) -> None:
    wrote = line(41, put=SCALE, status=200, body=scale(5), by="somebody")
    assert _gaps(tmp_path, *_looks(40, 3, 3), wrote, get_line(80, SCALE, scale(5))) == []


def test_an_old_number_decides_nothing(tmp_path: Path) -> None:
    """The scale was read every 40 seconds and fell between two looks: what was decided in between is not known."""
    lines = [get_line(0, HPAS, items(hpa())), get_line(0, PODS, items(running("a"), running("b")))]
    lines += [get_line(15 * nth, USAGE, usage(a=900, b=900)) for nth in range(20)]
    lines += _looks(40, 2, 2, 2, 4, 4, 4, 4)
    lines += [saw(15 * nth, HPAS, "MODIFIED", hpa()) for nth in range(20)]
    lines.sort(key=lambda one: str(one["at"]))
    import_capture((write(tmp_path, *lines),), into=tmp_path / "seldom")
    with replay(tmp_path / "seldom") as results:
        hidden = results.rows(
            "select distinct r.verdict from reconciles as r join coverage_gaps as g on g.stream = 'targets' "
            "where r.ts > g.gap_from and r.ts < g.gap_to"
        )
        assert {row["verdict"] for row in hidden} == {"undecidable"}
