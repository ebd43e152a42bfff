-- Does a gap with this path prefix concern an HPA of this namespace with these metrics?
-- True or false. A prefix without a namespace concerns all HPAs; one of a custom or external metric those that use it.
create macro main.gap_hides(prefix, namespace, metrics) as
    not contains(prefix, '/namespaces/')
    or (
        starts_with(regexp_extract(prefix, '/namespaces/(.*)$', 1) || '/', namespace || '/')
        or split_part(regexp_extract(prefix, '/namespaces/(.*)$', 1), '/', 1) = ''
    ) and (
        not regexp_matches(prefix, '^/apis/(custom|external)\.metrics\.k8s\.io/[^/]+/namespaces/[^/]+/.')
        or metrics is null
        or list_contains(metrics, url_decode(regexp_extract(prefix, '/([^/?]*)(\?.*)?$', 1)))
    );
