"""Games of two of TextArena, in which a rule-based player of ours plays the other side within the environment.

The games are TextArena's; the other side, the tasks and the players are here.
"""
