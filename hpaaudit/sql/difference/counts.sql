-- Of how many reconciles of each HPA is it known what two releases want, and in how many are these different numbers?
-- One row per HPA. reconciles: all that both replays have. unknown: one of the two numbers is not certain, so that they
-- cannot be compared.
select
    namespace || '/' || name as hpa,
    count(*) as reconciles,
    count(*) filter (differs) as differing,
    count(*) filter (is_unknown) as unknown
from paired
group by hpa_uid, namespace, name
order by namespace, name;
