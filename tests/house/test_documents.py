"""What the documents say is so: commands and options exist, tables have these columns, every kind of line is read."""

import gzip
import json
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import pytest

import hpaaudit
from hpaaudit.cli import COMMANDS, hpaaudit_command
from hpaaudit.flows.bundled import bundled_recording, bundled_recordings
from hpaaudit.flows.replay import replay
from hpaaudit.importers.capture import Reader
from hpaaudit.model.facts import (
    ControllerSeen,
    Ended,
    Gap,
    HpaSeen,
    Reconciled,
    ResourceMetricsRead,
    ScaleRead,
    ScaleWritten,
)
from hpaaudit.report import codes as in_words
from hpaaudit.report.reasons import _SENTENCES
from hpaaudit.results import sql
from hpaaudit.results.comments import OF_AN_HPA, said
from hpaaudit.results.read import Results
from tests.cli.run import run
from tests.script import parse

RELATIONS = ("schema", "views", "recorded")
"""The folders of `sql/` whose files make the relations of schema `main`."""

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "tests" / "README.md",
    ROOT / "deploy" / "README.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "recordings" / "README.md",
]
README, CAPTURE, RESULTS = (
    (ROOT / name).read_text("utf-8") for name in ("README.md", "docs/capture.md", "docs/results.md")
)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


# Incidents

TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")


def test_the_first_steps_count_the_incidents_of_the_package() -> None:
    """The demo itself is one of the list; the others are more."""
    (number,) = re.findall(r"`hpaaudit demo --list` names (\w+) more incidents", (ROOT / "docs/start.md").read_text())
    assert 10 + TEENS.index(number) == len(bundled_recordings()) - 1


# Commands


def shown(text: str) -> Iterator[list[str]]:
    """Every call of hpaaudit in a page, in a fence or in the text, as words."""
    fenced = (line for _, block in FENCE.findall(text) for line in block.splitlines())
    for line in (*fenced, *re.findall(r"`([^`\n]+)`", FENCE.sub("", text))):
        words = line.partition("#")[0].split()
        if words[:1] == ["hpaaudit"] and len(words) > 1:
            yield words[1:]


def command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that is called, and what it is called with."""
    command: click.Command = hpaaudit_command
    while isinstance(command, click.Group) and words:
        subcommand = command.get_command(click.Context(command), words[0])
        assert subcommand is not None, f"there is no command {words[0]}"
        command, words = subcommand, words[1:]
    return command, words


def every_command() -> Iterator[str]:
    """The commands and their subcommands, as they are called."""
    for name in COMMANDS:
        yield name
        command, _ = command_of([name])
        if isinstance(command, click.Group):
            yield from (f"{name} {each}" for each in command.list_commands(click.Context(command)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_and_option_of_a_page_is_real(page: Path) -> None:
    for words in shown(page.read_text("utf-8")):
        command, rest = command_of(words)
        options = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        used = {word.partition("=")[0] for word in rest if re.fullmatch(r"--?[a-zA-Z][\w-]*(=.*)?", word)}
        assert used <= options | {"--help"}, f"hpaaudit {' '.join(words)}"


def test_every_command_is_in_the_readme_or_helps_itself() -> None:
    """Nobody finds what no page mentions."""
    text = "".join(page.read_text("utf-8") for page in PAGES)
    called = {" ".join(words[: 2 if words[0] == "import" else 1]) for words in shown(text)}
    assert {"record", "replay", "explain", "query", "import capture"} <= called


def test_every_help_is_held_to_a_golden_file() -> None:
    golden = (ROOT / "tests" / "cli" / "golden" / "help.txt").read_text("utf-8")
    golden_commands = {block.command for block in parse(golden)}
    assert golden_commands == {"hpaaudit --help", *(f"hpaaudit {name} --help" for name in every_command())}


def test_every_target_of_make_that_the_readme_shows_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    called = set(re.findall(r"(?:^|`)make ([a-z]+)", README, re.MULTILINE))
    assert called
    assert called <= targets


def test_the_snippet_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (snippet,) = [block for language, block in FENCE.findall(README) if language == "python"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recordings").symlink_to(ROOT / "recordings")
    for _ in range(2):  # a cell of a notebook is run again
        exec(compile(snippet, "README.md", "exec"), {})  # noqa: S102  # our own words
    assert (tmp_path / "hand.duckdb").exists()


def test_the_examples_of_the_python_page_run_and_print_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each block of Python in turn, as one script; a block of text below it is what it prints."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "recordings", tmp_path / "recordings")
    names: dict[str, object] = {}
    for language, block in FENCE.findall((ROOT / "docs" / "python.md").read_text("utf-8")):
        if language == "python":
            exec(compile(block, "docs/python.md", "exec"), names)  # noqa: S102  # our own words
        elif language == "text":
            assert capsys.readouterr().out == block


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", FENCE.sub("", page.read_text("utf-8")))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert missing == []


def test_the_screen_of_the_readme_is_what_the_demo_prints() -> None:
    """Line by line and in this order; the screen leaves out what comes before and after, and says so."""
    (screen,) = [block for language, block in FENCE.findall(README) if not language and "$ hpaaudit demo" in block]
    printed = (ROOT / "tests" / "cli" / "golden" / "demo.txt").read_text("utf-8")
    command, first, *shown, last = screen.splitlines(keepends=True)
    assert (command, first, last) == ("$ hpaaudit demo\n", "…\n", "…\n")
    assert "".join(shown) in printed


def test_the_readme_counts_what_there_is() -> None:
    """The numbers behind its claim of exactness."""
    worlds = sorted((ROOT / "tests" / "conformance" / "1.36").glob("*.expected.jsonl.gz"))
    reconciles = sum(len(gzip.decompress(path.read_bytes()).splitlines()) for path in worlds)
    assert f"{len(worlds)} generated worlds ({reconciles:,} reconciles of release 1.36)" in README


# Versions


def test_there_is_one_version_and_the_changelog_has_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert hpaaudit.__version__ == project["version"]
    newest = re.search(r"^## \[(\d\S*)\] - \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == hpaaudit.__version__


# docs/releases.md


@pytest.mark.golden
def test_the_page_of_releases_is_what_the_command_prints(rewrite: bool) -> None:
    page = ROOT / "docs" / "releases.md"
    code, printed, _ = run("hpaaudit releases -o markdown")
    if rewrite:
        page.write_text(printed, "utf-8")
    assert (code, page.read_text("utf-8")) == (0, printed)


# docs/results.md


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    """The results of the bundled incident."""
    with replay(bundled_recording(), into=tmp_path_factory.mktemp("page") / "demo.duckdb") as demo_results:
        yield demo_results


def sections(text: str) -> dict[str, str]:
    """The relations of the page with what it says of them."""
    relations = text.partition("## Codes in words")[0]
    return dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^##|\Z)", relations, re.MULTILINE | re.DOTALL))


def relations_of(results: Results) -> dict[str, list[tuple[str, str]]]:
    """The columns of each relation with their types, in order."""
    listed = (
        "select table_name, list((column_name, lower(data_type)) order by column_index) from duckdb_columns() "
        "where schema_name = 'main' and database_name = current_database() group by 1"
    )
    return dict(results.sql(listed).fetchall())


@pytest.mark.golden
def test_every_relation_and_column_is_on_the_page_in_the_words_of_its_sql(results: Results, rewrite: bool) -> None:
    """By name, type, order and words; the columns that come first everywhere are said once."""
    columns_by_relation = relations_of(results)
    page = ROOT / "docs" / "results.md"
    assert set(sections(RESULTS)) == set(columns_by_relation)
    text = RESULTS
    headings = {name: sql.described(part) for folder in RELATIONS for name, part in sql.folder(folder).items()}
    for name, columns in columns_by_relation.items():
        names = [column for column, _ in columns]
        left_out = len(OF_AN_HPA) if names[:4] == [*OF_AN_HPA] else int(names[0] == "replay_id")
        rows = "".join(
            f"| `{column}` | {kind} | {said(column, names, headings[name])} |\n" for column, kind in columns[left_out:]
        )
        text = re.sub(
            rf"(^### `{name}`\n(?:(?!^#).)*?\| --- \| --- \| --- \|\n)(?:\|[^\n]*\n)*",
            lambda match, rows=rows: match[1] + rows,
            text,
            count=1,
            flags=re.MULTILINE | re.DOTALL,
        )
    before, _, after = text.partition(LISTED)
    text = f"{before}{LISTED}{listed(headings, text)}{after[after.index(BEFORE_QUERIES) :]}"
    if rewrite:
        page.write_text(text, "utf-8")
    assert page.read_text("utf-8") == text


LISTED, BEFORE_QUERIES = "## Which relation answers what\n", "\nOf what they are asked most:\n"


def listed(headings: Mapping[str, sql.Heading], page: str) -> str:
    """A row for each relation, in the order of the page."""
    rows = "".join(f"| [`{name}`](#{name}) | {headings[name].asks} |\n" for name in sections(page))
    return f"\n| relation | what it answers |\n| --- | --- |\n{rows}"


UNITS = ("_milli", "_s", "_ms", "_bytes", "_pct")
UNIT_WORDS = re.compile(
    r"\b(seconds|percent|milli|bytes|millicores|measured over target|of the side that was tested)\b"
)


def test_every_number_with_a_fraction_has_its_unit_in_its_name_or_its_words() -> None:
    for name, text in sections(RESULTS).items():
        for column, kind, words in re.findall(r"^\| `(\w+)` \| ([^|]+) \| (\S.*) \|$", text, re.MULTILINE):
            has_unit = column.endswith(UNITS) or UNIT_WORDS.search(words) or "adjusted" in column
            assert kind != "double" or has_unit, f"{name}.{column}"
    assert all(f"`…{unit}`" in RESULTS for unit in UNITS)


def test_the_page_says_what_a_row_of_each_relation_is() -> None:
    assert [name for name, text in sections(RESULTS).items() if not text.startswith("\nOne row per ")] == []


def test_the_tables_of_sql_are_the_relations_of_the_page() -> None:
    files = {name for folder in ("schema", "views", "recorded") for name in sql.folder(folder)}
    assert files == set(sections(RESULTS))


CODES = {
    "Reasons": in_words.REASONS,
    "Steps": in_words.STEPS,
    "Metrics that could not be used": in_words.UNUSABLE,
    "Adjustments": in_words.ADJUSTMENTS,
    "Pods that are not ready": in_words.POD_CAUSES,
    "Missing inputs": in_words.MISSING_INPUTS,
    "Patterns": in_words.PATTERNS,
    "Verdicts": in_words.VERDICTS,
    "Classes": in_words.CLASSES,
    "Effects": in_words.EFFECTS,
    "Reports": in_words.REPORTS,
    "Winners": in_words.WINNERS,
}


@pytest.mark.parametrize("heading", CODES)
def test_the_codes_of_the_page_have_the_words_of_the_screens(heading: str) -> None:
    part = RESULTS.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    assert dict(re.findall(r"^\| `([\w.]+)` \| (.*) \|$", part, re.MULTILINE)) == CODES[heading]


def test_every_reason_has_words_and_a_sentence() -> None:
    assert list(in_words.REASONS) == list(_SENTENCES)


def test_the_queries_of_the_page_answer(results: Results) -> None:
    queries = [block for language, block in FENCE.findall(RESULTS) if language == "sql"]
    asked = [query for block in queries for query in block.split(";") if query.strip()]
    assert len(asked) == 6
    for query in asked:
        assert results.sql(query).columns


# docs/capture.md

HERE = {"at": "2026-03-02T14:05:00Z"}
SCALE = "/apis/apps/v1/namespaces/shop/deployments/checkout/scale"
A_SCALE = {"kind": "Scale", "spec": {"replicas": 3}, "status": {"replicas": 3, "selector": "app=checkout"}}
LINES: dict[str, tuple[dict[str, object], type]] = {
    "answer": ({"get": SCALE, "status": 200, "body": A_SCALE}, ScaleRead),
    "watch event": (
        {
            "watch": "/apis/autoscaling/v2/horizontalpodautoscalers",
            "type": "ADDED",
            "object": {
                "metadata": {"namespace": "shop", "name": "checkout"},
                "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "checkout"}, "maxReplicas": 3},
            },
        },
        HpaSeen,
    ),
    "write": ({"put": SCALE, "status": 200, "body": A_SCALE, "by": "alice"}, ScaleWritten),
    "reconcile": ({"reconcile": "shop/checkout"}, Reconciled),
    "process": ({"controller": "started", "release": "1.36"}, ControllerSeen),
    "gap": ({"until": "2026-03-02T14:06:00Z", "gap": "*", "cause": "restart"}, Gap),
    "end": ({"end": True}, Ended),
}


def test_every_kind_of_line_is_on_the_page_and_no_other() -> None:
    table = re.findall(r"^\| ([a-z ]+) \| `", CAPTURE, re.MULTILINE)
    assert table == list(LINES)


@pytest.mark.parametrize("kind", LINES)
def test_every_kind_of_line_of_the_page_is_read(kind: str, tmp_path: Path) -> None:
    line, becomes = LINES[kind]
    (tmp_path / "capture.jsonl").write_text(json.dumps({**HERE, **line}))
    reader = Reader((tmp_path / "capture.jsonl",))
    first, *_ = reader.facts()
    assert isinstance(first, becomes)
    assert not reader.ignored


@pytest.mark.parametrize("kind", LINES)
def test_the_fields_of_a_line_are_those_of_the_page(kind: str) -> None:
    row = next(line for line in CAPTURE.splitlines() if line.startswith(f"| {kind} |"))
    assert set(LINES[kind][0]) <= set(re.findall(r"`(\w+)`", row))


def test_the_example_of_the_page_is_read_to_its_last_line(tmp_path: Path) -> None:
    (example,) = [block for language, block in FENCE.findall(CAPTURE) if language == "json"]
    (tmp_path / "capture.jsonl").write_text(example)
    reader = Reader((tmp_path / "capture.jsonl",))
    kinds = [type(fact) for fact in reader.facts()]
    assert kinds == [ControllerSeen, HpaSeen, ScaleRead, ResourceMetricsRead, Reconciled, Ended]
    assert not reader.ignored
