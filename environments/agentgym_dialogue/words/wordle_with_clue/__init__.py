"""Wordle with a clue: find a hidden word from marks and a clue; give the clue.

The rules are in `game`, rule-based players in `partners`, other players in `scripts`.
"""
