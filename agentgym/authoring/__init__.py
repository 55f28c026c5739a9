"""What environment packages share beside the contract: task files, players, cheats, hindsight, long outputs."""
