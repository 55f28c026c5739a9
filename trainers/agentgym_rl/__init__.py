"""This project's trainer: multi-turn policy gradients, cloning, checkpoints. See `agentgym_rl.run.job.train`."""
