"""Environments of software engineering: work at a shell, on files and repositories."""
