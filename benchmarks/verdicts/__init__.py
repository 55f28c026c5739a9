"""Checks of verdicts: what the benchmarks of tasks have in common, and planted texts in the apps."""
