"""Offers of coins, round after round: the one proposes, the other takes them or leaves both with none.

The rules are in `game`, characters of scripted players in `characters`, the players in `partners` and `scripts`.
"""
