"""Games about words."""
