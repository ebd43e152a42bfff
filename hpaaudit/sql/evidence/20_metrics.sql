-- What did each metric of this reconcile propose?
-- One row per metric.
from metric_proposals where reconcile_id = $reconcile_id order by metric_idx;
