"""The sites: small web applications that are generated whole, each with the tasks set on it."""
