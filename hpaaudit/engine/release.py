"""Which rules are in force: a release, its gates, and what was switched by hand."""

import difflib
import re
from dataclasses import dataclass, fields, replace
from functools import lru_cache

from hpaaudit.api.selector import BadSelector
from hpaaudit.engine.behaviours import BEHAVIOURS, GATES, Version, parsed
from hpaaudit.errors import BadOption, UnknownRelease
from hpaaudit.model.flags import Flags

KNOWN = tuple(f"1.{minor}" for minor in range(12, 38))
"""Releases whose decisions we make, oldest first."""

ALPHA = "1.38"
"""The release that is not out yet: its rules are known from its changelog and pull requests, up to alpha.2."""

NEWEST_OLD_PATCH = 999
"""A release without a patch level is taken for its last patch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The behaviours in force for one controller process, a field each."""

    spec_replicas_are_current: bool
    utilization_guard: bool
    partial_metrics: bool
    first_invalid_told: bool
    pods_error_named: bool
    requirements_printed: bool
    pending_is_unready: bool
    scales_from_zero: bool
    min_limit_says_so: bool
    value_before_pods: bool
    object_average: bool
    object_average_tolerance: bool
    quoted_urls: bool
    ignored_samples_removed: bool
    min_policy_moves: bool
    prefixed_resource_error: bool
    partial_blocks_down: bool
    envelope: bool
    plain_guard: bool
    reads_v2: bool
    inclusive_tolerance: bool
    configurable_tolerance: bool
    ambiguous_selector: bool
    both_directions_count: bool
    missing_up_to_target: bool
    samples_before_requests: bool
    named_missing_request: bool
    partial_error_returned: bool
    status_error_told: bool
    container_metrics: bool
    container_metric_name: bool
    text_pods_might_be_unready: bool
    exact_ratio_fills_nothing: bool
    metrics_renewed_on_failure: bool
    sidecars_count: bool
    plain_messages: bool
    missing_container_is_missing_pod: bool
    object_average_described: bool
    pod_level_resources: bool
    conflict_retry: bool
    binary_memory: bool
    external_average_clamped: bool
    value_clamped: bool
    absent_container_fails: bool
    scaled_to_zero_condition: bool
    scale_to_zero: bool
    generation: bool
    stale_cache_skips: bool
    object_error_in_order: bool
    outer_prefix: bool
    few_names_when_ambiguous: bool
    succeeded_ignored: bool
    overhead_excluded: bool
    replicas_capped: bool
    total_at_zero: bool
    selector_errors_aggregated: bool
    selector_error_names_key: bool
    usage_named: bool

    def told(self, error: BadSelector) -> str:
        """What is wrong with a selector, in the words of this release."""
        if self.selector_errors_aggregated:
            return str(error)
        return error.old if self.selector_error_names_key else error.oldest


def version_of(text: str) -> Version:
    """A release as numbers; without a patch level its last patch is meant.

    What follows the numbers, as `-eks-abc`, `-gke.100` or `-alpha.1`, is not looked at.
    UnknownRelease, with the nearest known, for one that the engine does not know.
    """
    match = re.match(r"v?(\d+)\.(\d+)(?:\.(\d+))?", text)
    release = f"{match[1]}.{match[2]}" if match else text
    if match is None or release not in (*KNOWN, ALPHA):
        raise UnknownRelease(f"release {text} is not known to this engine: try --release {_nearest(release)}")
    return (int(match[1]), int(match[2]), int(match[3]) if match[3] else NEWEST_OLD_PATCH)


def _nearest(release: str) -> str:
    """The known release with the nearest number, else the most similar text; never one that is not out yet."""
    match = re.fullmatch(r"1\.(\d+)", release)
    if match is None:
        return difflib.get_close_matches(release, KNOWN, n=1, cutoff=0.0)[0]
    return min(KNOWN, key=lambda known: abs(int(known.split(".")[1]) - int(match[1])))


def known_release(text: str) -> str:
    """A release as the table names it: `v1.36.3` stays exact as `1.36.3`, `1.36` is its last patch.

    One that is not out yet is called `-alpha`, so that whoever reads it knows what our rules are.
    """
    major, minor, patch = version_of(text)
    if f"{major}.{minor}" == ALPHA:
        return f"{ALPHA}-alpha"
    return f"{major}.{minor}" if patch == NEWEST_OLD_PATCH else f"{major}.{minor}.{patch}"


def _field(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def behaviour_names() -> tuple[str, ...]:
    """Everything that `--with` and `--without` take: behaviours, and gates by either name."""
    return (*(b.name for b in BEHAVIOURS), *(g.name for g in GATES))


@lru_cache(maxsize=64)
def rules_of(flags: Flags) -> Rules:
    """The behaviours that a release has and that these flags switch on or off."""
    version = version_of(flags.release)
    given = dict(flags.gates)
    on = {_field(behaviour.name): behaviour.holds(version) for behaviour in BEHAVIOURS}
    for gate in GATES:
        asked = version >= parsed(gate.known)
        default = version >= parsed(gate.on)
        free = not gate.locked or version < parsed(gate.locked)
        on[_field(gate.rule)] = asked and (given.get(gate.name, default) if free else True)
    # Before the controller asked the gate it computed a container's metric whenever the API let one through.
    on["container_metrics"] = on["container_metrics"] or version < parsed("1.27")
    rules = Rules(**{field.name: on[field.name] for field in fields(Rules)})
    changes = {_field(name): True for name in flags.with_behaviours}
    changes |= {_field(name): False for name in flags.without_behaviours}
    return replace(rules, **changes)


def behaviour(name: str) -> str:
    """A behaviour or gate by the name that the table gives its rule; BadOption for an unknown one."""
    for gate in GATES:
        if name in (gate.name, gate.rule):
            return gate.rule
    if name in {behaviour.name for behaviour in BEHAVIOURS}:
        return name
    near = difflib.get_close_matches(name, behaviour_names(), n=3, cutoff=0.0)
    raise BadOption(f"{name} is no behaviour that differs between releases: did you mean {', '.join(near)}?")
