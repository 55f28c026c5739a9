"""Predictors of step credit that learn; the formulas that read them are in `agentgym.attribution`."""
