"""Tuning-v0: Redis, nginx and PostgreSQL are tuned for a load; what they use up is counted, not timed."""
