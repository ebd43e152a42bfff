-- Did maxReplicas keep a reconcile below what its metrics asked for?
-- True or false. Where a policy allows just as many, that is the reason: the condition names maxReplicas as well then.
-- What memory alone asks for beyond maxReplicas, for example after maxReplicas was lowered, is no missing pod.
create macro main.pinned_at_maximum(reason_code, raw_desired, desired, max_replicas, limited_reason) as coalesce(
    raw_desired > max_replicas
    and (
        reason_code = 'bound.max'
        or reason_code in ('policy.up_limit', 'policy.legacy_up_limit')
        and desired = max_replicas
        and limited_reason = 'TooManyReplicas'
    ),
    false
);
