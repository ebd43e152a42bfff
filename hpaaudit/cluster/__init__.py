"""The recorder's view of a cluster: the only package that talks to an API server."""
