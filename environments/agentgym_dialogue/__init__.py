"""Dialogue games."""
