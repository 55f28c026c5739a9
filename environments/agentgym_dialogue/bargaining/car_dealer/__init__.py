"""Sell a car, or buy one, by talk and offers: a buyer with budget, wishes and a personality, and a dealer with costs.

The rules are in `game`, cars, buyers and what is worth how much in `market`, rule-based players in `partners`, others
in `scripts`; `generate` and `generate_buyer` write the tasks of the two suites.
"""
