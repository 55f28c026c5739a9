"""The program inside a sandbox that carries out commands, and how the host talks to it."""
