"""Experiment-v0: tabular learning tasks made hard, worked on by scripts and graded by hidden labels."""
