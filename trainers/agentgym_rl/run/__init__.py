"""A training run: its configuration, its loop, its folder."""
