-- What held an HPA for a minute or more, and what did it cost?
-- One row per HPA and cause, the longest first.
with held as (
    {held}
)
select
    hpa_uid, cause, count(*) as reconciles, epoch_us(min(ts)) as first_us, epoch_us(max(ts)) as last_us,
    coalesce(round(sum(lasted_s), 6), 0) as lasted_s,
    -- Of pods that counted as idle it is known how many they were, of a metric that failed not what it would ask for.
    coalesce(round(sum(lasted_s * case
        when cause = 'unready' then idle_pods
        when cause <> 'unmeasured' then abs(coalesce(wanted_more, 0))
    end), 6), 0) as pod_s,
    coalesce(max(idle_pods), 0) as idle_pods,
    coalesce(arg_max(pods, idle_pods), 0) as pods,
    epoch_us(min(ts) filter (fell_to is not null)) as fell_us,
    coalesce(arg_min(fell_from, ts) filter (fell_to is not null), 0) as fell_from,
    coalesce(arg_min(fell_to, ts) filter (fell_to is not null), 0) as fell_to
from held
where cause is not null
group by hpa_uid, cause
having sum(lasted_s) >= $long_hold_s
order by sum(lasted_s) desc, cause, hpa_uid;
