"""Turns facts into rows, rows into Parquet files and log frames, and back."""
