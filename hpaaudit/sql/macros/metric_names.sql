-- Which custom and external metrics does the list of a spec name?
-- A list of names. NULL without a list, as in autoscaling/v1, which keeps the metrics in an annotation.
create macro main.metric_names(metrics) as
    if(
        metrics is null,
        null,
        list_concat(
            json_extract_string(metrics, '$[*].*.metric.name'),
            json_extract_string(metrics, '$[*].*.metricName')
        )
    );
