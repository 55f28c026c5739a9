"""Liar's dice: bids on dice of which one sees half, round after round, until one has none left.

The rules are in `game`, bids and their chances in `bids`, rule-based players in `partners`, others in `scripts`.
"""
