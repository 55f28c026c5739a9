"""Web environments: real pages in a real browser."""
