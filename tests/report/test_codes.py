"""Every code that a screen can show has words, and the words stand beside it."""

import re
from pathlib import Path

import pytest

from hpaaudit.engine.fleet.columns.column_codes import PROBLEMS
from hpaaudit.engine.rules.candidates import MISSING
from hpaaudit.engine.rules.reason_codes import CODES
from hpaaudit.report import codes
from hpaaudit.report.codes import codes_in, legend, legend_of_table, missing_in_words
from hpaaudit.report.text import WIDTH
from hpaaudit.results import sql

SOURCES = Path(__file__).parents[2] / "hpaaudit" / "engine"
FAMILIES = ("gate", "metric", "tolerance", "adjust", "stabilize", "window", "policy", "bound", "act")
NOT_SHOWN = {
    "gate.hpa_deleted",  # no reconcile takes place
    "adjust.none",  # nothing was adjusted
}


def test_every_code_of_the_engine_has_words() -> None:
    source = "".join(path.read_text("utf-8") for path in SOURCES.rglob("*.py"))
    written = set(re.findall(rf'"((?:{"|".join(FAMILIES)})\.[a-z_.]+)"', source))
    assert len(written) > 30
    assert written - NOT_SHOWN <= set(codes.WORDS)
    assert {*CODES, *PROBLEMS, *MISSING} - {"", *NOT_SHOWN} <= set(codes.WORDS)


def test_every_class_and_pattern_of_the_audit_has_words() -> None:
    audit = sql.folder("audit")
    classes = set(re.findall(r"^ +\('([a-z_.]+)', \d, '", audit["64_divergences"], re.MULTILINE))
    assert classes == set(codes.CLASSES)
    assert set(sql.folder("findings")) == set(codes.PATTERNS)
    for name, known in (("65_effects", codes.EFFECTS), ("66_reports", codes.REPORTS)):
        assert set(re.findall(r"'((?:effect|report)\.\w+)'", audit[name])) == set(known)


def test_every_cause_of_a_pod_has_words() -> None:
    source = (SOURCES / "controller" / "group_pods.py").read_text("utf-8")
    causes = set(
        re.findall(r'\.\w+: "(\w+)"|"[A-Z]\w+": "(\w+)"|why\[pod\.name\] = "(\w+)"|, "(\w+)"\)$', source, re.MULTILINE)
    )
    written = {name for groups in causes for name in groups if name}
    assert written - {"measured"} == set(codes.POD_CAUSES)


def test_sql_says_a_missing_input_in_the_same_words() -> None:
    macro = sql.folder("macros")["missing_in_words"]
    codes_in_text = {
        code: words.replace("''", "'") for code, words in re.findall(r"when '([\w.]+)' then '((?:[^']|'')+)'", macro)
    }
    assert codes_in_text == codes.MISSING_INPUTS
    assert missing_in_words("recorder restarted") == "recorder restarted"


def test_no_words_speak_of_memory_since_that_is_ram_to_a_reader() -> None:
    assert [code for code, words in codes.WORDS.items() if "memory" in words] == []


@pytest.mark.parametrize("code", codes.WORDS)
def test_a_code_is_found_where_it_stands_and_its_line_fits(code: str) -> None:
    if "." in code:
        assert codes_in(f"WHY {code}, an x\n({code}) {code}.") == (code,)
        assert codes_in(f"x{code} {code}s {code}.more") == ()
    assert all(len(line) <= WIDTH for line in legend([code]).splitlines())
    assert code in legend([code])


def test_words_that_are_no_code_elsewhere_are_told_in_their_columns_only() -> None:
    columns, rows = ("verdict", "name", "why_code"), [("skew", "pending", "failed"), ("match", "skew", None)]
    assert [line.split()[0] for line in legend_of_table(columns, rows).splitlines() if line[0] != " "] == [
        "skew",
        "failed",
    ]
    assert legend_of_table(("name",), [("web",)]) == ""
