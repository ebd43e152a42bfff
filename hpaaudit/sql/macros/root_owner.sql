-- Which workload made a pod, by its owner?
-- A struct of kind and name. The ReplicaSet of a Deployment, or of a Rollout of Argo, has its name, a dash and a hash,
-- which has no vowels. kind is NULL for it, because both make such ReplicaSets.
create macro main.root_owner(owner_kind, owner_name) as
    case
        when owner_kind = 'ReplicaSet' and regexp_matches(owner_name, '.-[b-df-hj-np-tv-xz0-9]+$')
            then {'kind': null::varchar, 'name': regexp_replace(owner_name, '-[b-df-hj-np-tv-xz0-9]+$', '')}
        else {'kind': owner_kind, 'name': owner_name}
    end;
