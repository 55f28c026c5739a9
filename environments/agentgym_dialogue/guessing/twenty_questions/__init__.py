"""Find the thing that the partner thinks of by yes-or-no questions.

The rules are in `env`, the partner's knowledge in `table`, its English in `grammar`, players in `scripts`, the suite's
tasks come from `generate`.
"""
