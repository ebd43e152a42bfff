-- At which targets did anybody look?
-- One row per target, whatever its kind.
create temp table scale_looks (
    namespace varchar,
    name varchar
);
