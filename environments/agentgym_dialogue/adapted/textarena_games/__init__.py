"""Single-player games of TextArena, with seeds that are true and messages that are told once.

The games are TextArena's; what keeps them apart, the tasks and the players are here.
"""
