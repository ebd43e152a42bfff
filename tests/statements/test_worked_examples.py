"""The worked examples of the documents, each in its era, computed by the engine. `worked/` holds the golden scripts.

cpu RELEASE target=80 [since-rescale=180] pods=90,95,100     percent of their request that each pod uses
pods RELEASE target=60 [max=3] values=50,100,-               what each pod says; - says nothing
behavior RELEASE from=80 wants=10 every=15 for=900           the input is `spec.behavior` in YAML
"""

from pathlib import Path

import pytest
import yaml

from hpaaudit.model.decision import Decision
from tests.engine.scenes import Loop, asks, decide, flags, per_pod, pods
from tests.script import play
from tests.statements.old_worlds import Look, minor_of, old_world
from tests.statements.replaying import replayed

SCRIPTS = sorted((Path(__file__).parent / "worked").glob("*.txt"))


def _cpu(folder: Path, release: str, given: dict[str, str]) -> str:
    """One reconcile of an HPA of cpu. Until 1.11 as a capture of that controller, with Heapster behind it."""
    usage = tuple(int(text) for text in given["pods"].split(","))
    target, since = int(given["target"]), given.get("since-rescale")
    if minor_of(release) <= 11:
        at_s = float(since or 0)
        look = Look(at_s=at_s, replicas=len(usage), usage=usage, last_scale_s=0 if since else None)
        (decision,) = replayed(folder, release, *old_world(release, look, target=target, maximum=40))
    else:
        from tests.engine.scenes import cpu

        crowd = pods(" ".join(f"1@{value}" for value in usage), request=100)
        decision = decide(cpu(target), crowd=crowd, replicas=len(usage), maximum=40, flags=flags(release=release))
    formula = -(-sum(usage) // target)
    told = f"ceil(sum / target) = ceil({sum(usage)} / {target}) = {formula}\n"
    return told + _told(decision, len(usage), "%")


def _pods(release: str, given: dict[str, str]) -> str:
    """One reconcile of an HPA with a metric of its pods."""
    values = given["values"].split(",")
    crowd = pods(" ".join("1" if text == "-" else f"1@{round(float(text) * 1000)}" for text in values))
    metric = per_pod(round(float(given["target"]) * 1000), name="pod_cpu_1m")
    maximum = int(given.get("max", 10))
    scene = decide(metric, crowd=crowd, replicas=len(values), maximum=maximum, flags=flags(release=release))
    return _told(scene, len(values), "")


def _told(decision: Decision, replicas: int, unit: str) -> str:
    lines = []
    for proposal in decision.proposals:
        current = proposal.current_utilization if unit else (proposal.current_milli or 0) / 1000
        shown = f"current {current:g}{f' {unit}' if unit else ''}" if current is not None else "not computed"
        ratio = "" if proposal.ratio is None else f", ratio {proposal.ratio:.5g}"
        if proposal.ratio_adjusted not in (None, proposal.ratio):
            ratio += f", with the missing pods {proposal.ratio_adjusted:.5g}"
        inside = ", inside the tolerance" if proposal.inside_tolerance else ""
        lines.append(f"{shown}{ratio}{inside}: proposes {proposal.proposal}")
    lines.append(f"{replicas} -> {decision.desired} ({decision.reason_code})")
    return "\n".join(lines)


def _behavior(release: str, given: dict[str, str], text: str) -> str:
    """Reconciles of a controller that wants one number all the time; every write with its second."""
    loop = Loop(int(given["from"]), flags=flags(release=release))
    if "remembers" in given:
        loop.reconcile(-float(given["every"]), asks(int(given["remembers"])))
    behavior = None if text.strip() == "none" else yaml.safe_load(text)
    scene = {} if behavior is None else {"behavior": behavior}
    wanted = asks(int(given["wants"]))
    writes = loop.every(float(given["every"]), 0, float(given["for"]), wanted, maximum=200, **scene)
    return "\n".join(f"{at:5g} s  {number}" for at, number in writes) or "no write"


@pytest.mark.golden
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_worked_examples_come_out_as_they_are_written(script: Path, rewrite: bool, tmp_path: Path) -> None:
    def answer(command: str, text: str) -> str:
        kind, release, *words = command.split()
        given = dict(word.split("=", 1) for word in words)
        if kind == "cpu":
            return _cpu(tmp_path, release, given)
        return _pods(release, given) if kind == "pods" else _behavior(release, given, text)

    play(script, answer, rewrite=rewrite)
