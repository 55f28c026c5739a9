"""Tools that models call: schemas from functions, and environments and games whose messages are tool calls.

How a message is read as calls is in `agentgym.action`, how arguments are checked in `agentgym.arguments`.
"""

from agentgym.tools.env import ToolEnv, said
from agentgym.tools.game import ToolGame
from agentgym.tools.tool import Tool, tool, tool_schema

__all__ = ["Tool", "ToolEnv", "ToolGame", "said", "tool", "tool_schema"]
