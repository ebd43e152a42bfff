"""Frozen values that all packages share: facts, HPAs, decisions, results. They are named as Kubernetes names them."""
