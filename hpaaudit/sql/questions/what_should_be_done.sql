-- Which problems were found, and what should be done about them, worst first?
-- One row per HPA and pattern.
select pattern, severity, namespace, name, first_at, last_at, verdict, next_step
from findings
where namespace || '/' || name like $hpa
order by finding_id;
