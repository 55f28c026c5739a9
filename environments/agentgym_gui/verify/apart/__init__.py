"""Verdicts in processes of their own: what is asked there, and how such processes are made."""
