"""Recorded traces of graphical interfaces, replayed offline: their files, episodes on them, and a generated suite."""
