-- Which reports of Kubernetes does the audit find to differ from what happened?
-- One row per report.
select hpa_uid, ts, class
from reports;
