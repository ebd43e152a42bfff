"""The HTML page: it loads and runs nothing, whatever names and texts it shows."""

import base64
import hashlib
import re
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.model.account import Change, ReplayAccount
from hpaaudit.model.hpa_columns import HpaColumns, MetricColumns
from hpaaudit.model.report import Report
from hpaaudit.model.timeline import Mark, MarkKind, Scale, Timeline
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.codes import TERMS
from hpaaudit.report.page.data import data_of
from hpaaudit.report.page.html import our_script, page
from hpaaudit.report.svg import WIDTH, picture
from hpaaudit.report.timeline import Screen, timeline_text
from tests.cli.test_timeline import point
from tests.report.accounts import NOON, divergence, foreign_write, hpa, reconcile

END = Micros(NOON + 300 * SECOND)
DOWN = Scale(at_us=Micros(NOON + 121 * SECOND), from_replicas=4, to_replicas=3)
NUMBERS = [
    "replicas", "replay", "decided", "actual", "min", "max", "raw", "stabilized",
    "ready", "unready", "missing", "ignored",
]  # fmt: skip
UPLOT = Path(__file__).parents[2] / "hpaaudit" / "report" / "page" / "uplot"
VOID = {"meta", "br", "input"}
HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "</title></style><b>",
    "{{ 7 * 7 }}",
    "\x1b[2J",
]


class Elements(HTMLParser):
    """Counts the elements of a page, keeps its text and attributes, and refuses what is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.count: Counter[str] = Counter()
        self.words: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an element."""
        self.count[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an element without content."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """An element ends that was the last one to begin."""
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keeps text."""
        self.words.append(data)


def timeline(name: str) -> Timeline:
    """Five minutes from noon on, in which the replay once wanted more."""
    points = [point(15 * number, 4, 4) for number in range(8)]
    points += [point(120, 4, 7, "divergent"), point(135, 3, 3, ratio=None)]
    return Timeline(
        file="web.duckdb", namespace="shop", name=name, target="Deployment/web", release="1.36", started_us=NOON,
        ended_us=END, moment_us=NOON, scales=(DOWN,),
        marks=(), points=tuple(points),
    )  # fmt: skip


def written(text: str, hpas: int = 1) -> str:
    """The page of a replay in which every text is this one."""
    account = hpa(
        name=text,
        target=f"Deployment/{text}",
        divergences=(divergence("unexplained", text),),
        foreign_writes=(foreign_write(restored_s=22),),
        undecidable=1,
        undecidable_why=(text,),
    )
    whole = ReplayAccount(
        file=f"{text}.duckdb", recording=text, started_us=NOON, ended_us=END, release="1.36", assumptions=(),
        gaps=((text, 3.0),), hpas=(account,) * hpas, timelines=(timeline(text),),
    )  # fmt: skip
    return page(Report(account=whole, explanations=(), packed={("shop", text): data_of(columns(text), {})}))


@lru_cache
def plain_count(hpas: int) -> Counter[str]:
    """The elements of a page without a hostile text."""
    return Elements(written("web", hpas)).count


def columns(text: str) -> HpaColumns:
    """Two reconciles of an HPA in which every text is this one."""
    return HpaColumns(
        namespace="shop", name=text, started_us=NOON, ended_us=END, times_us=[NOON, END], reconcile_ids=[1, 2],
        numbers={**{name: [4, 3] for name in NUMBERS}, "min": [None, -1]},
        words={"verdict": [text, "match"], "reason": ["", text], "evidence": [text, ""], "state": [text, ""]},
        metrics=(MetricColumns(name=text, target_type="", tolerance=(0.1, 0.1), values=[1, None], targets=[9, 9]),),
        scales=(DOWN,),
        marks=(Mark(at_us=NOON, until_us=None, kind=MarkKind.SPEC, who=text, what=text),),
    )  # fmt: skip


@given(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=40)), st.sampled_from([1, 5]))
def test_whatever_a_text_holds_it_stays_a_text(text: str, hpas: int) -> None:
    elements = Elements(written(text, hpas))
    assert elements.count == plain_count(hpas)
    assert not {"img", "iframe", "object", "embed", "link", "base", "form"} & elements.count.keys()
    assert not [name for _, name, _ in elements.attributes if name.startswith("on") or name in ("src", "style")]
    assert all(value.startswith("#") for _, name, value in elements.attributes if name == "href")
    assert "\x1b" not in "".join(elements.words)


@pytest.mark.parametrize("text", [*HOSTILE, "x" * 1_000_000, "\u202egnp.exe", "]]>", "${7*7}", "<!--", "\u2028"])
def test_a_hostile_text_changes_neither_the_scripts_nor_the_size(text: str) -> None:
    with_text, plain = written(text), written("web")
    assert re.findall(r"<script>.*?</script>", with_text, re.DOTALL) == re.findall(
        r"<script>.*?</script>", plain, re.DOTALL
    )
    assert len(with_text) < len(plain) + 30_000
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x09\x0b-\x1f]", with_text)


def test_the_policy_allows_our_styles_and_scripts_and_nothing_else() -> None:
    text = written("web")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
    rules = dict(rule.split(" ", 1) for rule in policy.replace("&#39;", "'").split("; "))
    for element, rule in (("style", "style-src"), ("script", "script-src")):
        texts = re.findall(rf"<{element}>(.*?)</{element}>", text, re.DOTALL)
        hashes = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in texts]
        assert rules.pop(rule) == " ".join(f"'sha256-{one}'" for one in hashes)
        assert not any("url(" in one or "@import" in one for one in texts if element == "style")
    assert rules == {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}


def test_our_scripts_never_make_html_or_code_of_a_string() -> None:
    script = our_script()
    for danger in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "Function(",
        "fetch(",
        "import(",
    ):
        assert danger not in script


def test_uplot_is_as_it_was_released() -> None:
    folder = UPLOT
    listed = dict(reversed(line.split()) for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in listed} == listed
    assert {path.name for path in folder.iterdir()} == {*listed, "SHA256SUMS"}


def test_every_id_is_there_once_and_what_is_named_by_one_exists() -> None:
    elements = Elements(written("web", 5))
    ids = Counter(value for _, name, value in elements.attributes if name == "id")
    named = {value for _, name, value in elements.attributes if name == "aria-labelledby"}
    assert set(ids.values()) == {1}
    assert named <= ids.keys()


@pytest.mark.parametrize("hpas", [1, 5])
def test_a_page_explains_the_words_that_it_begins_with(hpas: int) -> None:
    text = " ".join(Elements(written("web", hpas)).words)
    assert all(f"{term} {meaning}" in " ".join(text.split()) for term, meaning in TERMS.items())
    assert {"faithful", "reconcile", "proven"} <= TERMS.keys()


@given(st.sets(st.integers(0, 9), min_size=1, max_size=9))
def test_the_number_of_a_change_leads_to_its_own_reconcile_or_to_the_charts(explained: set[int]) -> None:
    drawn = timeline("web")
    changes = tuple(
        Change(
            at_us=Micros(one.at_us + SECOND), from_replicas=4, to_replicas=5 + number, writer_class="hpa",
            writer_name="hpa", decided=4, replay=4, reason_code="", metric=None,
            divergence_class="", severity="", confidence="",
        )
        for number, one in enumerate(drawn.points)
    )  # fmt: skip
    told = tuple(
        reconcile(reconcile_id=number, at_us=drawn.points[number].at_us, name="web") for number in sorted(explained)
    )
    whole = ReplayAccount(
        file="web.duckdb", recording="web", started_us=NOON, ended_us=END, release="1.36", assumptions=(), gaps=(),
        hpas=(hpa(changes=changes),), timelines=(drawn,),
    )  # fmt: skip
    elements = Elements(page(Report(account=whole, explanations=told, packed={("shop", "web"): "x"})))
    led = [value for tag, name, value in elements.attributes if (tag, name) == ("a", "href")][: len(changes)]
    assert led == [f"#hpa1-{number}" if number in explained else "#charts1" for number in range(len(changes))]


def test_what_happened_besides_has_the_same_letter_as_in_the_terminal() -> None:
    kinds = (MarkKind.WRITE, MarkKind.ROLLOUT, MarkKind.DIVERGENCE, MarkKind.SPEC, MarkKind.GAP)
    marks = tuple(
        Mark(at_us=Micros(NOON + number * SECOND), until_us=None, kind=kind, who="helm", what=f"v{number}")
        for number, kind in enumerate(kinds)
    )
    drawn = replace(timeline("web"), marks=marks)
    whole = ReplayAccount(
        file="web.duckdb", recording="web", started_us=NOON, ended_us=END, release="1.36", assumptions=(), gaps=(),
        hpas=(hpa(),), timelines=(drawn,),
    )  # fmt: skip
    shown = page(Report(account=whole, explanations=(), packed={("shop", "web"): "x"}))
    pinned = dict(re.findall(r'data-title="(12:00:0[^"]*)">(\w)</a>', shown))
    listed = re.findall(r"(?m)^  (\w)  (12:00:0\dZ)  (.*)$", timeline_text(drawn, Screen()))
    assert [letter for letter, _, _ in listed] == ["A", "B", "C", "D", "E"]
    assert pinned == {f"{time}: {text}": letter for letter, time, text in listed if letter in "BDE"}


def test_a_fleet_has_a_row_and_a_part_for_each_hpa() -> None:
    elements = Elements(written("web", 40))
    assert elements.count["tr"] == 41
    assert elements.count["details"] == 40


@given(st.integers(1, 90 * 86_400))
def test_no_time_below_a_picture_is_cut(seconds: int) -> None:
    """A digit of the widest usual font needs 8 of its 12 pixels."""
    drawn = replace(timeline("web"), ended_us=Micros(NOON + seconds * SECOND))
    svg = picture(drawn, [], "x")
    times = re.findall(r'<text class="time" x="(\d+)"[^>]*>([^<]+)<', svg)
    assert all(int(x) - 4 * len(text) >= 0 and int(x) + 4 * len(text) <= WIDTH for x, text in times)
    lefts = [int(x) - 4 * len(text) for x, text in times]
    rights = [int(x) + 4 * len(text) for x, text in times]
    assert all(right < left for right, left in zip(rights, lefts[1:], strict=False))


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 5000)), max_size=60))
def test_a_picture_stays_inside_its_frame(scales: list[tuple[int, int]]) -> None:
    drawn = timeline("web")
    numbers = [4, *(number for _, number in scales)]
    changes = tuple(
        Scale(at_us=Micros(NOON + at_s * SECOND), from_replicas=before, to_replicas=after)
        for (at_s, after), before in zip(sorted(scales), numbers, strict=False)
    )
    svg = picture(
        Timeline(**{name: getattr(drawn, name) for name in Timeline.__dataclass_fields__} | {"scales": changes}),
        [],
        "x",
    )
    height = float(re.findall(r'viewBox="0 0 \d+ (\d+)"', svg)[0])
    for path in re.findall(r' d="([^"]+)"', svg):
        x = y = 0.0
        for step, numbers in re.findall(r"([MHVhv])([-\d. ]+)", path):
            first, *rest = map(float, numbers.split())
            x = first if step in "MH" else x + first * (step == "h")
            y = rest[0] if rest else first if step == "V" else y + first * (step == "v")
            assert 0 <= x <= WIDTH
            assert 0 <= y <= height


def test_a_page_says_why_charts_have_no_metric_and_no_pods() -> None:
    points = tuple(
        replace(point(15 * number, 4, 4, ratio=None), metric="", reason_code="gate.selector_ambiguous", ready=None)
        for number in range(3)
    )
    account = ReplayAccount(
        file="web.duckdb", recording="web", started_us=NOON, ended_us=END, release="1.36", assumptions=(), gaps=(),
        hpas=(hpa(),), timelines=(replace(timeline("web"), points=points),),
    )  # fmt: skip
    told, measured = (
        " ".join(Elements(page(Report(account=replace(account, timelines=(one,)), explanations=()))).words)
        for one in (*account.timelines, replace(timeline("web"), points=timeline("web").points[:8]))
    )
    assert "metrics: no value in 3 reconciles: another HPA selects the same pods." in told
    assert "pods: not counted, because no reconcile had a value of a metric." in told
    assert "no value in" not in measured
    assert "not counted" not in measured
