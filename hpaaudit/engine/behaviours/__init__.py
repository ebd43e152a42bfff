"""What changed between Kubernetes releases, and which of it is in force."""
