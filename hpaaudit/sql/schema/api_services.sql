-- Were the metric APIs available?
-- One row per observed change of an APIService.
-- Columns:
--   observed_at: when it was observed
--   name: for example `v1beta1.metrics.k8s.io`
--   available: `True`, `False` or `Unknown`
--   reason: of that condition
--   message: of that condition
--   service: that serves it, empty where the API server itself does
create table runs.api_services (
    replay_id varchar,
    observed_at timestamp,
    name varchar,
    available varchar,
    reason varchar,
    message varchar,
    service varchar
);
