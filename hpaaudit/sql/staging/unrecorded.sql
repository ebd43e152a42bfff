-- Which inputs of an HPA does the recording not hold at all?
-- One row per HPA and kind of input.
create temp table unrecorded (
    hpa integer,
    cause varchar
);
