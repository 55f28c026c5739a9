"""A trainer of its own for a small convolutional policy that points at pictures; it reads no text but names."""
