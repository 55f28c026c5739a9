"""Describe what the partner cannot see."""
