"""What `archer_awr` owes to its parts: one is left out at a time. `python -m benchmarks.archer_ablation`."""
