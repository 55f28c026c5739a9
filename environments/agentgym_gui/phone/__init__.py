"""A phone-sized desktop: one application at a time, moved by touch gestures. It is no Android."""
