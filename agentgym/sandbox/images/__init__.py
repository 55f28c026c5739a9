"""Container images: which there are, and how they are built."""
