"""How desktop tasks are judged: files and settings before and after, read in a fresh place that no agent can reach."""
