"""What a sandbox leaves on the machine: who owns it, where its files lie, and who removes it."""
