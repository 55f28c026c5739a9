"""What a step, a start and a reset of a desktop cost."""
