-- At which targets did anybody look?
-- One row per target, and when it was looked at first, as in scale_looks. A read that failed counts: it was recorded.
insert into scale_looks by name
with targets (at_us, namespace, name) as (
    {targets}
), reads (at_us, kind, namespace, object) as (
    {reads}
), writes (at_us, namespace, name) as (
    {scale_writes}
)
select namespace, name, make_timestamp(min(at_us)) as first_at
from (
    from targets
    union all
    select at_us, namespace, object as name from reads where kind = 'scale'
    union all
    from writes
) as looks
group by namespace, name;
