"""Counts what folders of decisions hold: conditions, events, writes, kinds of metrics.

python -m tests.oracle.census FOLDER…
"""

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests.conformance.expected import expected_of


def counted(row: dict[str, Any]) -> Counter[str]:
    """What one reconcile shows."""
    counts = Counter(["reconciles"])
    status = row.get("status", {})
    counts.update(f"condition {c['type']}={c['status']} {c.get('reason', '')}" for c in status.get("conditions", []))
    counts.update(f"metric {metric['type'] or '(empty)'}" for metric in status.get("currentMetrics") or [])
    counts.update(f"event {kind} {reason}" for kind, reason, _ in row.get("events", []))
    puts = row.get("scale_puts", [])
    counts.update(f"scale put {'up' if put['to'] > row['spec_replicas'] else 'down'} {put['status']}" for put in puts)
    counts["scale put again"] += len(puts) > 1
    counts["gone"] += row.get("gone", False)
    counts["error"] += "error" in row
    if "status_put" in row:
        counts[f"status put {row['status_put']}"] += 1
    return counts


def main() -> None:
    """Prints every count."""
    total: Counter[str] = Counter()
    for folder in sys.argv[1:]:
        for capture in sorted(Path(folder).rglob("*.capture.jsonl*")):
            total["worlds"] += 1
            for row in expected_of(capture):
                total.update(counted(row))
    sys.stdout.writelines(f"{count:9d}  {name}\n" for name, count in sorted(total.items()))


if __name__ == "__main__":
    main()
