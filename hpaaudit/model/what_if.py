"""A replay with other settings than those of the real controller, beside the audit of the same recording."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedSetting:
    """A setting that the user asked for, and what the audit has in its place.

    key           as in `assumptions`: a flag without its common prefix, `release`, or the name of a rule or gate
    kind          as `key` in `sensitivity`: a flag, `release`, `feature-gate`, or `rule`
    alternative   what the audit has, as `alternative` in `sensitivity`;  recorded   the same, as in `assumptions`
    is_recorded   that was recorded, or declared by the user; otherwise it is the usual value
    left          of several settings: reconciles that do not match if this one alone is as in the audit
    """

    key: str
    value: str
    kind: str
    alternative: str
    recorded: str
    is_recorded: bool
    left: Sequence[Row] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """What the audit of the same recording says, for its what-ifs: rows by column, of this replay's HPAs.

    mismatches   reconciles that do not match
    writers      changes of `spec.replicas` whose writer is known by what was decided
    reports      statuses and Events that are not what happened;  findings   patterns found
    """

    mismatches: Sequence[Row]
    writers: Sequence[Row]
    reports: Sequence[Row]
    findings: Sequence[Row]


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """The settings that make a replay a what-if, and the audit that it is compared with.

    moves_times   inferred reconciles take place at other times than in the audit
    """

    settings: tuple[AskedSetting, ...]
    audited: Audited
    moves_times: bool
