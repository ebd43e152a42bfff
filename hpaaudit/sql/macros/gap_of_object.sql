-- Can a gap with this path prefix concern this HPA, if it is the gap of a single object?
-- True or false: a gap of one HPA concerns that one, a gap of one workload, or of its scale, those that scale an object
-- of this name; a pod that cannot be read may be of any HPA of its namespace. A gap of more than one object is true.
create macro main.gap_of_object(prefix, name, target) as
    case
        when not regexp_matches(prefix, '^/apis?/.*/namespaces/[^/]+/[^/]+/[^/?#]+') then true
        when regexp_matches(prefix, '/namespaces/[^/]+/(pods|events|leases)/') or contains(prefix, 'metrics.k8s.io/')
            then true
        when contains(prefix, '/horizontalpodautoscalers/')
            then url_decode(regexp_extract(prefix, '/namespaces/[^/]+/[^/]+/([^/?#]+)', 1)) = name
        else coalesce(url_decode(regexp_extract(prefix, '/namespaces/[^/]+/[^/]+/([^/?#]+)', 1)) = target, true)
    end;
