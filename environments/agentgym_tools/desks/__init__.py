"""Desks: an agent serves a customer who talks, by tools that read and change a world, under a policy drawn per task.

What all desks share is here; each desk is a folder that supplies a `domain.Domain`.
"""
