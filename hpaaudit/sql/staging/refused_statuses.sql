-- When did a write of an HPA's status fail, so that the old status remained?
-- One row per refused write.
create temp table refused_statuses (
    namespace varchar,
    name varchar,
    ts timestamp
);
