"""Requests stated apart from the templates that draw them: what their words want of the world, and what is open."""
