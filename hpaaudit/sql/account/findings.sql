-- Which known problems does each HPA have?
-- One row per HPA and pattern, the worst first.
select
    hpa_uid, pattern, epoch_us(first_at) as first_us, epoch_us(last_at) as last_us, severity, verdict, next_step
from findings
order by list_position(['critical', 'high', 'medium', 'low', 'info'], severity), first_at, pattern, hpa_uid;
