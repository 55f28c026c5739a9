"""Environments that run elsewhere, as environments here."""
