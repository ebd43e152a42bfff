-- Which minor release is this, of Kubernetes 1?
-- `21` of `1.21.3`; NULL of a text that is none.
create macro main.minor_release(release) as
    try_cast(regexp_extract(release, '^1\.(\d+)', 1) as integer);
