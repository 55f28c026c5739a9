"""Programs that run inside the sandbox: handed to its interpreter as text, never imported there.

They need nothing but Python's standard library and git.
"""
