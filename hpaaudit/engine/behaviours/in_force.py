"""The behaviours in force in one controller process."""

from typing import NamedTuple

from hpaaudit.api.selector import BadSelector


class Behaviours(NamedTuple):
    """The behaviours that are in force, a field each: what a rule asks to know its release.

    A tuple, because the compiled rules read it as it is.
    """

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
    polls: bool
    metrics_annotation: bool
    forbidden_windows: bool
    delay_flags: bool
    conditions: bool
    unchanged_status_kept: bool
    scaled_to_bound_at_once: bool
    zero_disables: bool
    up_rate_limited: bool
    up_rate_first: bool
    min_before_one: bool
    up_rate_within_max: bool
    bounds_as_rules: bool
    running_pods_alone: bool
    running_pods_multiplied: bool
    cpu_from_metrics_api: bool
    heapster_status_read: bool
    full_integers: bool
    cpu_always_asked: bool
    zero_cpu_shown: bool
    first_minutes_forgiven: bool
    replica_calculator: bool
    readiness_by_time: bool
    failed_pods_skipped: bool
    ready_pods_multiplied: bool
    external_metrics: bool
    container_resource_metrics: bool
    rest_clients: bool
    scale_client: bool
    scale_reads_named: bool
    scale_writes_named: bool
    metric_apis_named: bool
    receive_spelled: bool
    missing_request_names_pod: bool

    def selector_error(self, error: BadSelector) -> str:
        """What is wrong with a selector, in the words of this release."""
        if self.selector_errors_aggregated:
            return str(error)
        return error.old if self.selector_error_names_key else error.oldest
