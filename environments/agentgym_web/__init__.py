"""Environments in which an agent works in a browser, and the sites made for them."""
