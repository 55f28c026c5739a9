"""Studies of what changes how a tiny model learns; see `__main__`."""
