"""Policies: scripted, human, endpoints over HTTP, and models in this process.

What a policy is stands in `agentgym.policy`; only the files in `torch` import torch.
"""
