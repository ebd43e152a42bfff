-- Which statuses did the controller publish, according to the recording?
-- One row per status that differs from the one before it; `status` is the JSON as columns: the fields of v2 and v2beta2,
-- and beside them those of v2beta1 and v2alpha1, which have other names.
create temp table statuses as
with found (
    seq, at_us, namespace, name, uid, gone, resource_version, status_json
) as (
    {hpas}
)
select
    seq,
    (select replay_id from runs.replays) as replay_id,
    object_key(uid, namespace, name) as hpa_uid,
    namespace,
    name,
    make_timestamp(at_us) as observed_at,
    resource_version,
    from_json(status_json, '{
        "observedGeneration": "BIGINT", "lastScaleTime": "VARCHAR",
        "currentReplicas": "INTEGER", "desiredReplicas": "INTEGER",
        "currentMetrics": [{
            "type": "VARCHAR",
            "resource": {
                "name": "VARCHAR",
                "current": {"value": "VARCHAR", "averageValue": "VARCHAR", "averageUtilization": "INTEGER"},
                "currentAverageValue": "VARCHAR", "currentAverageUtilization": "INTEGER"
            },
            "containerResource": {
                "name": "VARCHAR", "container": "VARCHAR",
                "current": {"value": "VARCHAR", "averageValue": "VARCHAR", "averageUtilization": "INTEGER"},
                "currentAverageValue": "VARCHAR", "currentAverageUtilization": "INTEGER"
            },
            "pods": {
                "metric": {"name": "VARCHAR"}, "current": {"value": "VARCHAR", "averageValue": "VARCHAR"},
                "metricName": "VARCHAR", "currentAverageValue": "VARCHAR"
            },
            "object": {
                "metric": {"name": "VARCHAR"}, "current": {"value": "VARCHAR", "averageValue": "VARCHAR"},
                "metricName": "VARCHAR", "currentValue": "VARCHAR", "averageValue": "VARCHAR"
            },
            "external": {
                "metric": {"name": "VARCHAR"}, "current": {"value": "VARCHAR", "averageValue": "VARCHAR"},
                "metricName": "VARCHAR", "currentValue": "VARCHAR", "currentAverageValue": "VARCHAR"
            }
        }],
        "conditions": [{
            "type": "VARCHAR", "status": "VARCHAR", "reason": "VARCHAR", "message": "VARCHAR",
            "lastTransitionTime": "VARCHAR"
        }]
    }') as status
from found
where not gone and seq not in (select seq from repeated);
