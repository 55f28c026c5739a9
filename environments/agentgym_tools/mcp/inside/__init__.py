"""Programs that run in the sandbox of an episode, on what its image has; nothing here imports them."""
