"""Games that TextWorld makes from a seed, told from their state, without its interpreter.

Rooms, things and quests are TextWorld's; the text, the tasks and the players are here.
"""
