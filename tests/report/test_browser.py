"""The HTML page in a real browser: it loads nothing, says nothing on the console, and can be used in every way."""

import asyncio
import hashlib
import json
import shutil
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.api.zone import use_zone
from hpaaudit.cli.zone_names import zone_named
from hpaaudit.flows import report as report_module
from hpaaudit.flows.explain import explain_many, reconciles_of
from hpaaudit.flows.replay import replay
from hpaaudit.flows.report import report
from hpaaudit.model.report import Report
from hpaaudit.report import page as page_package
from hpaaudit.report.explain import explain_rows
from hpaaudit.report.page.html import page
from hpaaudit.report.text import clock
from tests.report.browser import Visit, Window, visit
from tests.report.test_page import HOSTILE, written

DEMO = Path(__file__).parents[2] / "recordings" / "scaled-by-hand"
AXE = Path(__file__).parent / "axe"
FACTS = """(async () => {
    while (!document.querySelector(".reconcile dl")) await new Promise(requestAnimationFrame);
    return {
        wider: document.documentElement.scrollWidth > innerWidth,
        heading: document.querySelector("h1").innerText,
        paper: getComputedStyle(document.body).backgroundColor,
        canvases: document.querySelectorAll("canvas").length,
        stillShown: document.querySelector("svg").checkVisibility(),
        pins: [...document.querySelectorAll(".pins .pin")].map((pin) => pin.innerText),
    };
})()"""
STATIC = """({
    stillShown: document.querySelector("svg").checkVisibility(),
    opened: [...document.querySelectorAll("details.told")].map((one) => {
        one.open = true;
        return one.querySelector("pre").offsetHeight > 0;
    }),
    buttons: document.querySelectorAll("button").length,
})"""
WALK = """(async () => {
    while (!document.querySelector(".reconcile dl")) await new Promise(requestAnimationFrame);
    const area = document.querySelector(".area");
    const press = (key) => area.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
    const told = () => [document.querySelector(".reconcile h3").innerText,
        ...[...document.querySelectorAll(".reconcile h4, .reconcile p, .reconcile dd")].map((one) => one.innerText)];
    press("Home");
    const walked = [told()];
    for (let last = ""; last !== walked.at(-1)[0];) {
        last = walked.at(-1)[0];
        press("ArrowRight");
        walked.push(told());
    }
    press("PageUp");
    const change = told()[0];
    document.querySelector(".pins .pin").click();
    const pinned = [told()[0], document.activeElement.tagName];
    press("+"); press("Escape");
    return {walked: walked.slice(0, -1), change, pinned};
})()"""


CUT = """(async () => {
    while (!document.querySelector(".reconcile dl")) await new Promise(requestAnimationFrame);
    const drawn = [], cut = [], write = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        const width = this.measureText(text).width;
        const left = x - ({center: width / 2, right: width, end: width}[this.textAlign] ?? 0);
        drawn.push(text);
        if (left < 0 || left + width > this.canvas.width) cut.push(text);
        return write.apply(this, arguments);
    };
    const area = document.querySelector(".area");
    for (const key of ["Home", "+", "Escape", "End", "+", "+", "ArrowLeft", "-", "PageUp", "+", "+", "+", "Escape"]) {
        area.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
        for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    }
    return {drawn, cut};
})()"""
KEYS = """(async () => {
    while (!document.querySelector(".reconcile dl")) await new Promise(requestAnimationFrame);
    const area = document.querySelector(".area");
    area.focus();
    const isReached = document.activeElement === area && area.tabIndex === 0;
    const axis = () => area.querySelectorAll("canvas")[0].toDataURL();
    const after = {};
    const press = (key) => {
        const event = new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true});
        area.dispatchEvent(event);
        after[key] = [document.querySelector(".reconcile h3").innerText.match(/at (\\S+Z)/)[1], event.defaultPrevented];
    };
    for (const key of ["Home", "PageDown", "ArrowRight", "ArrowLeft", "End", "PageUp"]) press(key);
    const drawn = async () => { for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame) };
    await drawn();
    const whole = axis();
    press("+");
    await drawn();
    const near = axis();
    press("-"); press("Escape");
    await drawn();
    const again = axis();
    press("Enter");
    press("a");
    return {isReached, after, zoomed: near !== whole, restored: again === whole,
        focused: document.activeElement.tagName};
})()"""
KEYS_OF_CHARTS = """(async () => {
    while (!document.querySelector(".reconcile dl")) await new Promise(requestAnimationFrame);
    return [...document.querySelectorAll(".caption span")].map((one) => one.innerText);
})()"""
PAPER = """(() => {
    const told = document.querySelector("details.told pre");
    return {
        still: document.querySelector("svg").checkVisibility(),
        charts: document.querySelector(".charts").checkVisibility(),
        told: told.checkVisibility({contentVisibilityAuto: true}) && told.offsetHeight > 0,
        wider: document.documentElement.scrollWidth > innerWidth,
    };
})()"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report of the demo's incident."""
    folder = tmp_path_factory.mktemp("page")
    replay(DEMO, into=folder / "web.duckdb").close()
    return report(folder / "web.duckdb")


@pytest.fixture(scope="module")
def demo(told: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the demo's incident."""
    path = tmp_path_factory.mktemp("page") / "web.html"
    path.write_text(page(told), "utf-8")
    return path


def look(at: Path, profile: Path, script: str, **window: Any) -> Visit:
    """Visits a page, which must ask for nothing else and say nothing."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("Chromium is not here: make browser")
    visited = asyncio.run(visit(program, at, profile, script=script, window=Window(**window)))
    assert visited.requests == [at.as_uri()]
    assert visited.console == []
    return visited


@pytest.mark.parametrize(
    ("width", "scheme", "paper"), [(1200, "light", "rgb(255, 255, 255)"), (360, "dark", "rgb(13, 17, 23)")]
)
def test_a_browser_draws_it_and_asks_for_nothing_else(
    demo: Path, tmp_path: Path, width: int, scheme: str, paper: str
) -> None:
    answer = look(demo, tmp_path, FACTS, width=width, scheme=scheme).answer
    assert answer["heading"] == "shop/checkout: what its HPA did, and why"
    assert (answer["wider"], answer["stillShown"], answer["paper"]) == (False, False, paper)
    assert answer["canvases"] == 3
    assert answer["pins"] == ["1", "2", "3", "4", "5"]


def test_without_scripts_the_pictures_and_the_explanations_are_there(demo: Path, tmp_path: Path) -> None:
    answer = look(demo, tmp_path, STATIC, runs=False).answer
    assert answer["stillShown"]
    assert answer["opened"]
    assert all(answer["opened"])
    assert answer["buttons"] == 0


def test_the_keyboard_reaches_every_reconcile_and_each_is_told_as_explain_tells_it(
    demo: Path, told: Report, tmp_path: Path
) -> None:
    answer = look(demo, tmp_path, WALK).answer
    assert len(answer["walked"]) == told.account.hpas[0].reconciles
    shown = {rows[0]: rows for rows in answer["walked"]}
    for account in told.explanations:
        rows = [" ".join(text.replace("<-", "←").split()) for _, text in explain_rows(account)]
        assert [" ".join(text.split()) for text in shown[rows[0]]] == rows
    assert answer["change"].startswith("shop/checkout at 15:04:54Z: 4 -> 6")
    assert answer["pinned"] == [next(text for text in shown if "14:58:08Z" in text), "H3"]


@pytest.mark.parametrize("name", ["controller-down", "metrics-down", "two-hpas"])
def test_a_page_that_tells_from_columns_says_of_each_reconcile_what_explain_says_first(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of many reconciles carries few whole explanations. What did not take place kept nothing."""
    monkeypatch.setattr(report_module, "TOLD_IN_FULL", 0)
    with replay(DEMO.with_name(name), into=tmp_path / "r.duckdb") as results:
        drawn = report(results)
        first_lines = {
            explain_rows(one)[0][1]
            for one in explain_many(
                results, DEMO.with_name(name), reconciles_of(results, "shop/checkout").reconcile_ids
            )
        }
    (tmp_path / "page.html").write_text(page(drawn), "utf-8")
    walked = look(tmp_path / "page.html", tmp_path / "profile", WALK).answer["walked"]
    assert {" ".join(rows[0].split()) for rows in walked} == first_lines
    missed = [" ".join(rows) for rows in walked if "did not take place" in rows[0]]
    assert bool(missed) == (name == "controller-down")
    for told in missed:
        assert "A reconcile then would have said: " in told
        assert not any(wrong in told for wrong in ("kept ", "controller ?", "assumed", "proven"))


def test_each_key_does_what_the_documentation_says(demo: Path, told: Report, tmp_path: Path) -> None:
    """A key that means nothing here is left to the browser."""
    answer = look(demo, tmp_path, KEYS).answer
    times = [clock(point.at_us) for point in told.account.timelines[0].points]
    at = {key: time for key, (time, _) in answer["after"].items()}
    first = next(number for number, time in enumerate(times) if time == at["PageDown"])
    assert (at["Home"], at["End"]) == (times[0], times[-1])
    assert (at["ArrowRight"], at["ArrowLeft"]) == (times[first + 1], times[first])
    assert (at["PageDown"], at["PageUp"]) == ("14:58:08Z", "15:04:54Z")
    assert [key for key, (_, is_ours) in answer["after"].items() if not is_ours] == ["a"]
    assert answer["isReached"]
    assert (answer["zoomed"], answer["restored"], answer["focused"]) == (True, True, "H3")


@pytest.mark.parametrize(("width", "until"), [(360, "15:05:00"), (700, "15:04:40"), (1200, "15:10:30")])
def test_no_text_of_an_axis_is_cut(width: int, until: str, tmp_path: Path) -> None:
    """The last tick stands at the right edge where the time ends at a round one."""
    replay(DEMO, into=tmp_path / "results.duckdb", since="15:04:00", until=until).close()
    path = tmp_path / "page.html"
    path.write_text(page(report(tmp_path / "results.duckdb")), "utf-8")
    answer = look(path, tmp_path / "profile", CUT, width=width).answer
    assert f"{until[:5]}" in {text[:5] for text in answer["drawn"]}
    assert answer["cut"] == []


def test_on_paper_the_charts_are_pictures_and_the_explanations_are_open(demo: Path, tmp_path: Path) -> None:
    answer = look(demo, tmp_path, PAPER, media="print", width=800).answer
    assert answer == {"still": True, "charts": False, "told": True, "wider": False}


@pytest.mark.parametrize(("name", "is_told"), [("metrics-down", True), ("1.20-two-windows", False)])
def test_a_time_without_a_usable_metric_is_shaded_and_told(name: str, is_told: bool, tmp_path: Path) -> None:
    replay(DEMO.parent / name, into=tmp_path / "results.duckdb").close()
    path = tmp_path / "page.html"
    path.write_text(page(report(tmp_path / "results.duckdb")), "utf-8")
    keys = look(path, tmp_path / "profile", KEYS_OF_CHARTS).answer
    assert ("no metric was usable" in keys) is is_told


def test_no_line_stands_where_there_was_no_hpa_or_no_target(demo: Path, tmp_path: Path) -> None:
    """Steps of the charts: at 30 to 45 the HPA was gone, from 70 on its target; in between another HPA read 3."""
    scripts = Path(page_package.__file__).parent / "scripts"
    text = "".join((scripts / name).read_text("utf-8") for name in ("absences.js", "charts.js"))
    data = {
        "count": 4, "start": 0, "end": 90, "times": [10, 20, 50, 60],
        "scales": [[20.2, 4, 6], [60.1, 3, 5]], "absences": [[30, 45, False], [70, None, True]],
        "columns": {"replicas": [4, 4, 3, 3]},
    }  # fmt: skip
    script = (
        f"(() => {{ {text}; const data = {json.dumps(data)}; const xs = [5, 10, 20.2, 29, 30, 44, 45, 50, 61, 70, 90];"
    )
    script += "return [actualReplicas(xs, data), standing(xs, data), timesOfSteps(data), standsUntil(1, data), "
    script += "standsUntil(2, data)]; })()"
    answer = look(demo, tmp_path, script).answer
    assert answer[0] == [None, 4, 6, 6, None, None, 3, 3, 5, None, None]
    assert answer[1] == [-1, 0, 1, 1, -1, -1, -1, 2, 3, 3, 3]
    assert answer[2:] == [[10, 20, 30, 50, 60], 30, 60]


def test_a_value_is_drawn_until_the_next_reconcile_where_that_one_has_none(demo: Path, tmp_path: Path) -> None:
    """And until the end of the recording, or until the HPA was gone."""
    text = (Path(page_package.__file__).parent / "scripts" / "absences.js").read_text("utf-8")
    text += "const stepsOver = (xs, times) => xs.map((x) => times.filter((at) => at <= x).length - 1);"
    data = {"count": 4, "end": 90, "times": [10, 20, 50, 60], "absences": [[30, 45, False]]}
    script = f"(() => {{ {text}; const data = {json.dumps(data)}; const values = [[7, 7, 7, 7], [5, null, 5, null]];"
    script += "const xs = timesOfSteps(data, someEnds(values.map((line) => (index) => line[index]), data));"
    script += "return [xs, ...values.map((line) => standing(xs, data).map((index) => line[index] ?? null))]; })()"
    xs, one, other = look(demo, tmp_path, script).answer
    assert xs == [10, 19.999, 20, 29.999, 30, 50, 59.999, 60, 89.999]
    assert one == [7, 7, 7, 7, None, 7, 7, 7, 7]
    assert other == [5, 5, None, None, None, 5, 5, None, None]


@pytest.mark.parametrize("zone", ["America/St_Johns", "Asia/Kathmandu", "Europe/Berlin"])
def test_a_page_of_another_zone_tells_each_time_as_explain_does(zone: str, tmp_path: Path) -> None:
    replay(DEMO, into=tmp_path / "web.duckdb").close()
    use_zone(zone_named(zone))
    try:
        told = report(tmp_path / "web.duckdb")
        (tmp_path / "web.html").write_text(page(told), "utf-8")
        heads = [next(iter(explain_rows(account)))[1] for account in told.explanations]
    finally:
        use_zone(UTC)
    script = WALK.replace("return {walked", "return {help: document.querySelector('.help').innerText, walked")
    seen = look(tmp_path / "web.html", tmp_path / "profile", script).answer
    assert {" ".join(head.split()) for head in heads} <= {" ".join(walked[0].split()) for walked in seen["walked"]}
    (offset,) = {walked[0].split(" at ")[1][8:14] for walked in seen["walked"]}
    assert f"Times are UTC{offset}." in seen["help"]


def test_the_axis_tells_the_hours_of_the_zone_across_its_change_of_offset(demo: Path, tmp_path: Path) -> None:
    """Berlin, 29 March 2026: at 01:00 UTC the clock goes from 2 to 3."""
    scripts = Path(page_package.__file__).parent / "scripts"
    text = "".join((scripts / name).read_text("utf-8") for name in ("words.js", "plot.js"))
    at = 1_774_744_200  # 00:30 UTC
    data = {"start": at, "end": at + 3600, "ahead": [[at, 3600], [at + 1800, 7200]]}
    script = "(() => { const uPlot = {paths: {stepped() {}, linear() {}}};" + text
    script += (
        f"const data = {json.dumps(data)}; const times_ = times([{at}, {at + 1740}, {at + 1800}, {at + 3600}], data);"
    )
    script += f"return [times_, stamp({at + 1800}, data), zoneInWords(data)]; }})()"
    axis, changed, words = look(demo, tmp_path, script).answer
    assert axis == ["01:30", "01:59", "03:00", "03:30"]
    assert changed == "2026-03-29T03:00:00+02:00"
    assert words == "UTC+01:00, from 2026-03-29T03:00:00+02:00 on UTC+02:00"


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
@pytest.mark.parametrize("hpas", [1, 5], ids=["one HPA", "a fleet"])
def test_axe_finds_nothing_serious(hpas: int, width: int, scheme: str, demo: Path, tmp_path: Path) -> None:
    axe, at = (AXE / "axe.min.js").read_text("utf-8"), demo
    if hpas > 1:
        at = tmp_path / "fleet.html"
        at.write_text(written("checkout", hpas), "utf-8")
    script = f"(async () => {{ const facts = await {FACTS}; {axe}; return [facts, (await axe.run()).violations] }})()"
    facts, found = look(at, tmp_path / "profile", script, width=width, scheme=scheme).answer
    assert facts["wider"] is False
    grave = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in grave] == []


def test_axe_is_as_it_was_released() -> None:
    listed = dict(reversed(line.split()) for line in (AXE / "SHA256SUMS").read_text().splitlines())
    assert {name: hashlib.sha256((AXE / name).read_bytes()).hexdigest() for name in listed} == listed


@pytest.mark.parametrize("hpas", [1, 5])
def test_a_page_of_hostile_names_does_nothing(tmp_path: Path, hpas: int) -> None:
    text = "".join(HOSTILE) + "\u202e${7*7}<!--" + "x" * 100_000
    path = tmp_path / "hostile.html"
    path.write_text(written(text, hpas), "utf-8")
    answer = look(path, tmp_path / "profile", FACTS).answer
    assert answer["wider"] is False
    assert answer["canvases"] == 3
