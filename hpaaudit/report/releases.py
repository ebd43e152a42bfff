"""Words what changed between Kubernetes releases, as text, as a page, as JSON or as YAML."""

from collections.abc import Iterator
from itertools import groupby

from hpaaudit.model.counted import counted
from hpaaudit.model.history import Change, ChangeKind, ChangeVerb, KnownBy, Releases
from hpaaudit.report.structured import structured
from hpaaudit.report.text import one_line, paragraph, printable
from hpaaudit.report.text_table import table

SIGNS = {
    ChangeVerb.BEGAN: "+",
    ChangeVerb.ENDED: "-",
    ChangeVerb.ON_BY_DEFAULT: "+",
    ChangeVerb.ALWAYS_ON: "+",
    ChangeVerb.PLANNED: "?",
}
KINDS = {
    ChangeKind.BEHAVIOUR: "",
    ChangeKind.GATE: "feature gate ",
    ChangeKind.FLAG: "flag ",
    ChangeKind.API: "API ",
}
GATES = {
    ChangeVerb.BEGAN: "off by default",
    ChangeVerb.ON_BY_DEFAULT: "on by default",
    ChangeVerb.ALWAYS_ON: "can no longer be switched off",
    ChangeVerb.PLANNED: "off by default",
}
KNOWN_BY = {
    KnownBy.EXECUTED: "controllers of releases with and without it ran, and decide as we do",
    KnownBy.VECTORS: "known from upstream's own tests",
    KnownBy.READ: "known from upstream's source, pull requests or release notes alone",
}
_LEGEND = (
    ("+", "since this release"),
    ("-", "held until this release"),
    ("?", "proposed or merged upstream, and in no release yet; not decided here"),
)


def releases_text(releases: Releases) -> str:
    """The changes below their releases, oldest first, then what the signs mean."""
    return "\n".join([one_line(_headline(releases)), *_lines(releases), *_legend(releases)]) + "\n"


def _headline(releases: Releases) -> str:
    if releases.is_whole:
        return f"What changed in the HPA from {releases.older} to {releases.newer}"
    planned = sum(change.verb == ChangeVerb.PLANNED for change in releases.changes)
    known = len(releases.changes) - planned
    count = counted(known, "difference") if known else "no difference that is known"
    return f"{releases.older} and {releases.newer}: {count}" + (f", {planned} planned" if planned else "")


def _lines(releases: Releases) -> Iterator[str]:
    for release, changes in groupby(releases.changes, _heading):
        yield ""
        yield release
        for change in changes:
            yield one_line(f"  {SIGNS[change.verb]} {_name(change)}", "      ")
            yield paragraph(change.description, indent="      ")
            yield paragraph(_sources(change), indent="      ")


def _heading(change: Change) -> str:
    """The minor release that a change is listed below."""
    return "planned" if change.verb == ChangeVerb.PLANNED else ".".join(change.release.split(".")[:2])


def _name(change: Change) -> str:
    stage = f": {GATES[change.verb]}" if change.kind == ChangeKind.GATE else ""
    return f"{KINDS[change.kind]}{printable(change.name)}{stage}"


def _when(change: Change) -> str:
    """The patch releases that brought a change, empty if it came with the minor release alone."""
    if change.verb == ChangeVerb.PLANNED:
        return f"planned for {change.release}" if change.release else ""
    patches = ([f"from {change.release}"] if change.release.count(".") > 1 else []) + (
        [f"also from {', '.join(change.backports)}"] if change.backports else []
    )
    return "; ".join(patches)


def _sources(change: Change) -> str:
    when = _when(change)
    return f"[{change.reference}] {change.known_by}" + (f"; {when}" if when else "")


def _legend(releases: Releases) -> Iterator[str]:
    shown = {SIGNS[change.verb] for change in releases.changes}
    if shown:
        yield ""
    for sign, meaning in _LEGEND:
        if sign in shown:
            yield one_line(f"  {sign}         {meaning}", " " * 12)
    for how, meaning in _known_by(releases):
        yield one_line(f"  {how:8}  {meaning}", " " * 12)


def _known_by(releases: Releases) -> list[tuple[KnownBy, str]]:
    """The ways by which these changes are known, in words."""
    known = {change.known_by for change in releases.changes}
    return [(how, meaning) for how, meaning in KNOWN_BY.items() if how in known]


_PAGE = """# What each Kubernetes release changed in the HPA

Printed by `hpaaudit releases -o markdown`. `hpaaudit releases --between 1.15 1.28` shows what differs between two \
releases. `--with` and `--without` of `hpaaudit replay` take the names of rules and feature gates, because a vendor \
may have a change earlier or later than upstream.

A rule with "until" held until this release. A rule is
"""


def releases_table(releases: Releases) -> str:
    """A line for each change. Nothing is cut."""
    columns = ("release", "change", "kind", "name", "what holds", "reference", "known")
    rows = [
        (_heading(one), one.verb, one.kind, one.name, _told(one), one.reference, one.known_by)
        for one in releases.changes
    ]
    return table(columns, rows) + "\n"


def releases_names(releases: Releases) -> str:
    """The name of each thing that changed, once."""
    return "".join(f"{printable(name)}\n" for name in dict.fromkeys(change.name for change in releases.changes))


def releases_json(releases: Releases) -> str:
    """All fields as JSON."""
    return structured(releases, "json")


def releases_yaml(releases: Releases) -> str:
    """All fields as YAML."""
    return structured(releases, "yaml")


def releases_markdown(releases: Releases) -> str:
    """The same as a page: a table for each release."""
    lines = [_PAGE]
    lines += [f"- *{how}*: {meaning}" for how, meaning in _known_by(releases)]
    for release, changes in groupby(releases.changes, _heading):
        lines += ["", f"## {release.capitalize()}", "", "| name | what holds | reference | known |"]
        lines += ["| --- | --- | --- | --- |", *(_row(change) for change in changes)]
    return "\n".join(lines) + "\n"


def _row(change: Change) -> str:
    verb = "until: " if change.verb == ChangeVerb.ENDED else ""
    stage = f"; {GATES[change.verb]}" if change.kind == ChangeKind.GATE else ""
    told = f"{verb}{_told(change, stage)}"
    return f"| {KINDS[change.kind]}`{change.name}` | {told} | {change.reference} | {change.known_by} |"


def _told(change: Change, stage: str = "") -> str:
    """What holds, and in which patch releases too."""
    when = _when(change)
    return f"{change.description}{stage}" + (f"; {when}" if when else "")
