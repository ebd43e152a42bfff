"""Stores recordings: what their files mean, and everything that reads, writes and repairs them."""
