"""Side-by-side measurements, each run as `python -m benchmarks.NAME [--quick] [--json]`.

What the product promises about speed is stated here as goals; correctness belongs to tests.
"""
