-- What does all this show, and what should be done about it, worst first?
-- One row per pattern of an HPA.
select pattern, severity, namespace, name, first_at, last_at, verdict, next_step
from findings
where namespace || '/' || name like $hpa
order by finding_id;
