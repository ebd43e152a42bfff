-- Which unexplained reconciles does another setting explain, or another memory?
-- Sets their class, as runs.reconciles shows it. Where it is not known which of several it was, they are undecidable.
update runs.encoded_reconciles as r
set
    class = s.class,
    verdict = if(s.is_one, r.verdict, 'undecidable'),
    missing_input = if(s.is_one, r.missing_input, s.missing_input)
from settled as s
cross join runs.texts as t
where t.hpa_uid[r.object + 1] = s.hpa_uid
    and r.divergence_id = s.divergence_id
    and r.class = 'unexplained'
    and s.class <> 'unexplained';
