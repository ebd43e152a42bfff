"""Counts the verdicts about a real controller on an overloaded machine.

    python -m tests.cluster.busy [--minutes 8] [--burners 2] [--seed 1] [--into FOLDER]

Eighteen HPAs of every kind of metric in three namespaces, a sync period of 1.2 s, and a process per burner that does
nothing but compute. Loads change all the time, people scale by hand, the metrics APIs fail, the controller starts anew.
Nothing of that is inexplicable: asked is at most one `unexplained` in 1,000 reconciles, and that each write by hand is
found with the right name.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from hpaaudit.model.units import SECOND, Micros
from hpaaudit.results.read import Results, open_results
from tests.cluster import incident
from tests.cluster.cluster import Cluster, die_with_parent
from tests.cluster.recorder import ROOT, Recorder, command
from tests.cluster.scenes import KUBECTL

NAMESPACES = ("shop", "bank", "mail")
EVERY_SECONDS = {"load": 0.7, "by hand": 17, "outage": 61}
"""How often one of all workloads gets another load, somebody scales one, and the metrics APIs fail."""
OUTAGE_SECONDS = 4
MOST_UNEXPLAINED = 1 / 1000
NEAR_US = 3 * SECOND
"""A write is seen so soon, even where all programs wait for a processor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByHand:
    """A write of a person that changed a number."""

    at_us: Micros
    namespace: str
    name: str
    replicas: int


@contextmanager
def burning(burners: int) -> Iterator[None]:
    """So many processes that do nothing but compute."""
    started = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=die_with_parent)  # noqa: PLW1509 (a prctl)
        for _ in range(burners)
    ]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def play(folder: Path, seconds: float, burners: int, chance: Random) -> list[ByHand]:
    """Records it into `recording` of a folder; what was written by hand."""
    with Cluster(folder / "cluster", controller_flags=incident.PACE) as cluster:
        cluster.state |= incident.NODE
        for namespace in NAMESPACES:
            incident.load(cluster, 1, namespace)
            cluster.kube.post("/api/v1/namespaces", {"metadata": {"name": namespace}})
        kubeconfig = cluster.dir / "admin.kubeconfig"
        recorder = Recorder(folder / "recording", kubeconfig, "--all-namespaces", "--interval", "1s")
        try:
            time.sleep(4)
            for namespace in NAMESPACES:
                incident.create(cluster, namespace=namespace)
            time.sleep(5)
            with burning(burners):
                by_hand = list(_unfold(cluster, seconds, chance))
        finally:
            code, said = recorder.end()
        if code:
            raise RuntimeError(said)
    return by_hand


def _unfold(cluster: Cluster, seconds: float, chance: Random) -> Iterator[ByHand]:
    """Lets things happen for so long; yields what was written by hand."""
    alice = cluster.client("alice", KUBECTL)
    began = time.monotonic()
    restart = began + seconds / 2
    due = {what: began + every for what, every in EVERY_SECONDS.items()}
    refused = {"status": 503, "message": "the server is currently unable to handle the request"}
    while (now := time.monotonic()) < began + seconds:
        namespace, name = chance.choice(NAMESPACES), chance.choice(list(incident.WORKLOADS))
        if now >= due["load"]:
            due["load"] = now + EVERY_SECONDS["load"]
            incident.load(cluster, chance.choice((0.5, 1, 1.3, 2, 4, 6)), namespace, (name,))
        if now >= due["by hand"]:
            due["by hand"] = now + EVERY_SECONDS["by hand"]
            path = f"/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"
            before, wanted = cluster.kube.get(path)["spec"]["replicas"], chance.randint(1, 8)
            alice.patch(path, {"spec": {"replicas": wanted}})
            if before != wanted:
                at_us = Micros(time.time_ns() // 1000)
                yield ByHand(at_us=at_us, namespace=namespace, name=name, replicas=wanted)
        is_out = now >= due["outage"]
        if now >= due["outage"] + OUTAGE_SECONDS:
            due["outage"], is_out = now + EVERY_SECONDS["outage"], False
        cluster.state["faults"] = {"metrics.k8s.io": refused, "external.metrics.k8s.io": refused} if is_out else {}
        if now >= restart:
            restart = began + 2 * seconds
            cluster.restart_controller_manager()
        time.sleep(0.1)


def judge(results: Results, by_hand: Sequence[ByHand]) -> tuple[list[str], bool]:
    """What is to be told of the results, a line each, and whether they are as good as asked."""
    counted = results.rows("select verdict, coalesce(class, '') as class, count(*) as n from reconciles group by all")
    counted.sort(key=lambda row: -row["n"])
    lines = [f"{row['n']:7} {row['verdict']:12} {row['class']}" for row in counted]
    reconciles = sum(row["n"] for row in counted)
    unexplained = [row["n"] for row in counted if row["class"] == "unexplained"]
    writers = Counter(_writer(results, one) for one in by_hand)
    told = ", ".join(f"{count} of {writer}" for writer, count in writers.most_common())
    lines += [f"{len(by_hand)} writes by hand, found as {told or 'none'}"]
    lines += [f"{sum(unexplained)} of {reconciles} reconciles unexplained"]
    others = results.rows(
        "select ts, namespace, name, verdict, class, missing_input, explanation from divergences as d "
        "join reconciles using (hpa_uid, namespace, name, reconcile_id, class) "
        "where class not in ('external_write.manual', 'no_data.recording_gap') order by ts"
    )
    lines += [" ".join(str(value) for value in row.values()) for row in others]
    is_right = set(writers) <= {"kubectl"} and sum(unexplained) <= MOST_UNEXPLAINED * reconciles
    return lines, is_right


def _writer(results: Results, write: ByHand) -> str:
    """Whose the change is said to be: `nobody` where none is told."""
    near = results.rows(
        "select writer_class from scale_events where source = 'actual' and namespace = $namespace and name = $name "
        "and to_replicas = $replicas and abs(epoch_us(at_hi) - $at) < $near "
        "order by writer_class = 'hpa', writer_class",
        namespace=write.namespace, name=write.name, replicas=write.replicas, at=write.at_us, near=NEAR_US,
    )  # fmt: skip
    return str(near[0]["writer_class"]) if near else "nobody"


def main() -> int:
    """Plays, replays, prints what came out; 1 where it is not as good as asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--burners", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--into", type=Path, help="keep the recording in this folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.into or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        chance = Random(given.seed)  # noqa: S311 (a seed makes a story)
        by_hand = play(folder, 60 * given.minutes, given.burners, chance)
        (folder / "by_hand.json").write_text(json.dumps([asdict(one) for one in by_hand], indent=1))
        recording = folder / "recording"
        replayed = subprocess.run(command("replay", str(recording), *incident.DECLARED), cwd=ROOT, check=False)
        if replayed.returncode:
            return replayed.returncode
        with open_results(recording / "results.duckdb") as results:
            lines, is_right = judge(results, by_hand)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return int(not is_right)


if __name__ == "__main__":
    sys.exit(main())
