"""Environments whose actions are tool calls."""

import agentgym  # noqa: F401 - first, since it reads `specs` of this package while it is imported
