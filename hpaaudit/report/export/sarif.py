"""Writes a replay as SARIF 2.1.0, which code hosts show beside a change: a result for each divergence and finding."""

import json
from collections.abc import Iterator
from typing import Any

from hpaaudit.model.account import HpaAccount
from hpaaudit.model.report import Report
from hpaaudit.report.codes import WORDS
from hpaaudit.report.replay import clock_of
from hpaaudit.report.text import Clock, printable
from hpaaudit.report.told_times import explanation, verdict_of
from hpaaudit.version import VERSION

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"critical": "error", "high": "error", "medium": "warning", "low": "note", "info": "note"}

Result = dict[str, Any]


def sarif(report: Report) -> str:
    """The log as JSON. A divergence for lack of data is no result; how much of it there is, `replay` says."""
    account = report.account
    clock = clock_of(account)
    results = [result for hpa in account.hpas for result in _results(hpa, clock)]
    rules = [
        {"id": rule, "shortDescription": {"text": WORDS.get(rule, rule)}}
        for rule in sorted({result["ruleId"] for result in results})
    ]
    driver = {"name": "hpaaudit", "semanticVersion": VERSION, "rules": rules}
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    return json.dumps(log, indent=2) + "\n"


def _results(hpa: HpaAccount, clock: Clock) -> Iterator[Result]:
    for one in hpa.divergences:
        if not one.divergence_class.startswith("no_data."):
            text = f"{clock(one.opened_us)}: {explanation(one)}; {one.next_step}."
            yield _result(hpa, one.divergence_class, one.severity, text, str(one.opened_us))
    for finding in hpa.findings:
        text = f"{clock(finding.first_us)}: {verdict_of(finding)}; {finding.next_step}."
        yield _result(hpa, finding.pattern, finding.severity, text, str(finding.first_us))


def _result(hpa: HpaAccount, rule: str, severity: str, text: str, begun: str) -> Result:
    """A result whose fingerprint stays the same when the recording is replayed again."""
    name = printable(f"{hpa.namespace}/{hpa.name}")
    return {
        "ruleId": printable(rule),
        "level": _LEVELS.get(severity, "warning"),
        "message": {"text": printable(f"{name} at {text}")},
        "locations": [{"logicalLocations": [{"fullyQualifiedName": name, "kind": "resource"}]}],
        "partialFingerprints": {"hpaaudit/v1": f"{name}/{printable(rule)}/{begun}"},
    }
