"""Answers of any size within the memory that the manifests give: one that is too large is a gap, and not the end.

The recorder is a process of its own in (what it takes for) a control group of 512 MiB.
"""

from pathlib import Path

import pytest
from aiohttp import web

from hpaaudit.model.facts import Gap, HpaSeen, PodSeen, ResourceMetricsRead, TargetSeen
from hpaaudit.recording.reading.recording import open_recording
from tests.cluster.heavy import METRICS, Body, Heavy, Reply, repeated, usage

pytestmark = pytest.mark.alone
LIMIT_MB = 512
SECONDS = 9
HUGE = 250 << 20


def is_late(gap: Gap) -> bool:
    """Whether a gap is only of reads that a busy machine did not make in time."""
    return "the recorder was late" in gap.cause


def of_metrics(body: Body) -> Reply:
    """The metrics of every namespace."""
    return lambda request: body if request.path.startswith(METRICS) else None


def of_pods(body: Body) -> Reply:
    """Every list of pods; watches are as they should be."""

    def reply(request: web.Request) -> Body | None:
        pods = request.path.endswith("/pods") and not request.path.startswith(METRICS)
        return body if pods and "watch" not in request.query else None

    return reply


def of_watches(body: Body) -> Reply:
    """The watch of pods."""

    def reply(request: web.Request) -> Body | None:
        return body if request.path == "/api/v1/pods" and "watch" in request.query else None

    return reply


BLANK = repeated(b'{"kind":"PodMetricsList","items":[', b" ", b"]}", HUGE)
ONE_ITEM = repeated(b'{"items":[{"metadata":{"name":"', b"x", b'"}}]}', HUGE)
DEEP = repeated(b'{"items":[', b"[", b"", HUGE)
LINE = repeated(b'{"type":"ADDED","object":{"metadata":{"name":"', b"x", b'"}}}\n', HUGE)
OBJECTS_IN_A_LINE = repeated(b'{"type":"ADDED","object":{"spec":[{}', b",{}", b"]}}\n", 30 << 20)

CASES: dict[str, tuple[Reply, int, str]] = {
    "32 MB of valid metrics": (of_metrics(usage(32)), 1, "metrics.k8s.io"),
    "240 MB of valid metrics": (of_metrics(usage(240)), 1, "metrics.k8s.io"),
    "ten times 250 MB of blanks": (of_metrics(BLANK), 250, ""),
    "32 MB of empty objects": (of_metrics(repeated(b'{"items":[{}', b",{}", b"]}", 32 << 20)), 1, "metrics.k8s.io"),
    "ten times one item of 250 MB": (of_metrics(ONE_ITEM), 250, "metrics.k8s.io"),
    "ten times 250 MB of brackets": (of_metrics(DEEP), 250, ""),
    "a watch with a line of 250 MB": (of_watches(LINE), 1, "/api/v1/pods"),
    "a watch with a line of ten million objects": (of_watches(OBJECTS_IN_A_LINE), 1, "/api/v1/pods"),
}
"""What is answered, by how many HPAs (25 a namespace), and what a gap must name."""


@pytest.mark.parametrize("case", CASES)
def test_no_answer_takes_more_memory_than_there_is_and_the_rest_is_recorded(case: str, tmp_path: Path) -> None:
    reply, hpas, hidden = CASES[case]
    with Heavy(reply, hpas=hpas) as server:
        peak, code, output = server.peak_megabytes(tmp_path, SECONDS, "--interval", "4s", limit_megabytes=LIMIT_MB)
    assert code == 0, output
    assert peak < 0.75 * LIMIT_MB, peak
    facts = list(open_recording(tmp_path / "recording").facts())
    assert len({fact.name for fact in facts if isinstance(fact, HpaSeen)}) == hpas
    assert len({fact.target.name for fact in facts if isinstance(fact, TargetSeen)}) == hpas
    gaps = [fact for fact in facts if isinstance(fact, Gap)]
    if hidden:
        causes = {gap.cause for gap in gaps if hidden in gap.prefix and not is_late(gap)}
        assert causes, gaps
        assert all("MB" in cause for cause in causes), causes


def test_metrics_of_thousands_of_pods_are_read_whole_item_by_item(tmp_path: Path) -> None:
    """Beyond a megabyte they are cut while they come: each sample is what the whole list would have made it."""
    with Heavy(of_metrics(usage(5))) as server:
        peak, code, output = server.peak_megabytes(tmp_path, SECONDS, "--interval", "4s", limit_megabytes=LIMIT_MB)
    assert code == 0, output
    assert peak < 0.75 * LIMIT_MB, peak
    facts = list(open_recording(tmp_path / "recording").facts())
    assert not [fact for fact in facts if isinstance(fact, Gap) and not is_late(fact)]
    reads = [fact for fact in facts if isinstance(fact, ResourceMetricsRead)]
    for read in reads:
        assert len(read.samples or ()) == len({sample.pod for sample in read.samples or ()}) > 15_000
        assert {len(sample.containers) for sample in read.samples or ()} == {1}
        assert (read.samples or ())[0].pod == "pod-0000001"
    assert len([fact for fact in facts if isinstance(fact, PodSeen)]) == 10
