"""A flight recorder and a replay for the Kubernetes HorizontalPodAutoscaler."""
