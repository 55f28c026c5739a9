"""What makes tasks of desks harder or unsafe: options of what the agent sees, and texts planted in what tools show."""
