"""How a repair is judged: what is taken from the agent, the fresh sandbox, twins of tests, and probes of values."""
