-- What did each metric of this reconcile propose?
-- One row per metric.
from metric_proposals where reconcile_id in ($reconcile_ids) order by reconcile_id, metric_idx;
