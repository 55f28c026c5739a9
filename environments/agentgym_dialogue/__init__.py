"""Dialogue games for one agent: guess-number, mastermind and wordle.

Each folder is one game with the same file names inside; games of several roles are not here.
"""
