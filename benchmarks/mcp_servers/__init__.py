"""The time that servers from PyPI take to start, in McpTools-v0."""
