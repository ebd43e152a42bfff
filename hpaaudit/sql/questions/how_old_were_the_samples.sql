-- How old were the newest samples of an HPA's pods when its reconciles decided?
-- One row per HPA with a resource metric. It reads the recording. The pods are those that the HPA's target made, or that
-- a reconcile counted.
-- Asked: Can I trust this?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   reconciles: reconciles that took place with inputs that were recorded, before which a sample had been seen
--   p50_s: half of the samples were at most so many seconds old
--   p95_s: 95 percent were at most so many seconds old
--   max_s: the oldest, in seconds
--   window_s: the seconds over which a sample measures, mostly
with of_hpa as (
    select hpa_uid, namespace, pod from hpa_pods
    union
    select hpa_uid, namespace, pod from reconcile_pods
), arrived as (
    select o.hpa_uid, s.observed_at, max(s.sample_ts) as sample_ts, mode(s.window_s order by s.window_s) as window_s
    from metric_samples as s
    join of_hpa as o on o.namespace = s.namespace and o.pod = s.pod
    where not s.gone
    group by o.hpa_uid, s.observed_at
), asked as (
    select hpa_uid, namespace, name, ts
    from reconciles
    where namespace || '/' || name like $hpa
        and ts between $since and $until
        and has_inputs(class)
), ages as (
    select a.hpa_uid, a.namespace, a.name, epoch_us(a.ts) - epoch_us(s.sample_ts) as age_us, s.window_s
    from asked as a
    asof join arrived as s on s.hpa_uid = a.hpa_uid and s.observed_at <= a.ts
)
select
    namespace, name,
    count(*) as reconciles,
    round(quantile_cont(age_us, 0.5) / 1e6, 1) as p50_s,
    round(quantile_cont(age_us, 0.95) / 1e6, 1) as p95_s,
    round(max(age_us) / 1e6, 1) as max_s,
    mode(window_s order by window_s) as window_s
from ages
group by hpa_uid, namespace, name
order by max_s desc, namespace, name, hpa_uid;
