"""What the pictures of several benchmarks have in common."""
