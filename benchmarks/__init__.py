"""Measurements of speed: `python -m benchmarks.throughput`, `python -m benchmarks.aec`."""
