"""Werewolf: five to nine players of hidden roles talk and vote by day, and some act by night.

The rules are in `game`, what lines claim in `speech`, rule-based players in `partners`, others in `scripts`.
"""
