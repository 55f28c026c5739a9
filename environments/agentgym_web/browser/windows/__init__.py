"""What belongs to one window beside its tabs: its downloads, and the change from one episode to the next."""
