"""How likely it is that a sentence says an act, by weights that were fitted to phrasings of agents."""
