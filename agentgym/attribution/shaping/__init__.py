"""Step credit that adds to rewards, or bounds them."""
