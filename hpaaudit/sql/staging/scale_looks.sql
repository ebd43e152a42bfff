-- At which targets did anybody look?
-- One row per target, whatever its kind; first_at: when it was looked at first.
create temp table scale_looks (
    namespace varchar,
    name varchar,
    first_at timestamp
);
