"""Wordle with a critic: propose a guess, hear what a critic says, and say it or another; be that critic.

The rules are in `game`, rule-based players in `partners`, other players in `scripts`.
"""
