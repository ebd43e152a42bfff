"""Decides as the HPA controller does: pure functions, without clock, file, network or random number."""
