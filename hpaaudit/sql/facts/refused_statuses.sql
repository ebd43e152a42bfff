-- When did a write of an HPA's status fail according to the recording?
-- One row per refused write, as in refused_statuses.
insert into refused_statuses by name
with found (at_us, namespace, name, status) as (
    {status_writes}
)
select namespace, name, make_timestamp(at_us) as ts
from found
where status not between 200 and 299;
