-- What does a gap with this path prefix hide?
-- One of everything, hpas, metrics, pods, events, leases, api_services, scaled_objects, targets or writers (of their replicas, and rollouts).
create macro main.gap_stream(prefix) as
    case
        when prefix in ('*', '', '/') then 'everything'
        when ends_with(prefix, '#writers') then 'writers'
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
