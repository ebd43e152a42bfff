-- Which inputs of an HPA does the recording not hold at all?
-- One row per HPA and kind of input. lacks_pods: its pods.
create temp table unrecorded (
    hpa integer,
    lacks_pods boolean,
    cause varchar
);
