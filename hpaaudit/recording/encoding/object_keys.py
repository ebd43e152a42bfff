"""Finds the object that a fact describes."""

from collections.abc import Hashable

from hpaaudit.model.facts import Fact
from hpaaudit.recording.encoding import single_row_facts
from hpaaudit.recording.format.schema import TABLES

KEYS: dict[str, tuple[str, ...]] = {
    "controllers": (),
    "hpas": ("namespace", "name"),
    "pods": ("namespace", "name"),
    "targets": ("api_group", "resource", "namespace", "name"),
    "rollouts": ("api_group", "resource", "namespace", "name"),
    "scaled_objects": ("namespace", "name"),
    "events": ("namespace", "name"),
    "leases": ("namespace", "name"),
    "api_services": ("name",),
    "surroundings": ("api_group", "resource", "namespace", "name"),
    "versions": (),
    "recorders": (),
}
"""The columns that identify an object, by table. Empty if there is only one object."""


def object_of(fact: Fact) -> Hashable:
    """The object that a fact describes. None for facts that describe no object, such as reads and gaps."""
    if type(fact) not in single_row_facts.TO_ROW:
        return None
    table, row = single_row_facts.to_row(0, fact)
    if table not in KEYS:
        return None
    names = [column.name for column in TABLES[table].columns]
    return (table, *(row[names.index(name)] for name in KEYS[table]))
