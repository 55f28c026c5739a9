"""Serves environments to clients of the OpenEnv wire."""
