"""Find a way through rooms."""
