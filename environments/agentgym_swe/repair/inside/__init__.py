"""Programs that run inside sandboxes, where agentgym is not installed; they are sent there as text.

They import the standard library and pytest alone.
"""
