"""Plays the incident on servers of an old release, whose best version of autoscaling is v2beta2, v2beta1 or v1.

    python -m tests.cluster.old [v2beta2 v2beta1 v1] [--release 1.22.15] [--into FOLDER]

Kubernetes 1.22 was the last without `autoscaling/v2`; its API server serves less where it is told so, as servers up
to 1.11 did by themselves. The HPAs are made by v2beta2, then the server starts anew with what it is to serve, and only
then `hpaaudit record` looks on. Two minutes each; the programs of 1.22 are built once, in 15 minutes.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from hpaaudit.model.facts import HpaSeen
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.results.read import open_results
from tests.cluster import build, incident
from tests.cluster.build import say
from tests.cluster.capture import CONTROLLER
from tests.cluster.cluster import Cluster
from tests.cluster.recorder import Recorder, run

RELEASE = "1.22.15"
"""The newest patch of 1.22 that the module proxy has whole."""
VERSIONS = {"v2beta2": (), "v2beta1": ("v2beta2",), "v1": ("v2beta2", "v2beta1")}
"""By the best version that is served, those that are not."""
GATES = {"HPAContainerMetrics": True}
"""Alpha in 1.22."""
EXTERNAL = {"apiGroups": ["external.metrics.k8s.io"], "resources": ["*"], "verbs": ["list", "get"]}
"""What the controller of 1.22 may not read unless an administrator says so."""
UNSAID = {"v2beta1": "shop/sidecar is not replayed: autoscaling/v2beta1 does not say whose ContainerResource it means"}
"""What a version cannot say, as `replay` names it."""


def programs(release: str) -> None:
    """Builds what the cache lacks; etcd is today's, whose API is the same."""
    folder = build.build(release, ("kube-apiserver", "kube-controller-manager"))
    today = build.build(programs=("etcd",)) / "etcd"
    if not (folder / "etcd").exists():
        (folder / "etcd").symlink_to(today)


def play(folder: Path, release: str, best: str) -> Path:
    """The incident, recorded; the recording."""
    recording = folder / "recording"
    with Cluster(folder / "cluster", release=release, controller_flags=incident.PACE, gates=GATES) as cluster:
        cluster.state |= incident.NODE
        incident.load(cluster, 1)
        cluster.kube.post("/api/v1/namespaces", {"metadata": {"name": incident.NAMESPACE}})
        cluster.allow(CONTROLLER, incident.NAMESPACE, [EXTERNAL])
        incident.create(cluster, "v2beta2")
        config = ",".join(f"autoscaling/{version}=false" for version in VERSIONS[best])
        cluster.serve(**{"runtime-config": config} if config else {})
        served = [one["version"] for one in cluster.kube.get("/apis/autoscaling")["versions"]]
        say(f"{best}: {cluster.kube.get('/version')['gitVersion']} serves {' '.join(served)}")
        if best not in served or set(served) & {"v2", *VERSIONS[best]}:
            raise SystemExit(f"{best} is not the best version there")
        options = ("-n", incident.NAMESPACE, "--interval", "1s")
        recorder = Recorder(recording, cluster.dir / "admin.kubeconfig", *options)
        try:
            time.sleep(4)
            incident.unfold(cluster, restart=False)
        finally:
            code, output = recorder.end()
    if code:
        raise SystemExit(f"record: exit {code}\n{output}")
    return recording


def look(recording: Path, release: str, best: str) -> None:
    """Replays it as that release, and says what came out; ends where a decision is not the controller's."""
    versions = Counter(fact.api_version for fact in open_recording(recording).facts() if isinstance(fact, HpaSeen))
    completed = run("replay", str(recording), "--release", release, *incident.DECLARED)
    if (
        completed.returncode
        or not completed.stderr.startswith(UNSAID.get(best, ""))
        or (completed.stderr and best not in UNSAID)
    ):
        raise SystemExit(f"replay: exit {completed.returncode}\n{completed.stderr}")
    with open_results(recording / "results.duckdb") as results:

        def rows(sql: str) -> list[tuple[Any, ...]]:
            return results.sql(sql).fetchall()

        verdicts = rows("select name, verdict, class, count(*) from reconciles group by all order by all")
        moved = rows("select name, source, writer_class, count(*) from scale_events group by all order by all")
        types = rows("select distinct metric_type from metric_proposals order by 1")
        divergent = rows("select name, class, count(*) from reconciles where verdict = 'divergent' group by all")
    for title, counts in {"verdicts": verdicts, "scale events": moved, "metrics": types}.items():
        say(f"  {title}")
        for row in counts:
            say("    " + "  ".join(str(value) for value in row if value is not None))
    say(f"  HPAs were read as {dict(versions)}\n  {completed.stderr}")
    if set(versions) != {f"autoscaling/{best}"}:
        raise SystemExit(f"not read as {best} alone")
    if divergent != [("checkout", "external_write.manual", 1)]:
        raise SystemExit(f"other differences than what was done by hand: {divergent}")


def main() -> None:
    """Plays each, and looks."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.old", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("best", nargs="*", metavar="VERSION", default=list(VERSIONS))
    parser.add_argument("--release", default=RELEASE)
    parser.add_argument("--into", type=Path, help="keep what is recorded in this folder")
    args = parser.parse_args()
    if unknown := [best for best in args.best if best not in VERSIONS]:
        parser.error(f"no such version: {unknown[0]}; there are {', '.join(VERSIONS)}")
    programs(args.release)
    with tempfile.TemporaryDirectory(prefix="hpaaudit-old-") as folder_name:
        for best in args.best:
            folder = (args.into or Path(folder_name)).resolve() / best
            folder.mkdir(parents=True)
            look(play(folder, args.release, best), args.release, best)
    sys.stdout.write(f"{args.release}: {', '.join(args.best)}: no decision differs\n")


if __name__ == "__main__":
    main()
