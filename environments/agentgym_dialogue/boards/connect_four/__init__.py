"""Four marks in a row, in columns where they fall, against a strong rule-based player that errs at times.

The rules are in `game`, what they share with other games of marks in a row beside this folder.
"""
