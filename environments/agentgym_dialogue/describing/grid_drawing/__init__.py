"""Have a grid drawn that only one sees, by instructions; draw it by them.

The rules are in `game`, instructions in words in `strokes`, rule-based players in `partners`, others in `scripts`.
"""
