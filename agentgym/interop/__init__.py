"""Bridges to the formats of other frameworks: reading their tasks, writing what they read.

The environment that a task names runs it; nothing here grades.
"""

from agentgym.interop.harbor import HarborOptions, load_harbor, load_harbor_tasks, prepare_image

__all__ = ["HarborOptions", "load_harbor", "load_harbor_tasks", "prepare_image"]
