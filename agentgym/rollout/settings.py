"""How episodes are collected: concurrency, limits, retries, and what happens to cut messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from agentgym.errors import ConfigError
from agentgym.policy import Sampling
from agentgym.prompting.history import parse_history
from agentgym.ranges import POSITIVE, SHARE, Range, Ranged
from agentgym.rollout.ray_hosts import HostSettings


@dataclass(frozen=True)
class RolloutSettings(Ranged):
    """How episodes are collected."""

    sampling: Sampling = field(default_factory=Sampling)
    """How messages are drawn."""
    max_concurrent: Annotated[int, Range(1)] = 256
    """Episodes in flight at once."""
    env_threads: Annotated[int, Range(1)] = 128
    """Threads for environment calls."""
    max_context: Annotated[int | None, Range(2)] = None
    """Largest prompt plus message in tokens; None takes the policy's."""
    history: str = "full"
    """History policy: "full", "last:N" (turns) or "tokens:N"."""
    retries: Annotated[int, Range(0)] = 2
    """How often an episode that failed because of the infrastructure is played again with the same seed."""
    is_lockstep: bool = False
    """Whether to ask the policy only when no environment call is running, so that batches depend only on the seed."""
    cut_messages: Literal["invalid", "play"] = "invalid"
    """Whether a message that the token limit cut is an invalid action or played as it is."""
    max_fault_share: Annotated[float, SHARE] = 0.1
    """If the share of episodes without reward exceeds this (from 20 episodes on), the run stops with an error."""
    record_anchors: bool = False
    """Whether each turn records the environment's anchor."""
    record_progress: bool = False
    """Whether each turn records the progress of its state, and a truncated episode the progress at its end."""
    record_legal_actions: bool = False
    """Whether each turn records the actions that the environment lists, and a truncated episode those at its end."""
    record_screenshots: bool = False
    """Whether each turn records what a person would have seen of its state, and each episode its end. It is kept in the
    run and shown on the report page, and no policy gets it."""
    record_final_prompt: bool = False
    """Whether a truncated episode records its final observation as prompt ids, for bootstrapping."""
    step_timeout_s: Annotated[float | None, POSITIVE] = None
    """Time limit of an environment call; None takes the task's."""

    runtime: str = ""
    """Where each environment runs: "local", or sandboxes of "docker", "bubblewrap" or "process"; "" is its default."""
    hosts: HostSettings = field(default_factory=HostSettings)
    """Where the environments run: in this process, or on the nodes of a Ray cluster."""

    def __post_init__(self) -> None:
        super().__post_init__()
        parse_history(self.history)
        if self.cut_messages not in ("invalid", "play"):
            raise ConfigError(f"rollout.cut_messages must be 'invalid' or 'play': got {self.cut_messages!r}")
