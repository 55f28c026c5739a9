"""Steps and resets a second through the whole contract, beside TextArena and GEM."""
