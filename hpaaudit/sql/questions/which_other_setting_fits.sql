-- Which other value of a setting explains what the replay could not, and what would it break?
-- One row per HPA and value, the best first.
-- Asked: Can I trust this?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   key: the setting; restart, lease: what the controller remembered; reconcile: inferred ones that may not have taken place
--   value: the value that the replay used
--   alternative: the value that explains it
--   differing: reconciles that were unexplained
--   explained: how many of them agree with the other value
--   broken: reconciles that agreed and would not with the other value
--   together_with: the other settings that it takes, each with its other value; NULL if the one alone explains them
select
    namespace, name, key, value, alternative, differing, explained, broken,
    nullif(concat_ws(', ', also_key || ' ' || also_alternative, third_key || ' ' || third_alternative), '') as together_with
from sensitivity
where namespace || '/' || name like $hpa
order by explained - 3 * broken desc, namespace, name, key, alternative;
