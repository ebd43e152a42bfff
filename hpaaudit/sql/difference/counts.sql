-- How many reconciles of each HPA can be compared, and in how many do two releases want different numbers?
-- One row per HPA. unknown: one of the two numbers is not certain.
select
    namespace || '/' || name as hpa,
    count(*) as reconciles,
    count(*) filter (differs) as differing,
    count(*) filter (is_unknown) as unknown
from paired
group by hpa_uid, namespace, name
order by namespace, name;
