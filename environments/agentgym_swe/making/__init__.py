"""Makes repair tasks without a model: plants faults, runs tests, words issues, and writes the suite."""
