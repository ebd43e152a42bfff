"""Merges what a cluster left behind into one capture, with the instant of every reconcile: the ground truth.

    python -m tests.cluster.capture FOLDER > capture.jsonl

From seen.jsonl: the answers that the metrics APIs gave to the controller, every change of pods and HPAs, the start of
the controller. From audit.log: the scale as the controller read it (one read per reconcile), and every write with its
author. From the controller's log (-v=4): when a reconcile had decided.
"""

import bisect
import datetime as dt
import itertools
import json
import re
import sys
from pathlib import Path
from typing import Any

Line = dict[str, Any]

CONTROLLER = "system:serviceaccount:kube-system:horizontal-pod-autoscaler"
CONFLICT = 409
WRITES = {"update": "put", "patch": "patch", "create": "post"}
SENTENCES = ("ot to scale", "escaled", "compute desired number")
RETRY_SECONDS = 0.5
"""After a conflict the controller of 1.34 and newer reads the scale again at once, within the same reconcile."""
UNTIL_STATUS_SECONDS = 0.2
"""By then a reconcile that had decided has sent its status, if that changed."""
NAMES = (
    r'Decided not to scale".*?scaleTarget":"(?P<target>[^"]+)"',
    r'Successfully rescaled".*?HPA":\{"name":"(?P<name>[^"]+)","namespace":"(?P<namespace>[^"]+)"\}',
    r"metrics for (?P<target>\w+/[\w.-]+/[\w.-]+):",
)


def seconds(at: str) -> float:
    """RFC 3339 to seconds."""
    return dt.datetime.fromisoformat(at).timestamp()


def rfc3339(at: float) -> str:
    """Seconds to RFC 3339."""
    return dt.datetime.fromtimestamp(at, dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def audited(path: Path) -> list[Line]:
    """Scale reads of the controller and everybody's writes; a write has `begun` as well."""
    collected = []
    for text in path.read_text().splitlines():
        event = json.loads(text)
        where, user = event.get("objectRef", {}), event["user"].get("username", "")  # a refused stranger has none
        begun, ended, agent = event["requestReceivedTimestamp"], event["stageTimestamp"], event.get("userAgent", "")
        line = {"status": event["responseStatus"]["code"], "by": user, "agent": agent}
        if event["verb"] == "get" and where.get("subresource") == "scale" and user == CONTROLLER:
            took = round((seconds(ended) - seconds(begun)) * 1000, 3)
            collected.append(
                {"at": ended, "get": event["requestURI"], **line, "ms": took, "body": event["responseObject"]}
            )
        elif event["verb"] in WRITES and "requestObject" in event:
            # At its end, when it holds; the controller had decided before its begin.
            after = event.get("responseObject") or {}
            body_field = {"body": after} if after.get("kind") not in (None, "Status") else {}
            verb, manager = WRITES[event["verb"]], agent.partition("/")[0]
            line |= {"manager": manager, "request": event["requestObject"], **body_field, "begun": begun}
            collected.append({"at": ended, verb: event["requestURI"], **line})
    return collected


def decided(path: Path) -> dict[str, list[float]]:
    """The instants at which a reconcile was through, by target (Deployment/shop/checkout) or HPA (shop/checkout)."""
    times_by_hpa: dict[str, list[float]] = {}
    for text in path.read_text().splitlines():
        if not any(sentence in text for sentence in SENTENCES):
            continue
        named = next((hit for pattern in NAMES if (hit := re.search(pattern, text))), None)
        if named:
            parts = named.groupdict()
            name = parts["target"] if "target" in parts else f"{parts['namespace']}/{parts['name']}"
            times_by_hpa.setdefault(name, []).append(json.loads(text)["ts"] / 1000)
    return times_by_hpa


def scales(lines: list[Line]) -> dict[str, tuple[str, str]]:
    """HPA and target by the path of the scale that this HPA alone reads."""
    scales_by_target: dict[str, set[tuple[str, str]]] = {}
    for line in lines:
        if line.get("object", {}).get("kind") == "HorizontalPodAutoscaler":
            hpa = line["object"]
            namespace, target = hpa["metadata"]["namespace"], hpa["spec"]["scaleTargetRef"]
            api = "/api/v1" if "/" not in target["apiVersion"] else f"/apis/{target['apiVersion']}"
            path = f"{api}/namespaces/{namespace}/{target['kind'].lower()}s/{target['name']}/scale"
            named = f"{namespace}/{hpa['metadata']['name']}", f"{target['kind']}/{namespace}/{target['name']}"
            scales_by_target.setdefault(path, set()).add(named)
    # Of two HPAs on one target neither the audit log nor the controller's log tells whose read it was.
    return {path: named.pop() for path, named in scales_by_target.items() if len(named) == 1}


def first_reads(path: str, audit: list[Line]) -> list[float]:
    """When a reconcile read its scale first."""
    matches, conflict = [], float("-inf")
    for line in sorted(audit, key=lambda line: seconds(line["at"])):
        at = seconds(line["at"])
        if line.get("put") == path and line["by"] == CONTROLLER and line["status"] == CONFLICT:
            conflict = at
        elif line.get("get") == path:
            if at - conflict > RETRY_SECONDS:
                matches.append(at)
            conflict = float("-inf")  # One read for each conflict: the next begins a reconcile, however soon it comes.
    return matches


def reconciles(lines: list[Line], audit: list[Line], logged: dict[str, list[float]]) -> list[Line]:
    """One line per scale read: when that reconcile had decided, before it wrote anything.

    The last one of a process, or of the time that was seen, may have been cut off before its status was written: then
    it has no line. Nothing remembers it.
    """
    collected = []
    until = seconds(lines[-1]["at"])
    cuts = [*(seconds(line["at"]) for line in lines if line.get("controller") == "started"), until]
    for path, (hpa, target) in scales(lines).items():
        starts = first_reads(path, audit)
        namespace, name = hpa.split("/")
        status = f"/namespaces/{namespace}/horizontalpodautoscalers/{name}/status"
        of_status = [
            (seconds(line["begun"]), seconds(line["at"]))
            for line in audit
            if line["by"] == CONTROLLER and line.get("put", "").endswith(status)
        ]
        of_scale = [seconds(line["begun"]) for line in audit if line["by"] == CONTROLLER and line.get("put") == path]
        ends = sorted([begun for begun, _ in of_status] + of_scale + logged.get(target, []) + logged.get(hpa, []))
        for start, following in itertools.pairwise([*starts, float("inf")]):
            at = bisect.bisect_right(ends, start)
            if at == len(ends) or ends[at] >= following:
                continue
            cut = next((cut for cut in cuts if start < cut <= following), float("inf"))
            answered = [ended for begun, ended in of_status if start < begun < following]
            if max(answered, default=ends[at] + UNTIL_STATUS_SECONDS) <= cut:
                collected.append({"at": rfc3339(ends[at]), "reconcile": hpa})
    return collected


def lines(folder: Path) -> list[Line]:
    """The capture of a cluster's folder, in order of time."""
    lines = [json.loads(text) for text in (folder / "seen.jsonl").read_text().splitlines()]
    # What others than the controller asked is no part of what it saw.
    lines = [line for line in lines if line.get("by", CONTROLLER) == CONTROLLER]
    audit = audited(folder / "audit/audit.log")
    ends = reconciles(lines, audit, decided(folder / "logs/kube-controller-manager.log"))
    for line in audit:
        line.pop("begun", None)
    # Of a cluster that still runs, the files were read one after the other: the first one's end is the end.
    until = seconds(lines[-1]["at"])
    merged = sorted([*lines, *audit, *ends], key=lambda line: (seconds(line["at"]), "reconcile" in line))
    return [*(line for line in merged if seconds(line["at"]) <= until), {"at": rfc3339(until), "end": True}]


def main() -> None:
    """Prints the capture."""
    for line in lines(Path(sys.argv[1])):
        sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
