"""Tells: values to text, and nothing else."""
