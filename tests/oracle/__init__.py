"""The real HorizontalPodAutoscaler controller, run in virtual time beside ours."""
