"""What a task's rules ask of an episode: an answer, rows of a database, a repository, files."""
