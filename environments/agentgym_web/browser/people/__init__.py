"""What people do with a window: they act in it, and look at what happened in it."""
