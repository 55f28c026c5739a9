"""Find the city that the partner lives in by open questions.

The rules are in `env`, the partner's knowledge in `table`, its English in `grammar`, its answers in `answers`, players
in `scripts`, the suite's tasks come from `generate`.
"""
