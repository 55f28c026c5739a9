"""Attempts to be scored as solved without mending anything: files that are laid, and code put into the sources."""
