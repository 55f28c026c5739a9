"""Commands, leases, resets and crowds of sandboxes, beside the engine's SDK and command line."""
