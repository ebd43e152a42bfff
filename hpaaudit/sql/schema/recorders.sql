-- Which recorder observed the cluster, and could it verify that it was this cluster?
-- One row per start of a recorder.
-- Columns:
--   started_at: when it began, or went on
--   version: of hpaaudit
--   server: URL of the API server
--   trust: how the server was known: `authority` (the kubeconfig's), `system` (the machine's), `unverified` (`insecure-skip-tls-verify`: it may have been anybody) or `plain` (http: anybody on the way may have changed what it said)
--   auth: what was shown to it: `token`, `certificate`, `plugin` or `nothing`, joined by `+`
create table runs.recorders (
    replay_id varchar,
    started_at timestamp,
    version varchar,
    server varchar,
    trust varchar,
    auth varchar
);
