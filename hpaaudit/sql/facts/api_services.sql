-- Were the metric APIs available according to the recording?
-- One row per observed change of an APIService, as in runs.api_services.
insert into runs.api_services by name
with found (seq, at_us, name, available, reason, message, service) as (
    {api_services}
)
select
    (select replay_id from runs.replays) as replay_id,
    make_timestamp(at_us) as observed_at,
    name, available, reason, message, service
from found
order by seq;
