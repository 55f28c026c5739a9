"""The environment contract: `AgentEnv`, its replies, and its counts of turns.

Games of several roles are in `agentgym.game`, tool dispatch in `agentgym.tools`; concurrency belongs to rollout.
"""

from agentgym.env.agent_env import AgentEnv
from agentgym.env.books import Books, Phase
from agentgym.env.reply import (
    CUT_EXPLANATION,
    CutMessage,
    EnvReply,
    require_events,
    require_messages,
    require_reply,
    require_whole,
    wrong_return,
)
from agentgym.env.running import describe_running
from agentgym.env.seeded import Observation, wanted_task

__all__ = [
    "CUT_EXPLANATION",
    "AgentEnv",
    "Books",
    "CutMessage",
    "EnvReply",
    "Observation",
    "Phase",
    "describe_running",
    "require_events",
    "require_messages",
    "require_reply",
    "require_whole",
    "wanted_task",
    "wrong_return",
]
