"""Guess a hidden number from hints of higher and lower.

The rules are in `env`, players in `scripts`, the suite's tasks come from `generate`.
"""
