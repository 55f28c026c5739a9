"""Tasks and traces in the formats of other projects, loaded by path, and environments of other projects."""
