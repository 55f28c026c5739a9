"""Learning from whole groups: GRPO and its relatives, and PPO."""
