"""Tool-use environments."""
