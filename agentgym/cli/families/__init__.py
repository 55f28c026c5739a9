"""Commands that belong to one family of environments."""
