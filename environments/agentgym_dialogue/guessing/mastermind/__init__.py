"""Find a hidden row of colours from counts of black and white.

The rules are in `env`, players in `scripts`, the suite's tasks come from `generate`.
"""
