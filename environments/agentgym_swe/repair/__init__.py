"""Repair-v0: mend a fault in a real Python package, judged by runs that the mended code cannot forge."""
