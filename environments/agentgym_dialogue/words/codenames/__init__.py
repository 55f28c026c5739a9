"""Name words of a board by clues that go with several; find them before the others do.

The rules are in `game`, boards and what goes with their words in `boards`, rule-based players in `partners`, others in
`scripts`.
"""
