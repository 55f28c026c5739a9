"""Walk through a maze that is told in words, seeing walls beside oneself only.

The rules are in `env`, mazes and distances in `layouts`, players in `scripts`; `generate` and `generate_partial` write
the tasks of the two suites.
"""
