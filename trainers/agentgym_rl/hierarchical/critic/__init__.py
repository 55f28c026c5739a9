"""The critic of turns: its network, its targets and its updates."""
