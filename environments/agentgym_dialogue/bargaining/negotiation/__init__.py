"""Divide items with another who values them otherwise, by proposals and talk.

The rules are in `game`, what can be divided in `division`, rule-based players in `partners`, others in `scripts`.
"""
