"""Task files in OSWorld's form (arXiv:2404.07972), played on this family's desktop: its steps, getters and metrics."""
