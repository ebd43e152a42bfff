-- If this gap hides a single object, may it concern this HPA?
-- True or false. A gap of one HPA concerns that HPA. A gap of one workload, or of its scale, concerns the HPAs that scale an
-- object of this name; so does one of its pods (`/api/v1/namespaces/shop/pods#deployments/web`). A pod that cannot be read may
-- belong to any HPA of its namespace. A gap of several objects: true.
create macro main.gap_of_object(prefix, name, target) as
    case
        when not regexp_matches(prefix, '^/apis?/.*/namespaces/[^/]+/[^/]+/[^/?#]+') then true
        when regexp_matches(prefix, '/namespaces/[^/]+/(pods|events|leases)/') or contains(prefix, 'metrics.k8s.io/')
            then true
        when contains(prefix, '/horizontalpodautoscalers/')
            then url_decode(regexp_extract(prefix, '/namespaces/[^/]+/[^/]+/([^/?#]+)', 1)) = name
        else coalesce(url_decode(regexp_extract(prefix, '/namespaces/[^/]+/[^/]+/([^/?#]+)', 1)) = target, true)
    end;
