"""Code that runs inside the sandbox before the agent's: handed to its interpreter as text, never imported there."""
