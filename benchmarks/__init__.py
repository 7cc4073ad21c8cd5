"""Measurements of speed: `python -m benchmarks.throughput`."""
