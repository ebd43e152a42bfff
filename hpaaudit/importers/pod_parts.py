"""Tells whether a list or watch of some pods shows all that a target's selector matches."""

from dataclasses import dataclass

from hpaaudit.api import selector
from hpaaudit.api.selector import BadSelector, Term

_EQUALS = ("=", "==", "in")
_DIFFERS = ("!=", "notin")
_MOST_CHARS = 100


@dataclass(frozen=True, slots=True)
class PodPart:
    """What a list or watch asked for. Without selectors it is of all pods of its namespace, or of all namespaces ("").

    labels, fields   the texts of its selectors;  page   only the first pages of a list were seen
    own              a controller listed them, which lists the pods of each target by itself
    """

    namespace: str
    labels: str = ""
    fields: str = ""
    page: bool = False
    own: bool = False

    def covers(self, namespace: str, wanted: str, *, ignores_failed: bool) -> bool:
        """Whether it shows all pods of a namespace that a selector matches.

        ignores_failed   a failed pod changes no decision of this release: who does not list them lacks nothing
        """
        if self.page or self.namespace not in ("", namespace):
            return False
        harmless = {f"metadata.namespace={namespace}", f"metadata.namespace=={namespace}"}
        if ignores_failed:
            harmless.add("status.phase!=Failed")
        if not {field.strip() for field in self.fields.split(",")} - {""} <= harmless:
            return False
        try:
            asked, target = selector.parse(self.labels).terms, selector.parse(wanted).terms
        except BadSelector:
            return False
        return all(any(_follows(term, known) for known in target) for term in asked)

    def __str__(self) -> str:
        if self.page:
            return "only the first pages of a list of pods were seen"
        asked = (("labelSelector", self.labels), ("fieldSelector", self.fields))
        text = " and ".join(f"{name} {text}" for name, text in asked if text)
        text = text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]}…"
        return f"only pods with {text} were listed, which may not be all of this target"


def _follows(term: Term, known: Term) -> bool:
    """Whether all labels that meet the requirement `known` also meet `term`."""
    if term.key != known.key:
        return False
    values, given = set(term.values), set(known.values)
    if known.operator in _EQUALS:
        if term.operator in _EQUALS:
            return given <= values
        return term.operator == "exists" or (term.operator in _DIFFERS and not given & values)
    return term == known
