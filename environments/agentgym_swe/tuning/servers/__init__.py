"""The servers: their options, and the loads that they are tuned for."""
