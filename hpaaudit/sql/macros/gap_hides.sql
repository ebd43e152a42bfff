-- Does a gap with this path prefix touch this namespace?
-- True or false; a prefix without a namespace touches all.
create macro main.gap_hides(prefix, namespace) as
    not contains(prefix, '/namespaces/')
    or starts_with(regexp_extract(prefix, '/namespaces/(.*)$', 1) || '/', namespace || '/')
    or split_part(regexp_extract(prefix, '/namespaces/(.*)$', 1), '/', 1) = '';
