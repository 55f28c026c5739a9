"""Other projects' tool-use benchmarks: their tools and graders run in an interpreter of their own, behind a pipe."""
