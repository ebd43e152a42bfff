-- Do metrics as in a spec count the pods of the target?
-- True or false. An average of a metric that no pod has is divided by the replicas that the scale shows.
create macro main.counts_pods(metrics) as
    metrics is null
    or len(list_filter(
        json_extract_string(metrics, '$[*].*.target.type'), lambda t: t <> 'AverageValue'
    )) > 0
    or len(json_extract_string(metrics, '$[*].*.target.type')) < len(json_extract_string(metrics, '$[*].type'))
    or len(list_filter(json_extract_string(metrics, '$[*].type'), lambda t: t not in ('External', 'Object'))) > 0;
