"""Formulas: pure functions over tensors, each with its source, without models or configuration files."""
