"""Learning from the episodes of stored runs alone: what is drawn, and the learners that collect nothing."""
