"""Tasks in the format of WebArena and VisualWebArena on sites of the user's."""
