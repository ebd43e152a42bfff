"""The primary reasons of a decision: their numbers for the rules, their codes for everybody else."""

ON_TARGET = 0
TOLERANCE_HOLD = 1
ABOVE_TARGET = 2
BELOW_TARGET = 3
DAMPED = 4
DIRECTION_FLIP = 5
COUNT_FLIP = 6
LEGACY_RAISE = 7
UP_HOLD = 8
UP_PARTIAL = 9
DOWN_HOLD = 10
DOWN_PARTIAL = 11
LEGACY_UP_LIMIT = 12
UP_LIMIT = 13
UP_DISABLED = 14
DOWN_LIMIT = 15
DOWN_DISABLED = 16
BOUND_MIN = 17
BOUND_MAX = 18
GATE_DISABLED = 19
GATE_ABOVE_MAX = 20
GATE_BELOW_MIN = 21
ALL_INVALID = 22
PARTIAL_BLOCKS = 23
UNREADABLE = 24
WRITE_FAILED = 25
SELECTOR_MISSING = 26
STALE_CACHE = 27
FORBIDDEN_UP = 28
FORBIDDEN_DOWN = 29
SELECTOR_INVALID = 30
PANICKED = 31
METRIC_FAILED = 32
UP_REVERSED = 33
DOWN_REVERSED = 34
CODES = (
    "metric.on_target",
    "tolerance.hold",
    "metric.above_target",
    "metric.below_target",
    "adjust.damped_into_tolerance",
    "adjust.direction_flip_hold",
    "adjust.count_flip_hold",
    "stabilize.legacy_raise",
    "stabilize.up_hold",
    "stabilize.up_partial",
    "stabilize.down_hold",
    "stabilize.down_partial",
    "policy.legacy_up_limit",
    "policy.up_limit",
    "policy.up_disabled",
    "policy.down_limit",
    "policy.down_disabled",
    "bound.min",
    "bound.max",
    "gate.disabled_at_zero",
    "gate.above_max",
    "gate.below_min",
    "gate.all_metrics_invalid",
    "gate.partial_metrics_block_down",
    "gate.target_unreadable",
    "act.write_failed",
    "gate.selector_missing",
    "gate.stale_cache",
    "window.up_forbidden",
    "window.down_forbidden",
    "gate.selector_invalid",
    "gate.panicked",
    "gate.metric_failed",
    "stabilize.up_reversed",
    "stabilize.down_reversed",
)
"""The codes, by number."""
