"""Variants of right answers about articles, databases and numbers, for the benchmark `question_tasks`."""
