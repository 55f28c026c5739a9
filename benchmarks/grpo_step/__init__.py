"""An iteration of multi-turn GRPO on a CPU, beside TRL."""
