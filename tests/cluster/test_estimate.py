"""What a recorder says before it begins: how many requests it will send, and which rights it lacks."""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from hpaaudit.api.to_facts import hpa_seen, metrics_read, pod_seen
from hpaaudit.cluster.decoding.decoders import HPAS, PODS, USAGE
from hpaaudit.cluster.observe.estimate import SEGMENT_MEMORY, Estimate
from hpaaudit.model.facts import Fact, HpaSeen, ResourceMetricsRead
from hpaaudit.model.note import Event, Level, Note
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder.writer_limits import USUAL
from hpaaudit.recording.writing.writer import Writer
from tests.bench.crowd import HPAS_OF_NAMESPACE, Crowd
from tests.cluster.observer_thread import ObserverThread
from tests.cluster.recorder import ROOT

RECORDINGS = ROOT / "recordings"
CROWD = Estimate(hpas=5000, pods=50_000, reads=450, interval_seconds=15)


def test_a_budget_that_is_large_enough_is_only_told() -> None:
    text = CROWD.words(40)
    assert text.startswith("following 5000 HPAs and 50000 pods: 450 reads every 15 s, 30.0 requests per second, about ")
    assert text.endswith(" MB per hour")


@pytest.mark.parametrize("qps", [20, 1, 25.5])
def test_a_budget_that_is_too_small_comes_with_two_that_are_enough(qps: float) -> None:
    text = CROWD.words(qps)
    assert f"--qps {qps:g} allows less, so reads will be missed: --qps 31, or --interval " in text
    seconds = float(text.rpartition("--interval ")[2].removesuffix("s"))
    longer = Estimate(hpas=5000, pods=50_000, reads=450, interval_seconds=seconds)
    assert longer.requests_per_second <= qps


def test_it_is_told_once_before_the_first_read(
    create: Callable[..., None], observe: Callable[..., ObserverThread]
) -> None:
    create("checkout")
    observed = observe()
    observed.until(HpaSeen)
    observed.until(ResourceMetricsRead)
    observed.end()
    [estimate] = observed.estimates
    assert isinstance(estimate, Note)
    assert (estimate.event, estimate.level, estimate.fields["reads"]) == (Event.ESTIMATE, Level.INFO, 1)
    assert estimate.startswith("following 1 HPA and ")


# What is estimated, and what was written

FACTOR = 1.5
"""An estimate is a third too low at the most, and half too high."""


def written(folder: Path, facts: Iterable[Fact]) -> tuple[int, int]:
    """Bytes and segments of these facts on the disk."""
    with Writer(folder, source="record", started_us=Micros(0)) as writer:
        for fact in facts:
            writer.add(fact)
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()), writer.segments


@pytest.mark.parametrize("name", ["load-step", "metrics-down", "scaled-by-hand", "unready-on-the-way-up"])
def test_a_real_recording_takes_what_was_estimated(name: str, tmp_path: Path) -> None:
    """Of one HPA and a few pods for a quarter of an hour; as one segment, which is what a recorder makes of it."""
    facts = list(open_recording(RECORDINGS / name).facts())
    pods = max(len(fact.samples or ()) for fact in facts if isinstance(fact, ResourceMetricsRead))
    took, _ = written(tmp_path / "again", facts)
    seconds = (facts[-1].at_us - facts[0].at_us) / SECOND
    estimated = Estimate(hpas=1, pods=pods, reads=1, interval_seconds=15).bytes_in(seconds)
    assert took / FACTOR <= estimated <= took * FACTOR


class Hours:
    """The clock of a crowd, which a test moves on."""

    strftime, gmtime = staticmethod(time.strftime), staticmethod(time.gmtime)

    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def time(self) -> float:
        """In seconds, as `time.time` tells it."""
        return self.seconds

    @property
    def us(self) -> Micros:
        """The same in microseconds."""
        return Micros(round(self.seconds * SECOND))


def lived(crowd: Crowd, clock: Hours, rounds: int) -> Iterator[Fact]:
    """What a recorder sees of a crowd: first all of it, then in each round all usage, and every other status."""

    def status(hpa: int, turn: int) -> Fact:
        crowd.next_version()
        return hpa_seen(clock.us, HPAS.event.decode(f'{{"type":"MODIFIED","object":{crowd.hpa(hpa, turn)}}}').object)

    yield from (status(hpa, 0) for hpa in range(crowd.hpas))
    for index in range(crowd.pods):
        yield pod_seen(clock.us, PODS.event.decode(f'{{"type":"ADDED","object":{crowd.pod(index)}}}').object)
    for turn in range(1, rounds + 1):
        for namespace in range(crowd.namespaces):
            clock.seconds += 15 / crowd.namespaces
            path = f"/apis/metrics.k8s.io/v1beta1/namespaces/{crowd.namespace(namespace * HPAS_OF_NAMESPACE)}/pods"
            usage = USAGE.decode(crowd.usage(namespace).encode())
            yield metrics_read(clock.us, Micros(20_000 + namespace), path, 200, usage, "", "")
        yield from (status(hpa, turn) for hpa in range(turn % 2, crowd.hpas, 2))


@pytest.mark.parametrize(
    ("hpas", "rounds", "memory"), [(20, 120, SEGMENT_MEMORY), (200, 12, 1 << 20), (200, 10, 1 << 19)]
)
def test_a_crowd_takes_what_was_estimated(
    hpas: int, rounds: int, memory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half an hour that is one segment, and minutes that are many: 5,000 HPAs make one in every other round."""
    monkeypatch.setattr("hpaaudit.recording.writing.writer.BYTE_BUDGET", memory)
    monkeypatch.setattr("hpaaudit.cluster.observe.estimate.SEGMENT_MEMORY", memory)
    clock = Hours()
    monkeypatch.setattr("tests.bench.crowd.time", clock)
    crowd = Crowd(hpas, begun=clock.seconds)
    took, segments = written(tmp_path / "crowd", lived(crowd, clock, rounds))
    assert (segments == 1) == (memory == SEGMENT_MEMORY)
    estimate = Estimate(hpas=hpas, pods=crowd.pods, reads=crowd.namespaces, interval_seconds=15)
    assert took / FACTOR <= estimate.bytes_in(rounds * 15) <= took * FACTOR


def test_a_segment_is_as_large_as_the_estimate_says() -> None:
    """The rooms do not know each other, so the number stands twice."""
    assert USUAL.segment_bytes == SEGMENT_MEMORY


def test_where_nothing_is_seen_little_is_written() -> None:
    assert Estimate(hpas=0, pods=0, reads=0, interval_seconds=15).bytes_per_hour < 50_000
