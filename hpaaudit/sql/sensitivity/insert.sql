-- Keeps what explains divergences of an HPA. One that was deleted and made anew has several uids and one name.
insert into runs.sensitivity
select
    replay_id, hpa_uid, namespace, name, $key, $value, $alternative, $differing, $explained, $broken,
    list(divergence_id order by divergence_id), $also_key, $also_value, $also_alternative, $is_recorded, false,
    $third_key, $third_value, $third_alternative
from runs.divergences
where namespace || '/' || name = $hpa and list_contains($divergence_ids, divergence_id)
group by all;
