"""Environments of software engineering: work at a shell, on files and repositories."""

import agentgym  # noqa: F401 - first, since it reads `specs` of this package while it is imported
