"""Converts HPAs to another API version, as the API server does."""

import sys
from pathlib import Path
from typing import Any

from hpaaudit.errors import BadObject, BadOption
from hpaaudit.model.conversion import Conversion, Loss
from hpaaudit.model.nearest import did_you_mean

STDIN = "-"


def convert(file: Path | str, *, to: str) -> Conversion:
    """The HPAs of a file of YAML or JSON in another API version; `-` reads stdin.

    to   `v2`, `v2beta2`, `v2beta1`, `v2alpha1`, `v1` of `autoscaling`, or `extensions/v1beta1`

    Each is defaulted and validated as by the newest API server that serves its version. Raises BadObject if that
    server refuses one, or if the file cannot be read, and BadOption for a version that is none.
    """
    from hpaaudit.importers.documents import documents

    version, name = _version(to), "stdin" if str(file) == STDIN else str(file)
    found, losses, notes = list[dict[str, Any]](), list[Loss](), list[str]()
    for document in documents(_text(file), name):
        if document.get("kind") != "HorizontalPodAutoscaler":
            notes.append(f"{name}: {document.get('kind') or 'a document without kind'} is no HPA and left out")
            continue
        found.append(_converted(document, version, losses, notes))
    if not found:
        raise BadObject(f"{name}: no HorizontalPodAutoscaler in it")
    return Conversion(documents=tuple(found), losses=tuple(losses), notes=tuple(notes))


def _converted(document: dict[str, Any], version: str, losses: list[Loss], notes: list[str]) -> dict[str, Any]:
    """One HPA in another version. What is lost and noticed is added to these lists."""
    from hpaaudit.api import conversion, refusals
    from hpaaudit.api.shapes import WrongType

    try:
        hpa = conversion.to_internal(document)
    except WrongType as problem:
        raise BadObject(f"HorizontalPodAutoscaler {_name(document)}: {problem}") from None
    if reasons := refusals.refusals(hpa):
        raise BadObject(refusals.refusal_text(hpa, reasons))
    key = "/".join(filter(None, (hpa.metadata.get("namespace"), hpa.metadata.get("name"))))
    losses += [Loss(hpa=key, code=code, text=text) for code, text in conversion.losses(hpa, version)]
    notes += [f'{key}: unknown field "{path}" is left out: {hpa.version} does not have it' for path in hpa.unknown]
    converted = conversion.from_internal(hpa, version)
    for reason in refusals.refusals(conversion.to_internal(converted)):
        text = f"the newest API server of {version} refuses to create it: {reason}"
        losses.append(Loss(hpa=key, code="refused_by_new_version", text=text))
    return converted


def _name(document: dict[str, Any]) -> str:
    metadata = document.get("metadata")
    return f'"{metadata.get("name", "")}"' if isinstance(metadata, dict) else "without metadata"


def _version(text: str) -> str:
    """A version by its full name."""
    from hpaaudit.api.shapes import VERSIONS

    names = {name.removeprefix("autoscaling/"): name for name in reversed(VERSIONS)}
    if text in VERSIONS:
        return text
    if text not in names:
        raise BadOption(f"--to {text} is no version of the HPA: {did_you_mean(text, names, f'give {_listed(names)}')}")
    return names[text]


def _listed(names: dict[str, str]) -> str:
    return ", ".join(names)


def _text(file: Path | str) -> str:
    is_stdin = str(file) == STDIN
    try:
        if is_stdin:
            return "" if sys.stdin is None else sys.stdin.buffer.read().decode("utf-8")
        return Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        why = getattr(problem, "strerror", None) or "it is no text in UTF-8"
        raise BadObject(f"{'stdin' if is_stdin else file} cannot be read: {why}") from None
