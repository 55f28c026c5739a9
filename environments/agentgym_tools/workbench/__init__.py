"""A workbench: several requests in order over eight sets of tools, each request checked before the next one comes."""
