"""agentgym: train and evaluate LLM agents in web, GUI, tool-use, software and dialogue environments.

Importing it registers its environments with Gymnasium and imports no torch, browser or container client.
"""

from agentgym import errors
from agentgym.action import Action, ToolCall
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ActionSyntaxError, AgentGymError
from agentgym.game import Game, GameEnv, GameReply
from agentgym.message import Message, ToolSchema, text_of
from agentgym.outcome import Outcome
from agentgym.policy import Policy, Reply, Request, Sampling, Script, ScriptFactory
from agentgym.registration import EnvSpec, make, make_game, register, register_own, spec, specs
from agentgym.reward import RewardEvent
from agentgym.suite import Suite, load_suite, register_suites, suite_names
from agentgym.task import Limits, Task
from agentgym.tools import ToolEnv, ToolGame, tool, tool_schema
from agentgym.trajectory import Group, Segment, Trajectory, Turn
from agentgym.wrappers.gymnasium_env import TextView, make_from_gymnasium
from agentgym.wrappers.role_view import RoleView

__version__ = "0.1.0"

__all__ = [
    "Action",
    "ActionSyntaxError",
    "AgentEnv",
    "AgentGymError",
    "EnvReply",
    "EnvSpec",
    "Game",
    "GameEnv",
    "GameReply",
    "Group",
    "Limits",
    "Message",
    "Outcome",
    "Policy",
    "Reply",
    "Request",
    "RewardEvent",
    "RoleView",
    "Sampling",
    "Script",
    "ScriptFactory",
    "Segment",
    "Suite",
    "Task",
    "TextView",
    "ToolCall",
    "ToolEnv",
    "ToolGame",
    "ToolSchema",
    "Trajectory",
    "Turn",
    "errors",
    "load_suite",
    "make",
    "make_from_gymnasium",
    "make_game",
    "register",
    "register_own",
    "register_suites",
    "spec",
    "specs",
    "suite_names",
    "text_of",
    "tool",
    "tool_schema",
]

register_own()
