"""Search: questions over a corpus of articles, to be answered from what was read."""
