"""Writes a report into files: the format by the name, the text, and pictures beside it."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from hpaaudit.errors import BadOption, FileExists, NotWritable
from hpaaudit.model.report import Report

SUFFIXES = {"html": "html", "markdown": "md", "junit": "xml", "sarif": "sarif", "perfetto": "json"}
"""What the name of a file ends with, by the format."""
FORMATS = {f".{suffix}": name for name, suffix in SUFFIXES.items()} | {".sarif": "sarif"}
"""The format that the name of a file asks for. A name without an ending is a page."""


def save(report: Report, into: str | Path, *, overwrite: bool = False) -> Path:
    """Writes a report as the name of the file says, in a folder as `report.html`; the path of the first file.

    Raises BadOption for an ending that no format has, FileExists, NotWritable.
    """
    from hpaaudit.report.text import fitted_to

    path, output = named(Path(into), None)
    require_writable(path, overwrite=overwrite)
    with fitted_to(None):
        texts = files(report, path, output, has_pictures=True)
    write(texts, overwrite=overwrite)
    return path


def html(report: Report) -> str:
    """The page."""
    from hpaaudit.report.page.html import page
    from hpaaudit.report.text import fitted_to

    with fitted_to(None):
        return page(report)


def named(into: Path, output: str | None) -> tuple[Path, str]:
    """The file, in a folder `report.html` or as its format is, and the format. Raises as `save`."""
    if into.is_dir():
        output = output or "html"
        into /= f"report.{SUFFIXES[output]}"
    return into, output or _format_of(into)


def require_writable(into: Path, *, overwrite: bool) -> None:
    """Raises FileExists and NotWritable before anything is drawn."""
    _require_folder(into)
    _require_new([into], overwrite=overwrite)


def write(texts: Mapping[Path, str], *, overwrite: bool) -> Mapping[Path, int]:
    """Writes each file; how many bytes it has. Raises FileExists, NotWritable."""
    _require_new(texts, overwrite=overwrite)
    for path, text in texts.items():
        try:
            path.write_text(text, "utf-8")
        except OSError as error:
            raise NotWritable(f"{path} cannot be written ({error.strerror}): name another file with --into") from error
    return {path: len(text.encode()) for path, text in texts.items()}


def _format_of(into: Path) -> str:
    """The format that the name of a file asks for. Raises BadOption for an ending that no format has."""
    suffix = into.suffix.lower()
    if suffix and suffix not in FORMATS:
        known = ", ".join(f"{ending} ({name})" for ending, name in FORMATS.items())
        raise BadOption(f"no report is written as {suffix}: --into takes {known}")
    return FORMATS.get(suffix, "html")


def _require_folder(into: Path) -> None:
    """Raises NotWritable for a file in a folder that does not exist, before anything is drawn."""
    from hpaaudit.report.text import pasteable

    if not into.parent.exists():
        folder = pasteable(str(into.parent))
        raise NotWritable(
            f"{into} cannot be written, because its folder does not exist: make it with mkdir -p {folder}"
        )


def _require_new(paths: Iterable[Path], *, overwrite: bool) -> None:
    """Raises FileExists for a file that would be replaced unasked."""
    for path in paths:
        if path.exists() and not overwrite:
            raise FileExists(f"{path} exists: name another file with --into, or add --overwrite")


def files(report: Report, into: Path, output: str, *, has_pictures: bool) -> Mapping[Path, str]:
    """The texts of a format by their files.

    has_pictures   files with pictures may lie beside the first one
    """
    from hpaaudit.report.export.junit import junit
    from hpaaudit.report.export.markdown import markdown
    from hpaaudit.report.export.perfetto import perfetto
    from hpaaudit.report.export.sarif import sarif
    from hpaaudit.report.page.html import page

    if output == "markdown":
        text, pictures = markdown(report, into.stem if has_pictures else None)
        return {into: text} | {into.with_name(name): picture for name, picture in pictures.items()}
    return {into: {"html": page, "junit": junit, "sarif": sarif, "perfetto": perfetto}[output](report)}
