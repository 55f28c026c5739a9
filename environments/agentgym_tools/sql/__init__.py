"""Sql-v0: questions and changes over generated databases, answered in SQL."""
