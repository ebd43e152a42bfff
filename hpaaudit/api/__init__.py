"""Converts the JSON of the Kubernetes API to the model and back: pure functions, without file, network or clock."""
