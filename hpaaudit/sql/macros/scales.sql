-- Does the scaleTargetRef of an HPA refer to this target?
-- True or false. kind, api_version: of scaleTargetRef; target_group, resource: as the API's path says.
-- A Deployment of extensions and one of apps are the same object under two names. Up to 1.8 the controller asked extensions
-- for the scale of any kind.
create macro main.scales(kind, api_version, target_group, resource) as
    resource in (
        lower(kind) || 's',
        lower(kind) || 'es',
        regexp_replace(lower(kind), 'y$', 'ies')
    )
    and (
        target_group = case when contains(api_version, '/') then split_part(api_version, '/', 1) else '' end
        or target_group = 'extensions'
        or (target_group in ('', 'apps') and split_part(api_version, '/', 1) in ('v1', 'apps', 'extensions'))
    );
