"""Action syntaxes: what models write, normalised to one list of events. Sending the events is `desktop`'s work."""
