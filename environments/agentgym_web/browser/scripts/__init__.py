"""Scripts that run in pages, and `assembling`, which puts them together."""
