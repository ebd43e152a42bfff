-- For how long does a recommendation hold a scale-down of an HPA with this behavior?
-- Seconds. A behavior without a window of its own, and none at all, has that of the controller's flag.
create macro main.scale_down_window(behavior, flag_s) as
    coalesce(
        try_cast(json_extract_string(behavior, '$.scaleDown.stabilizationWindowSeconds') as double), flag_s, 300
    );
