"""Requests to the API server, within limits of rate, memory, time and file descriptors."""
