"""Writes a replay as JUnit XML: a test for each HPA, which fails if a reconcile is divergent."""

from xml.etree import ElementTree as ET

from hpaaudit.model.account import HpaAccount
from hpaaudit.model.report import Report
from hpaaudit.report.replay import clock_of
from hpaaudit.report.text import printable
from hpaaudit.report.verdict import verdict

_NO_FAILURE = ("no_data.", "timing.sampling_skew", "timing.late_reconcile", "input.metric_value_skew")
"""Classes with which a reconcile is undecidable, or skew, and not divergent."""


def junit(report: Report) -> str:
    """The XML. An HPA of which nothing can be decided is skipped."""
    account = report.account
    failed = sum(1 for hpa in account.hpas if hpa.divergent)
    skipped = sum(1 for hpa in account.hpas if hpa.undecidable == hpa.reconciles)
    suite = ET.Element(
        "testsuite",
        name=printable(account.recording),
        tests=str(len(account.hpas)),
        failures=str(failed),
        skipped=str(skipped),
        errors="0",
    )
    for hpa in account.hpas:
        case = ET.SubElement(suite, "testcase", classname=printable(hpa.namespace), name=printable(hpa.name))
        words = printable(verdict(hpa, clock_of(account)))
        if hpa.divergent:
            classes = _failing(hpa)
            ET.SubElement(case, "failure", type=printable(", ".join(classes)), message=words)
        elif hpa.undecidable == hpa.reconciles:
            ET.SubElement(case, "skipped", message=words)
        else:
            ET.SubElement(case, "system-out").text = words
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _failing(hpa: HpaAccount) -> list[str]:
    """The classes of its divergent reconciles."""
    return sorted({one.divergence_class for one in hpa.divergences if not one.divergence_class.startswith(_NO_FAILURE)})
