"""Packages of others in which faults are planted: pinned, fetched, prepared as read-only layers, and edited."""
