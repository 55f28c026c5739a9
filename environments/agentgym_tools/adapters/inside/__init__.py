"""What runs in a peer's interpreter: one driver for each peer. It imports the peer and the standard library alone."""
