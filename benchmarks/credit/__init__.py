"""Which credit helps where: the same tiny policy, cloned once a seed, trained by each method on the same turns.

A run is of one task, method and seed, in a process of its own, and kept; the report is on the runs that there are.
Tasks are in `tasks/*.toml`, methods in `methods/*.toml`, the settings chosen by tuning in `tuned/*.json`.
"""
