"""A desktop in a sandbox: its session, input, settling, what is on it as text and picture, and `Desktop-v0`."""
