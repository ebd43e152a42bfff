"""The site: every page is whole, every link leads somewhere, and every screen is what the command prints."""

import contextlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from docs.site.incidents import QUESTIONS
from docs.site.stage import GENERATED, PAGES, SECTIONS, stage
from hpaaudit.cli import COMMANDS
from hpaaudit.flows.query import named_questions
from tests.cli.run import run

ROOT = Path(__file__).parents[2]
SPHINX = ROOT / "build" / "site-venv" / "bin" / "sphinx-build"
SCREEN = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WITH_SCREENS = [page for page in PAGES if SCREEN.search((ROOT / page).read_text("utf-8"))]


# Screens


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with recordings, as in a checkout."""
    folder = tmp_path_factory.mktemp("screens")
    shutil.copytree(ROOT / "recordings", folder / "recordings")
    return folder


def screens(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a page with what the page says that it prints."""
    for block in SCREEN.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            yield command, expected


def is_like(printed: str, expected: str) -> bool:
    """Whether a screen is so. A line of `…` stands for any lines."""
    parts = [re.escape(part) for part in re.split(r"^…\n", expected, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*?".join(parts), printed) is not None


@pytest.mark.golden
@pytest.mark.parametrize("page", WITH_SCREENS)
def test_every_screen_of_a_page_is_what_its_command_prints(page: str, workplace: Path, rewrite: bool) -> None:
    text = (ROOT / page).read_text("utf-8")
    wrong = []
    with contextlib.chdir(workplace):
        for command, expected in screens(text):
            code, out, _ = run(command)
            printed = out + (f"[exit {code}]\n" if code else "")
            if not is_like(printed, expected):
                wrong.append((command, expected, printed))
                text = text.replace(f"$ {command}\n{expected}", f"$ {command}\n{printed}", 1)
    if rewrite:
        (ROOT / page).write_text(text, "utf-8")
    assert not wrong or rewrite


@pytest.mark.parametrize(
    ("printed", "expected", "so"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\nc\n", "…\nb\n…\n", True),
        ("b\n", "…\nb\n…\n", True),
        ("a\n", "…\nb\n…\n", False),
        ("a\nb\n", "a\n", False),
        ("", "", True),
    ],
)
def test_how_a_screen_is_compared(printed: str, expected: str, so: bool) -> None:
    assert is_like(printed, expected) is so


def test_there_are_screens_on_the_first_page_and_in_the_how_tos() -> None:
    assert {"docs/start.md", "docs/how-to/gitops.md", "docs/how-to/fleet.md"} <= set(WITH_SCREENS)


# The staged pages


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pages as Sphinx gets them."""
    folder = tmp_path_factory.mktemp("site")
    stage(folder / "source")
    return folder / "source"


def test_every_page_is_in_the_table_of_contents_once(staged: Path) -> None:
    listed = [f"{page}.md" for pages in SECTIONS.values() for page in pages]
    listed += [f"incidents/{name}.md" for name in QUESTIONS] + ["index.md"]
    assert sorted(listed) == sorted(str(path.relative_to(staged)) for path in staged.rglob("*.md"))
    assert {*PAGES.values(), *GENERATED} <= set(listed)


def test_every_document_of_the_project_is_a_page() -> None:
    documents = {str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")}
    assert documents <= set(PAGES)


def test_every_recording_has_a_page_that_says_what_its_replay_says(staged: Path) -> None:
    recordings = {path.parent.name for path in (ROOT / "recordings").glob("*/recording.json")}
    assert set(QUESTIONS) == recordings
    for name in recordings:
        page = (staged / "incidents" / f"{name}.md").read_text("utf-8")
        headings = re.findall(r"^## (.+)$", page, re.MULTILINE)
        assert headings == [
            "Findings",
            "How sure is that?",
            "The decision that matters most",
            "The question to ask",
            "Where it comes from",
        ]
        told = "No controller ran" if name == "controller-down" else "The HPA was faithful"
        assert told in re.findall(r"^> (.+)$", page, re.MULTILINE)[0]
        # The question has an answer: a heading and a row at least.
        answers = {command.split()[1]: expected for command, expected in screens(page)}
        assert answers["query"].count("\n") >= 2, name
        assert all(expected for expected in answers.values())
        (picture,) = (staged / "incidents").glob(f"{name}.*.svg")
        assert f"]({picture.name})" in page
        # Nothing of it is cut off, in a file of its own.
        assert "margin: 0; min-width: 0" in picture.read_text("utf-8")


def test_the_reference_has_every_command_question_and_alert(staged: Path) -> None:
    def headings(page: str) -> list[str]:
        return re.findall(r"^##+ (\S+)", (staged / "reference" / page).read_text("utf-8"), re.MULTILINE)

    assert list(dict.fromkeys(headings("commands.md"))) == list(COMMANDS)
    assert headings("questions.md") == list(named_questions())
    alerts = re.findall(r"alert: (\w+)", (ROOT / "deploy" / "alerts.yaml").read_text("utf-8"))
    assert [name for name in headings("alerts.md") if name != "Group"] == alerts


# The built pages


class Links(HTMLParser):
    """What a page of the site loads, where it leads, and what may be led to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.leads: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collects the links of one element."""
        named = {name: value or "" for name, value in attrs}
        if "id" in named:
            self.ids.add(named["id"])
        if tag == "a" and "href" in named:
            self.leads.append(named["href"])
        elif tag in ("img", "script", "iframe") and "src" in named:
            self.loads.append(named["src"])
        elif tag == "link" and named.get("rel") != "canonical":
            self.loads.append(named["href"])


@pytest.fixture(scope="module")
def built(staged: Path) -> dict[Path, Links]:
    """Every page of the built site, without a warning."""
    if not SPHINX.exists():
        pytest.skip("the generator of the site is not installed: make site")
    site = staged.parent / "html"
    words = ("--builder", "html", "--fail-on-warning", "--keep-going", "--quiet", "--conf-dir", ROOT / "docs" / "site")
    completed = subprocess.run([SPHINX, *words, staged, site], capture_output=True, text=True, check=False)
    assert (completed.returncode, completed.stderr) == (0, "")
    return {path: Links(path.read_text("utf-8")) for path in site.rglob("*.html")}


def test_nothing_is_loaded_from_elsewhere(built: dict[Path, Links]) -> None:
    loads = {link for links in built.values() for link in links.loads}
    assert loads
    # The pictures of the notebook stand in its page.
    assert [link for link in loads if urlsplit(link).scheme not in ("", "data") or link.startswith("//")] == []
    (any_page, *_) = built
    styles = "".join(path.read_text("utf-8") for path in any_page.parents[0].rglob("_static/**/*.css"))
    assert not re.findall(r"(?:@import|url\()\s*['\"]?(?:https?:)?//", styles)


def test_every_link_of_the_site_leads_to_a_file_and_a_heading(built: dict[Path, Links]) -> None:
    wrong = []
    for page, links in built.items():
        for link in (*links.leads, *links.loads):
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            # Sphinx fills the page of the search, and the top of a page, by script.
            if not target.exists() or (parts.fragment and target in built and parts.fragment not in built[target].ids):
                wrong.append(f"{page.name}: {link}")
    assert wrong == []
