"""Social scenarios: two characters with a wish and a secret each talk, and every line is weighed in five ways.

The rules are in `game`, the content in `scenarios`, what lines do in `acts`, a judge's verdicts in `verdict`.
"""
