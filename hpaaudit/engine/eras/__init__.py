"""One reconcile as the controllers of Kubernetes 1.1 to 1.11 made it: other control flows over the same rules."""
