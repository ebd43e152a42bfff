"""Several reconciles at one instant (up to 1.5): every door tells the same one, if it can be the one that scaled."""

import asyncio
import shutil
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import hpaaudit
from hpaaudit.flows.replay import replay
from hpaaudit.flows.report import report
from hpaaudit.flows.source import open_source
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.page.html import page
from hpaaudit.results.account_reconcile import reconcile_account
from hpaaudit.results.hpa_columns import hpa_columns
from tests.recordings.kept import RECORDINGS
from tests.report.browser import Window, visit

PINS = """(async () => {
    while (!document.querySelector(".reconcile dl")) await new Promise(requestAnimationFrame);
    return [...document.querySelectorAll(".pins .pin")].map((pin) => {
        pin.click();
        return document.querySelector(".reconcile h3").innerText;
    });
})()"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a recording that has such instants."""
    path = tmp_path_factory.mktemp("instants") / "results.duckdb"
    replay(RECORDINGS["1.4-sample-missing"], into=path).close()
    return path


def test_explain_the_question_and_the_page_tell_the_same_reconcile_of_an_instant(file: Path) -> None:
    at: dict[Micros, list[dict[str, Any]]] = defaultdict(list)
    with open_source(file) as results:
        for row in results.rows("select epoch_us(ts) as at_us, * from reconciles order by reconcile_id"):
            at[row["at_us"]].append(row)
        (columns,) = hpa_columns(results, ["shop/checkout"])
        explained = {at_us: reconcile_account(results, "shop/checkout", at_us) for at_us in at}
    assert max(map(len, at.values())) > 1
    for at_us, rows in at.items():
        numbers = [row["reconcile_id"] for row in rows]
        scaled = [row["reconcile_id"] for row in rows if row["action"] != "hold"]
        told = explained[at_us]
        assert told.reconcile_id == (scaled or numbers)[-1]
        assert [told.reconcile_id] == ([number for number in numbers if number in columns.told] or numbers)
        row = (
            hpaaudit.query(file, "why_this_number", at=datetime.fromtimestamp(at_us / SECOND, UTC))
            .frame()
            .row(0, named=True)
        )
        assert (row["spec_replicas"], row["desired"]) == (told.spec_replicas, told.desired)


def test_a_pin_of_the_page_tells_the_reconcile_that_made_the_change(file: Path, tmp_path: Path) -> None:
    told = report(file)
    written = tmp_path / "page.html"
    written.write_text(page(told), "utf-8")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("Chromium is not here: make browser")
    lines = asyncio.run(visit(program, written, tmp_path, script=PINS, window=Window())).answer
    (hpa,) = told.account.hpas
    assert hpa.changes
    for line, change in zip(lines, hpa.changes, strict=True):
        assert f": {change.from_replicas} -> {change.to_replicas}. " in line
