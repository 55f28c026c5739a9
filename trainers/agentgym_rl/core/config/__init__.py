"""The configuration that all learners share: the tables of a run beside `[algorithm]`, a file for each group of them.

The options of a learner are in its own folder; reading a file is in agentgym_rl/run/config.py.
"""
