-- What distinguishes two objects with the same name?
-- The uid, or `namespace/name` without one: captures may come without uids. The same as object_key in model/identity.py.
create macro main.object_key(uid, namespace, name) as
    coalesce(nullif(uid, ''), namespace || '/' || name);
