"""Credit and learning at the level of turns with tokens below: ArCHer, its relatives, and what they are made of."""
