"""Programs that run in the sandbox; they are read as text and never imported here."""
