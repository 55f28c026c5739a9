"""Policies: scripted, human, endpoints over HTTP, and models in this process.

What a policy is stands in `agentgym.policy`; torch is imported by `torch_policy` and the files beside it alone.
"""
