-- Which stream does a gap with this path prefix hide?
-- One of: everything, hpas, metrics, pods, events, leases, api_services, scaled_objects, surroundings, targets or writers
-- (of the replicas of targets, and their rollouts).
create macro main.gap_stream(prefix) as
    case
        when prefix in ('*', '', '/') then 'everything'
        when ends_with(prefix, '#writers') then 'writers'
        when prefix like '/apis/autoscaling.k8s.io/%' or prefix like '/apis/admissionregistration.k8s.io/%'
            or prefix like '%/resourcequotas%' or prefix like '%/limitranges%' or prefix like '/api/v1/nodes%'
            then 'surroundings'
        when prefix like '/apis/autoscaling%' or prefix like '/apis/extensions%' then 'hpas'
        when contains(prefix, 'metrics.k8s.io') then 'metrics'
        when prefix like '%/events%' then 'events'
        when prefix like '%/leases%' then 'leases'
        when prefix like '%/apiservices%' then 'api_services'
        when prefix like '/apis/keda.sh/%' then 'scaled_objects'
        when prefix like '%/pods%' then 'pods'
        when prefix in ('/api', '/api/v1', '/apis') then 'everything'
        else 'targets'
    end;
