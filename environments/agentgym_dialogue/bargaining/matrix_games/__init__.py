"""Iterated games of two moves for each of two roles, with a talk before each round.

The rules are in `game`, the games in `payoffs`, habits of scripted players in `habits`, the players in `partners`.
"""
