"""Python-v0: small programming and arithmetic tasks, solved with a stateful interpreter in a sandbox."""
