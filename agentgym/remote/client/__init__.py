"""Clients that use environments of a server as local environments."""
