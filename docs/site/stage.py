"""Collects the pages of the site in a folder, for Sphinx: `python -m docs.site.stage FOLDER`.

Written pages are copied, generated ones are made now. Links between pages are made to fit the folders of the site; a
link to a file that is no page becomes plain text, or a copy of the file where that is of use.
"""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from docs.site import reference
from docs.site.incidents import QUESTIONS, incident
from docs.site.notebook import notebook

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
COPIED = (".yaml", ".svg", ".png", ".txt", ".ipynb")
"""Files that a page may link to or show, and that come along."""

PAGES = {
    "docs/README.md": "index.md",
    "docs/start.md": "start.md",
    **{f"docs/how-to/{name}.md": f"how-to/{name}.md" for name in ("record", "import", "gitops", "fleet")},
    "docs/report.md": "how-to/report.md",
    "docs/python.md": "how-to/python.md",
    "deploy/README.md": "how-to/cluster.md",
    "docs/runbook.md": "reference/runbook.md",
    "docs/results.md": "reference/results.md",
    "docs/findings.md": "reference/findings.md",
    "docs/sql.md": "reference/sql.md",
    "docs/releases.md": "reference/releases.md",
    "docs/format.md": "reference/recording.md",
    "docs/capture.md": "reference/capture.md",
    "docs/options.md": "reference/options.md",
    "docs/json.md": "reference/json.md",
    "docs/glossary.md": "reference/glossary.md",
    "docs/replay.md": "explanation/replay.md",
    "docs/truth.md": "explanation/truth.md",
    "docs/week.md": "explanation/week.md",
    "docs/limits.md": "explanation/limits.md",
    "docs/two-eras.md": "explanation/two-eras.md",
    "docs/changed.md": "explanation/changed.md",
    "docs/architecture.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "tests/README.md": "project/tests.md",
    "SECURITY.md": "project/security.md",
    "CHANGELOG.md": "project/changelog.md",
}
"""Written pages and their places in the site."""
NOTEBOOK, NOTEBOOK_PAGE = "docs/incident.ipynb", "how-to/notebook.md"
GENERATED: Mapping[str, Callable[[], str]] = {
    "reference/commands.md": reference.commands,
    "reference/questions.md": reference.questions,
    "reference/alerts.md": reference.alerts,
    NOTEBOOK_PAGE: lambda: f"{notebook(ROOT / NOTEBOOK)}\n[The notebook as a file](incident.ipynb)\n",
}
SECTIONS = {
    "Start": ["start"],
    "Incidents": ["incidents/index"],
    "How to": [
        *(f"how-to/{name}" for name in ("record", "import", "cluster", "gitops", "fleet", "report", "python")),
        "how-to/notebook",
    ],
    "Reference": [
        *(
            f"reference/{name}"
            for name in ("commands", "options", "json", "questions", "findings", "sql", "results", "recording")
        ),
        *(f"reference/{name}" for name in ("capture", "releases", "runbook", "alerts", "glossary")),
    ],
    "How it works": [f"explanation/{name}" for name in ("replay", "truth", "week", "limits", "two-eras", "changed")],
    "Project": [f"project/{name}" for name in ("architecture", "contributing", "tests", "security", "changelog")],
}
"""The table of contents."""


def stage(into: Path) -> None:
    """Writes all pages into a folder, which is emptied first."""
    into = into.resolve()
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    for source, place in PAGES.items():
        _write(into / place, _relinked((ROOT / source).read_text("utf-8"), source, into))
    for place, make in GENERATED.items():
        # A generated page links as if it stood in docs/.
        _write(into / place, _relinked(make(), f"docs/{Path(place).name}", into, place))
    with tempfile.TemporaryDirectory(prefix="hpaaudit-site-") as folder:
        # Results are written beside the recordings: not beside those of the checkout.
        shutil.copytree(ROOT / "recordings", Path(folder, "recordings"))
        before = Path.cwd()
        os.chdir(folder)
        try:
            _incidents(into / "incidents")
        finally:
            os.chdir(before)
    with (into / "index.md").open("a", encoding="utf-8") as index:
        for caption, pages in SECTIONS.items():
            listed = "\n".join(pages)
            index.write(f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n")


def _incidents(into: Path) -> None:
    rows: list[str] = []
    for name in QUESTIONS:
        page = incident(name)
        _write(into / f"{name}.md", page.text)
        for picture, svg in page.pictures.items():
            _write(into / picture, svg)
        rows.append(f"| [{page.title}]({name}.md) | {page.line} |")
    listed = "\n".join(QUESTIONS)
    text = "\n".join(
        (
            "# Incidents\n",
            (
                "Eighteen recordings come with hpaaudit. Each page is made from its replay: what happened in a "
                "sentence, the chart, the changes, the decision that matters most, and the question that leads to the "
                "cause. The first twelve were recorded on a real Kubernetes 1.36.3 control plane. The others were "
                "decided by controllers of old releases, which still decide so where they run.\n"
            ),
            *("| incident | what happened |", "| --- | --- |", *rows),
            f"\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n",
        )
    )
    _write(into / "index.md", text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _relinked(text: str, source: str, into: Path, place: str = "") -> str:
    """The text of a page with its links made to fit its place."""
    place = place or PAGES[source]

    def link(found: re.Match[str]) -> str:
        bang, words, target = found.groups()
        if "://" in target or target.startswith("#"):
            return found[0]
        path, _, fragment = target.partition("#")
        return _link(bang, words, os.path.normpath(Path(source).parent / path), fragment)

    def _link(bang: str, words: str, path: str, fragment: str) -> str:
        at = fragment and f"#{fragment}"
        name = Path(path).parent.name if path.startswith("recordings/") else ""
        if path == "recordings/README.md":
            # The list of incidents: the site has one of its own.
            target = "incidents/index.md"
        elif name in QUESTIONS:
            target = f"incidents/{name}.md"
        elif path in PAGES:
            target = PAGES[path] + at
        elif f"reference/{Path(path).name}" in GENERATED and path.startswith("docs/"):
            target = f"reference/{Path(path).name}" + at
        elif path == NOTEBOOK and place != NOTEBOOK_PAGE:
            target = NOTEBOOK_PAGE
        elif path.endswith(COPIED):
            target = f"files/{Path(path).name}"
            (into / "files").mkdir(exist_ok=True)
            shutil.copy(ROOT / path, into / target)
        else:
            return words
        return f"{bang}[{words}]({os.path.relpath(target, Path(place).parent)})"

    # Links in code are none.
    parts = FENCE.split(text)
    return "".join(part if index % 2 else LINK.sub(link, part) for index, part in enumerate(parts))


if __name__ == "__main__":
    stage(Path(sys.argv[1]))
