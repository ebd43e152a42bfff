"""A replay with other settings than those of the real controller, beside the audit of the same recording."""

from dataclasses import dataclass
from typing import Any, TypeAlias

Table: TypeAlias = Any
"""A `pyarrow.Table`. Only `results/` looks into it: a fleet has millions of rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedSetting:
    """A setting that the user asked for, and what the audit has in its place.

    key           as in `assumptions`: a flag without its common prefix, `release`, or the name of a rule or gate
    kind          as `key` in `sensitivity`: a flag, `release`, `feature-gate`, or `rule`
    alternative   what the audit has, as `alternative` in `sensitivity`;  recorded   the same, as in `assumptions`
    is_recorded   that was recorded, or declared by the user; otherwise it is the usual value
    left          of several settings: reconciles that do not match if this one alone is as in the audit; else None
    """

    key: str
    value: str
    kind: str
    alternative: str
    recorded: str
    is_recorded: bool
    left: Table = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """What the audit of the same recording says, for its what-ifs, of the HPAs of this replay.

    mismatches   reconciles that do not match
    writers      changes of `spec.replicas` whose writer is known by what was decided
    reports      statuses and Events that are not what happened;  findings   patterns found
    """

    mismatches: Table
    writers: Table
    reports: Table
    findings: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """The settings that make a replay a what-if, and the audit that it is compared with.

    moves_times   inferred reconciles take place at other times than in the audit
    """

    settings: tuple[AskedSetting, ...]
    audited: Audited
    moves_times: bool
