"""Writes a page for each recording in `recordings/`, from its replay: text and numbers come from the same results."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from docs.site.commands import console
from hpaaudit.flows.query import named_question
from hpaaudit.flows.report import report
from hpaaudit.flows.timeline import timeline
from hpaaudit.report.export.markdown import markdown

QUESTIONS = {
    "scaled-by-hand": "who_wrote_replicas",
    "metrics-down": "why_no_scale_up",
    "load-step": "which_memory_held_it",
    "unready-on-the-way-up": "which_pods_did_not_count",
    "gitops-loop": "which_writers_fight",
    "one-metric-fails": "what_blocked_scale_down",
    "rate-limited": "why_no_scale_up",
    "capped-by-policy": "which_divergences_are_there",
    "controller-down": "did_the_controller_restart",
    "quota": "which_pods_never_came",
    "two-hpas": "why_no_scale_up",
    "queue-to-zero": "what_happened",
    "1.1-forbidden-window": "why_no_scale_up",
    "1.4-sample-missing": "why_no_scale_up",
    "1.7-first-error": "why_no_scale_up",
    "1.10-unready-pods-multiplied": "which_pods_did_not_count",
    "1.15-pending-pods": "which_pods_did_not_count",
    "1.20-two-windows": "which_memory_held_it",
}
"""The recordings in the order of the pages, and the question that asks each for its cause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """A page: its name without suffix, its title, a line for the list, the Markdown, and its pictures by file name."""

    name: str
    title: str
    line: str
    text: str
    pictures: Mapping[str, str]


def incident(name: str) -> Incident:
    """The page of one recording. The working folder must be one that has `recordings/`."""
    path = Path("recordings", name)
    story = _paragraphs(path / "README.md")
    whole = report(path, explained=False)
    # A report draws only HPAs that scaled.
    whole = replace(whole, account=replace(whole.account, timelines=(timeline(path),)))
    text, pictures = markdown(whole, name)
    first, *others = _sections(text, [f"{hpa.namespace}/{hpa.name}" for hpa in whole.account.hpas])
    verdict, shown, findings, counts = _parts(first)
    question = QUESTIONS[name]
    parts = [
        f"# {_title(name)}\n",
        f"{story[0]}\n",
        f"> {verdict}\n",
        *(f"> {other}\n" for other in others),
        f"{shown}\n",
        "## Findings\n",
        findings or "No known pattern.\n",
        "## How sure is that?\n",
        counts,
        "## The decision that matters most\n",
        "Which inputs a reconcile read, how it came to its number, and who agrees:\n",
        console(f"hpaaudit explain recordings/{name}"),
        "## The question to ask\n",
        f"{named_question(question).asks}\n",
        console(f"hpaaudit query -q recordings/{name} {question}"),
    ]
    if name[0].isdigit():
        parts.append("[What the newest release would have decided, and why](../explanation/two-eras.md)\n")
    parts += ["## Where it comes from\n", "\n\n".join(_origin(story)) + "\n"]
    return Incident(name=name, title=_title(name), line=_told(name), text="\n".join(parts), pictures=pictures)


def _paragraphs(readme: Path) -> list[str]:
    """The story of a recording as its maker tells it: a sentence or two a line, without the heading."""
    return [line for line in readme.read_text("utf-8").splitlines()[1:] if line.strip()]


def _origin(story: list[str]) -> list[str]:
    return [line for line in story[1:] if line.startswith("It was made")]


def _told(name: str) -> str:
    """What happened, in the words of the list in `recordings/README.md`."""
    listed = Path("recordings", "README.md").read_text("utf-8")
    told = re.search(rf"^\| \[{re.escape(name)}\]\([^)]*\) \| (.*) \|$", listed, re.MULTILINE)
    if told is None:
        raise RuntimeError(f"recordings/README.md does not list {name}")
    return told[1]


def _title(name: str) -> str:
    """Release and name as words."""
    release, _, rest = name.partition("-") if name[0].isdigit() else ("", "", name)
    words = rest.replace("-", " ").capitalize().replace("hpas", "HPAs")
    return f"{words} ({release})" if release else words


def _sections(text: str, names: list[str]) -> list[str]:
    """What a report as Markdown says of the first HPA and of the recording, and the verdict on each of the others."""
    # The headings are those of the HPAs, in their order, and one of what holds for all of them.
    first, *others, of_all = re.split(r"^## .*\n", text, flags=re.MULTILINE)[1:]
    first = first.rstrip() + "\n" + of_all.strip().partition("\n\n")[0]
    return [first, *(f"{name}: {other.strip().splitlines()[0]}" for name, other in zip(names[1:], others, strict=True))]


def _parts(text: str) -> tuple[str, str, str, str]:
    """The verdict, the picture with the changes, the findings, and the counts, of a report as Markdown."""
    verdict, _, rest = text.strip().partition("\n\n")
    shown, _, listed = f"\n{rest}".partition("\n- ")
    lines = [line for line in f"- {listed}".splitlines(keepends=True) if line.strip()]
    first = next(index for index, line in enumerate(lines) if re.match(r"- \d+ reconciles", line))
    return verdict, shown.strip(), "".join(lines[:first]), "".join(lines[first:]).rstrip("\n") + "\n"
