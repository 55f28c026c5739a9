"""Speed of Repair-v0: tests that an agent runs, verdicts, and resets."""
