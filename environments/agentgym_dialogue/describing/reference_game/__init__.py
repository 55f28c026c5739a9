"""Tell one of three grids from the others in words; find it from such words.

The rules are in `game`, what can be said of a grid in `facts`, rule-based players in `partners`, others in `scripts`.
"""
