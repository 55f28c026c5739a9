"""Formulas: pure functions over tensors, each with its source. No model, no configuration file."""
