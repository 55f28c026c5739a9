"""Find, carry and put away things in a house that is told in words.

The rules are in `env`; the house and what can be done in it in `house`, goals in `goals`, the way to them in `plan`,
players in `scripts`; `generate` and `generate_partial` write the tasks of the two suites.
"""
