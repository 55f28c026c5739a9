"""Grounding: pointing at what a description means on a screen of a graphical application."""
