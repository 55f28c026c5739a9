"""OSWorld's metrics: ours beside those of desktop-env, on the same generated pairs."""
