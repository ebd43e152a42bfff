-- At which targets did anybody look?
-- One row per target, as in scale_looks. A read that failed counts: it was recorded.
insert into scale_looks by name
with targets (at_us, namespace, name) as (
    {targets}
), reads (at_us, kind, namespace, object) as (
    {reads}
), writes (at_us, namespace, name) as (
    {scale_writes}
)
select namespace, name from targets
union
select namespace, object as name from reads where kind = 'scale'
union
select namespace, name from writes;
