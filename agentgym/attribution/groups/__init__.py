"""Step credit from comparing the rollouts of a group."""
