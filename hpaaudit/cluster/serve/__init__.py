"""The HTTP server for probes and for Prometheus: `/healthz`, `/readyz`, `/metrics`."""
