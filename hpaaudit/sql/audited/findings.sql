-- Which known problems does the audit find?
-- One row per HPA and pattern.
select hpa_uid, pattern
from findings;
