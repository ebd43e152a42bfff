"""The page of structured output names the fields that each command really prints."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from hpaaudit.flows.bundled import bundled_recording
from tests.cli.run import printed
from tests.house.test_options_page import OTHERS, options_of, shown

PAGE = Path(__file__).parents[2] / "docs" / "json.md"
TABLE = re.compile(r"^\| command \|.*?(?=^\n)", re.MULTILINE | re.DOTALL)

TIME = re.compile(r"2026-\d\d-\d\dT[\d:.]+Z")

LINES = {
    "replay friday -q": "what the replay found",
    "replay friday other -q": "the same of each recording",
    "explain friday": "one reconcile",
    "timeline friday": "one HPA over time",
    'query friday "select 1 as one"': "rows: the columns of the answer",
    "query --list": "the questions",
    "query --columns": "the same",
    "inspect friday": "what is in a recording",
    "verify friday": "whether it is sound",
    "repair friday": "what was done, or with `--plan` would be",
    "convert web.yaml --to v1": "the HPA; a `List` of several",
    "releases": "what each release changed",
    "demo -q": "as `replay`",
    "demo --list": "the incidents",
    "version": "what is installed",
}
"""A command line for each kind of output, and what it prints in words."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two recordings and an HPA."""
    made = tmp_path_factory.mktemp("json")
    for name, recording in (("friday", "scaled-by-hand"), ("other", "two-hpas")):
        shutil.copytree(bundled_recording(recording), made / name, ignore=shutil.ignore_patterns("*.duckdb"))
    (made / "web.yaml").write_text(
        "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web}, spec: "
        "{maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}"
    )
    return made


@pytest.fixture(scope="module")
def documents(folder: Path) -> dict[str, Any]:
    """What each command line prints as JSON."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return {line: json.loads(printed(f"hpaaudit {line} -o json")) for line in LINES}


def test_the_page_names_every_command_and_its_fields(rewrite: bool, documents: dict[str, Any]) -> None:
    rows = ["| command | what it prints | its fields |\n| --- | --- | --- |\n"]
    for line, words in LINES.items():
        document = documents[line]
        one = document[0] if isinstance(document, list) else document
        kind = f"array: {words}" if isinstance(document, list) else f"object: {words}"
        fields = " ".join(f"`{name}`" for name in one) if one != {"one": 1} else ""
        command = re.sub(r" (friday|other|-q|web\.yaml)\b", lambda word: "" if word[1] == "-q" else " DIR", line)
        command = command.replace('"select 1 as one"', "QUESTION").replace("convert DIR", "convert FILE")
        rows.append(f"| `{command}` | {kind} | {fields} |\n")
    table = "".join(rows)
    page = PAGE.read_text("utf-8")
    if rewrite:
        page = TABLE.sub(lambda _: table, page)
        PAGE.write_text(page, "utf-8")
    assert table in page


def test_every_command_that_prints_json_is_on_the_page() -> None:
    outputs = {name: options_of(name)["-o"] for name in shown() if "-o" in options_of(name)}
    able = {name for name, option in outputs.items() if "json" in getattr(option.type, "choices", ())}
    assert {OTHERS.get(line.split()[0], line.split()[0]) for line in LINES} == able


def test_what_is_alike_is_alike(documents: dict[str, Any]) -> None:
    """Of one recording each document says which, and all but that of a repair say from when to when."""
    for line in ("replay friday -q", *(line for line in LINES if line.endswith(" friday"))):
        document = documents[line]
        assert document["recording"] == "friday", line
        if not line.startswith("repair"):
            assert document["started"] == "2026-11-21T14:57:19.909049Z", line
            assert {"started_us", "ended", "ended_us"} <= document.keys(), line
    for line in ("replay friday -q", "explain friday", "timeline friday"):
        assert documents[line]["file"] == "friday/results.duckdb"


def test_a_time_stands_there_as_text_and_in_microseconds(documents: dict[str, Any]) -> None:
    def check(value: Any) -> int:
        if isinstance(value, list):
            return sum(map(check, value))
        if not isinstance(value, dict):
            return 0
        texts = [one for one in value.values() if isinstance(one, str) and TIME.fullmatch(one)]
        micros = [one for name, one in value.items() if name.endswith("_us") and isinstance(one, int) and one > 10**15]
        assert len(texts) >= len(micros)
        return len(micros) + sum(map(check, value.values()))

    assert sum(map(check, documents.values())) > 500


IN_YAML = ("query --list", "query --columns", "explain friday", "timeline friday", "inspect friday", "version")


@pytest.mark.parametrize("line", IN_YAML)
def test_yaml_has_the_same_fields(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, documents: dict[str, Any]
) -> None:
    monkeypatch.chdir(folder)
    assert yaml.safe_load(printed(f"hpaaudit {line} -o yaml")) == documents[line]


def test_the_questions_are_listed_by_name_too(documents: dict[str, Any]) -> None:
    assert printed("hpaaudit query --list -o name").split() == [one["name"] for one in documents["query --list"]]
