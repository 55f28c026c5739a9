"""Games of other packages behind our contract."""
