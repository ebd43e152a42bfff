-- Which known problems does each HPA have?
-- One row per HPA and pattern, in the order of time.
select
    hpa_uid, pattern, epoch_us(first_at) as first_us, epoch_us(last_at) as last_us, severity, verdict, next_step
from findings
order by first_at, pattern, hpa_uid;
