"""What environment packages share besides the contract: task files, players, cheats, hindsight, long outputs."""
