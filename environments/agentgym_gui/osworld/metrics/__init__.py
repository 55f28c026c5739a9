"""OSWorld's metrics, written anew for hostile files: what was found and what was expected give a number from 0 to 1."""
