"""Programs that run in the sandbox; they are laid out there as files and never imported here."""
