"""Policies that pick among listed actions: discrete soft actor-critic."""
