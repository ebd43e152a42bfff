"""What a recorder of a crowded cluster costs: `python -m tests.bench.gentle [--for 120] [--hpas 5000]`.

The server is a process of its own, so that its CPU and memory are not counted.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hpaaudit.api.to_facts import metrics_read, pod_seen
from hpaaudit.cluster.decoding.decoders import PODS, USAGE
from hpaaudit.cluster.observe.estimate import Estimate
from hpaaudit.model.facts import Gap, PodSeen, ResourceMetricsRead
from hpaaudit.model.units import Micros
from hpaaudit.recording.reading.recording import open_recording
from tests.bench.crowd import HPAS_OF_NAMESPACE, PODS_OF_HPA, Crowd
from tests.bench.table import Row, rendered

ROOT = Path(__file__).resolve().parents[2]
RECORD = "import sys; sys.modules['numpy'] = None; from hpaaudit.cli import main; main()"
"""As in the recorder's image, which has no numpy; pyarrow loads it where it is."""
HPAS = 5000
CPU_CORES, RSS_MB, DECODE = 0.25, 250, 1 / 5
"""What a recorder of 5,000 HPAs and 50,000 pods may take, and its decoding beside `json.loads` alone."""
WARM_SECONDS = 30
"""In which everything is listed once; its CPU is told apart."""
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
PAGE, REPEATS = 500, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """CPU seconds of the start, cores after it, the most memory, and what was seen."""

    start_cpu: float
    cores: float
    peak_mb: float
    end_mb: float
    seconds: float
    reads: int
    pods: int
    samples: int
    missed: int
    gaps: int
    bytes: int


@contextmanager
def crowd_server(hpas: int) -> Iterator[str]:
    """Starts the server; gives its address."""
    code = [sys.executable, "-m", "tests.bench.crowd_server", str(hpas)]
    with subprocess.Popen(code, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            yield server.stdout.readline().strip()
        finally:
            assert server.stdin
            server.stdin.close()


def cpu_seconds(pid: int) -> float:
    """What a process has used so far, with its children that ended."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS_A_SECOND


def megabytes(pid: int, name: str) -> float:
    """`VmHWM` or `VmRSS` of a process."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:")) / 1024


def measure(hpas: int, seconds: float, folder: Path) -> Cost:
    """Records a crowd for so long after the start."""
    into = folder / "recording"
    with crowd_server(hpas) as url:
        config = {
            "current-context": "crowd",
            "clusters": [{"name": "crowd", "cluster": {"server": url}}],
            "users": [{"name": "me", "user": {"token": "any"}}],
            "contexts": [{"name": "crowd", "context": {"cluster": "crowd", "user": "me"}}],
        }
        kubeconfig = folder / "kubeconfig"
        kubeconfig.write_text(json.dumps(config))
        options = ["--into", str(into), "--kubeconfig", str(kubeconfig), "-A", "--for", f"{seconds + WARM_SECONDS:g}s"]
        with subprocess.Popen([sys.executable, "-c", RECORD, "record", *options], cwd=ROOT) as recorder:
            time.sleep(WARM_SECONDS)
            start = cpu_seconds(recorder.pid)
            begun = time.monotonic()
            time.sleep(seconds - 2)
            lasted, used = time.monotonic() - begun, cpu_seconds(recorder.pid) - start
            peak, end = megabytes(recorder.pid, "VmHWM"), megabytes(recorder.pid, "VmRSS")
            if recorder.wait():
                raise SystemExit("the recorder failed")
    reads = pods = samples = missed = gaps = 0
    for fact in open_recording(into).facts():
        if isinstance(fact, Gap):
            gaps += 1
            missed += "was late and missed" in fact.cause
        elif isinstance(fact, ResourceMetricsRead):
            reads += 1
            samples += len(fact.samples or ())
        elif isinstance(fact, PodSeen):
            pods += 1
    return Cost(
        start_cpu=start, cores=used / lasted, peak_mb=peak, end_mb=end, seconds=lasted, reads=reads, pods=pods,
        samples=samples, missed=missed, gaps=gaps, bytes=sum(path.stat().st_size for path in into.rglob("*.parquet")),
    )  # fmt: skip


def best(run: object) -> float:
    """The least of some runs, in seconds."""
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        run()  # type: ignore[operator]
        times.append(time.perf_counter() - begun)
    return min(times)


def decoding(pods: int, samples: int) -> Iterator[Row]:
    """What decoding takes beside `json.loads` alone: of a page of pods, of a namespace's usage, of all of a run."""
    crowd = Crowd(PAGE // PODS_OF_HPA)
    items = ",".join(crowd.pod(index) for index in range(PAGE))
    page = f'{{"metadata":{{"resourceVersion":"1"}},"items":[{items}]}}'.encode()
    pod, pod_alone = best(lambda: PODS.page.decode(page)) / PAGE, best(lambda: json.loads(page)) / PAGE
    pod_fact = best(lambda: [pod_seen(Micros(0), raw) for raw in PODS.page.decode(page)["items"]]) / PAGE
    usage, count = crowd.usage(0).encode(), HPAS_OF_NAMESPACE * PODS_OF_HPA
    path = "/apis/metrics.k8s.io/v1beta1/namespaces/team-000/pods"
    sample, sample_alone = best(lambda: USAGE.decode(usage)) / count, best(lambda: json.loads(usage)) / count
    sample_fact = best(lambda: metrics_read(Micros(0), Micros(0), path, 200, USAGE.decode(usage), "", "")) / count
    yield _decoded("µs a pod, decoded", pod, pod_alone)
    yield _decoded("µs a pod, as a fact", pod_fact, pod_alone)
    yield _decoded("µs a sample, decoded", sample, sample_alone)
    yield _decoded("µs a sample, as a fact", sample_fact, sample_alone)
    share = samples / (pods + samples)
    ours, alone = (one + share * (other - one) for one, other in ((pod, sample), (pod_alone, sample_alone)))
    yield _decoded(f"µs, {pods:,} pods and {samples:,} samples", ours, alone)


def _decoded(what: str, ours: float, alone: float) -> Row:
    times = (f"{ours * 1e6:.2f}", f"{alone * 1e6:.2f} json.loads alone (at most {DECODE:.2f})")
    return Row(what, *times, f"{ours / alone:.2f}")


def rows(hpas: int, seconds: float, folder: Path) -> Iterator[Row]:
    """What was measured, each beside what it may be."""
    cost = measure(hpas, seconds, folder)
    share = hpas / HPAS
    yield Row(
        "CPU, cores", f"{cost.cores:.3f}", f"{CPU_CORES * share:g} at most", f"{cost.cores / CPU_CORES / share:.2f}"
    )
    yield Row("peak RSS, MB", f"{cost.peak_mb:.0f}", f"{RSS_MB} at most", f"{cost.peak_mb / RSS_MB:.2f}")
    yield Row("RSS at the end, MB", f"{cost.end_mb:.0f}", "", "")
    yield Row("CPU of the start, s", f"{cost.start_cpu:.1f}", "", "")
    yield Row("deadlines missed", f"{cost.missed}", f"0 of {cost.reads:,} reads, {cost.gaps} gaps", "")
    yield Row("samples read", f"{cost.samples:,}", f"in {cost.seconds:.0f} s", "")
    crowd = Crowd(hpas)
    estimate = Estimate(hpas=hpas, pods=crowd.pods, reads=crowd.namespaces, interval_seconds=15)
    estimated = estimate.bytes_in(seconds + WARM_SECONDS)
    yield Row(
        "MB on disk", f"{cost.bytes / 1e6:.1f}", f"{estimated / 1e6:.1f} estimated", f"{cost.bytes / estimated:.2f}"
    )
    yield from decoding(cost.pods, cost.samples)


def head(hpas: int, seconds: float) -> str:
    """What was recorded."""
    return f"{hpas:,} HPAs, {hpas * PODS_OF_HPA:,} pods, {seconds:g} s"


def main() -> None:
    """Measures, and prints a table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.gentle", description="What a recorder costs.")
    parser.add_argument("--hpas", type=int, default=HPAS, help="each with 10 pods")
    parser.add_argument("--for", dest="seconds", type=float, default=600, metavar="SECONDS")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        items = list(rows(args.hpas, args.seconds, Path(folder)))
    sys.stdout.write(rendered(head(args.hpas, args.seconds), items))


if __name__ == "__main__":
    main()
