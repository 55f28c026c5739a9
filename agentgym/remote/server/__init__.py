"""Serves environments to clients of OpenEnv's protocol."""
