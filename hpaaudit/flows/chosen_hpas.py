"""Chooses HPAs as kubectl does: by what a text names, and by their labels, which are those that each had last."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from hpaaudit.errors import BadOption, UnknownHpa
from hpaaudit.model.counted import counted
from hpaaudit.model.meant_hpas import meant_hpas, no_hpa

if TYPE_CHECKING:
    from hpaaudit.api.selector import Selector

NAMED = 3
"""So many labels, or HPAs, are named in a line."""
LABEL_CHARS = 130
"""A longer label is cut in a line. Kubernetes has none beyond a prefix of 253, and a name and a value of 63 each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenHpas:
    """The HPAs, as `namespace/name`, whose labels match a selector.

    unlabelled   HPAs whose labels were not recorded, while those of others were: nobody knows whether they match
    """

    names: frozenset[str]
    unlabelled: tuple[str, ...]


def chosen_by_names(texts: Collection[str], recorded: Collection[str]) -> frozenset[str]:
    """The recorded HPAs that these texts mean; raises UnknownHpa, which names the nearest, for one that means none."""
    by_text = {text: meant_hpas(text, recorded) for text in texts}
    for text, meant in by_text.items():
        if not meant:
            some = f"it has {', '.join(sorted(recorded)[:3])}" if recorded else "it holds no HPA at all"
            raise UnknownHpa(no_hpa(text, "in this recording", recorded, some))
    return frozenset(chain.from_iterable(by_text.values()))


def label_selector(text: str) -> str:
    """The text itself if it is a label selector, or empty. Raises BadOption with Kubernetes' own words."""
    if text:  # else the parser need not be imported
        _parsed(text)
    return text


def chosen_by_labels(
    text: str, labels: Mapping[str, str | None], where: str, named: Collection[str] = ()
) -> ChosenHpas:
    """The HPAs whose last labels match a selector.

    labels   of each HPA as JSON, by `namespace/name`; None if they were not recorded
    where    the recording or the results, for an error
    named    the texts by which these HPAs were chosen before; empty: they are all

    Raises BadOption if it is no selector or no labels were recorded that can be read, and UnknownHpa if none match.
    """
    selector = _parsed(text)
    known = {name: decoded_labels(name, one, where) for name, one in labels.items() if one is not None}
    if labels and not known:
        raise BadOption(
            f"{where} keeps no labels of HPAs (earlier recorders did not): choose with --hpa in place of --selector"
        )
    names = frozenset(name for name, one in known.items() if selector.matches(one))
    if not names:
        asked = f"no HPA {' and '.join(map(repr, named))}" if named else "no HPA"
        raise UnknownHpa(f"{asked} in {where} has labels that match {text!r}: {_hint(selector, known.values())}")
    return ChosenHpas(names=names, unlabelled=tuple(sorted(labels.keys() - known.keys())))


def decoded_labels(name: str, text: str, where: str) -> Mapping[str, str]:
    """The labels of an HPA. Raises BadOption if the text, of which somebody else made the file, is no such JSON."""
    try:
        labels = json.loads(text)
    except (ValueError, RecursionError):
        labels = None
    if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
        raise BadOption(f"{where} holds no labels of {name} that can be read: choose with --hpa in place of --selector")
    return labels


def unlabelled_warning(unlabelled: Collection[str]) -> str:
    """What a command says of HPAs that may match, but whose labels were not recorded."""
    names = ", ".join([*unlabelled][:NAMED]) + (" and more" if len(unlabelled) > NAMED else "")
    return f"--selector leaves out {counted(len(unlabelled), 'HPA')} without recorded labels: {names}"


def _parsed(text: str) -> "Selector":
    from hpaaudit.api.selector import BadSelector, parse

    try:
        return parse(text)
    except BadSelector as error:
        raise BadOption(f"--selector {text!r} is no label selector: {error}") from error


def _hint(selector: "Selector", labels: Collection[Mapping[str, str]]) -> str:
    """Which labels there are: those with the keys that the selector names, else all keys."""
    asked = {term.key for term in selector.terms}
    pairs = {f"{key}={value}" for one in labels for key, value in one.items() if key in asked}
    keys = {key for one in labels for key in one}
    some = sorted(pairs) or sorted(keys)
    named = ", ".join(one if len(one) <= LABEL_CHARS else f"{one[:LABEL_CHARS]}…" for one in some[:NAMED])
    if not some:
        return "they have no labels" if labels else "it holds no HPA"
    return f"they have {'' if pairs else 'the labels '}{named}{' and others' if len(some) > NAMED else ''}"
