"""Learning to point from nothing: a small convolutional policy on rendered screens."""
