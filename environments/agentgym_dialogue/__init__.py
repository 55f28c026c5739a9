"""Dialogue games.

Each folder is one game with the same file names inside; what several games share stands beside the folders.
"""
