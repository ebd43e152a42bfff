-- Which HPAs depend on clocks that disagree?
-- One row per HPA with a resource metric, if recorder and API server differ by two seconds or more.
select
    h.hpa_uid, i.started_at as first_at, i.ended_at as last_at, 'medium' as severity,
    format('the clocks of recorder and API server differ by {} s', round(abs(i.clock_offset_ms) / 1000, 1)) as verdict,
    json_object('offset_ms', i.clock_offset_ms) as evidence,
    'let both follow the same time server: ages of pods and samples are wrong by that' as next_step
from replayed_hpas as h
cross join runs.recordings as i
where abs(i.clock_offset_ms) >= 2000
    and h.hpa_uid in (select hpa_uid from runs.hpa_specs where contains(metrics::varchar, 'esource"'));
