-- Which unexplained reconciles does another setting explain, or another memory?
-- Sets their class in runs.reconciles. Where it is not known which of several it was, they are undecidable.
update runs.reconciles as r
set
    class = s.class,
    verdict = if(s.is_one, r.verdict, 'undecidable'),
    missing_input = if(s.is_one, r.missing_input, s.missing_input)
from settled as s
where r.hpa_uid = s.hpa_uid
    and r.divergence_id = s.divergence_id
    and r.class = 'unexplained'
    and s.class <> 'unexplained';
