"""Whether whoever plays a customer keeps to its agenda, and who failed an episode that failed."""
