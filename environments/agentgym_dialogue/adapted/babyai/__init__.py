"""Levels of BabyAI (minigrid): a mission in words, a view in words, and six actions by name.

The levels and their missions are minigrid's; the text, the tasks and the players are here.
"""
