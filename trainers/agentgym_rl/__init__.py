"""This project's trainer: multi-turn policy gradients, cloning, checkpoints. See `agentgym_rl.job.train`."""
