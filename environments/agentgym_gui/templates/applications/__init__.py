"""Templates for one application each."""
