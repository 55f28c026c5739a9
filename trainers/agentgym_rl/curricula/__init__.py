"""Curricula: which tasks are played, from where, how long and with what help; each part is a file of its name.

How groups are collected is in `agentgym.rollout`, dynamic sampling in `trainer.py`.
"""
