"""docs/format.md describes the files as they are, table by table and column by column."""

import json
import re
from pathlib import Path

import duckdb
import pytest

from hpaaudit.model.facts import ResourceMetricsRead
from hpaaudit.model.metrics import ContainerUsage, MetricsRequest, PodSample
from hpaaudit.model.units import Micros, Milli
from hpaaudit.recording.format.schema import FORMAT_VERSION, TABLES
from hpaaudit.recording.writing.writer import Writer

PAGE = (Path(__file__).parents[2] / "docs" / "format.md").read_text(encoding="utf-8")
TABLE_SECTIONS = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^### |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def recording(folder: Path) -> Path:
    """Writes the smallest recording that has all documents."""
    read = ResourceMetricsRead(
        at_us=Micros(1_000_000),
        took_us=Micros(0),
        request=MetricsRequest(
            api="metrics.k8s.io/v1beta1",
            namespace="shop",
            resource="pods",
            object="",
            metric="",
            selector="",
            metric_selector="",
        ),
        path="/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods",
        status=200,
        error="",
        by="",
        samples=(
            PodSample(
                pod="web-0",
                timestamp_us=Micros(0),
                window_us=Micros(15_000_000),
                containers=(ContainerUsage(name="app", usage=(("cpu", Milli(250)),)),),
            ),
        ),
    )
    with Writer(folder, source="test", started_us=Micros(0)) as writer:
        writer.add(read)
    return folder


def test_the_page_names_the_version_that_we_write() -> None:
    assert f"the format, version {FORMAT_VERSION}" in PAGE


def test_every_table_is_on_the_page_and_every_table_of_the_page_exists() -> None:
    assert list(TABLE_SECTIONS) == list(TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_every_column_is_on_the_page_word_for_word_and_no_other(name: str) -> None:
    rows = [line for line in TABLE_SECTIONS[name].splitlines() if line.startswith("| `")]
    assert rows == [
        f"| `{column.name}` | {column.type}{' or NULL' if column.nullable else ''} | {column.unit} "
        f"| {column.encoding.value} | {column.meaning} |"
        for column in TABLES[name].columns
    ]


@pytest.mark.parametrize("name", TABLES)
def test_the_page_says_what_a_row_is_and_how_rows_are_sorted(name: str) -> None:
    table = TABLES[name]
    order = f" Sorted by {', '.join(f'`{column}`' for column in (*table.sort, 'seq'))}." if table.sort else ""
    assert f"\nOne row per {table.row}.{order}\n" in TABLE_SECTIONS[name]


@pytest.mark.parametrize("file", ["recording.json", "segments/000001/manifest.json", "end.json"])
def test_the_page_names_every_field_of_every_document_in_its_order(file: str, tmp_path: Path) -> None:
    fields = list(json.loads((recording(tmp_path) / file).read_bytes()))
    line = next(line for line in PAGE.splitlines() if line.startswith(f"| `{Path(file).name}` |"))
    outside_brackets = re.sub(r"\([^)]*\)", "", line.split("|")[2])
    assert re.findall(r"`(\w+)`", outside_brackets) == fields


def test_the_query_of_the_page_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (query,) = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    monkeypatch.chdir(recording(tmp_path))
    with duckdb.connect() as connection:
        rows = connection.execute(query).fetchall()
    assert [row[1:] for row in rows] == [("web-0", "app", 250, None)]
