"""Speech: Kubernetes' JSON to model and back, pure."""
