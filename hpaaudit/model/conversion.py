"""HPAs in another API version, and what that version cannot carry, as values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """Something that an API version cannot carry.

    hpa   `namespace/name`, or the name alone where the document has no namespace
    code  its kind, such as `behavior_lost_by_old_api`
    """

    hpa: str
    code: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """HPAs in another API version, in the order of their file.

    documents  JSON as the API server shows it
    notes      what else was noticed: documents that are no HPA, fields that a version does not have
    """

    documents: tuple[Mapping[str, Any], ...]
    losses: tuple[Loss, ...]
    notes: tuple[str, ...]
