"""Policies: scripted, human, endpoints over HTTP, and models in this process.

`agentgym.policy` says what a policy is. Only the files in `torch` import torch.
"""
