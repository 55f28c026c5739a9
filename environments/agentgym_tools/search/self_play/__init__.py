"""Self-play over a corpus: one player asks a question whose answer it was given, the other has to find that answer."""
