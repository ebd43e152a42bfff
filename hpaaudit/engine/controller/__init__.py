"""One reconcile over objects, as kube-controller-manager runs it, with every message that it writes."""
