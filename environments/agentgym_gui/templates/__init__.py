"""Seeded templates of desktop tasks: files, what is open, the goal in words, and what decides if it was reached."""
