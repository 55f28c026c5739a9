"""Environments written with the openenv package, and its server of them in a thread."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager

import uvicorn
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.mcp_types import (
    CallToolAction,
    CallToolObservation,
    ListToolsAction,
    ListToolsObservation,
    Tool,
    ToolError,
    ToolErrorType,
)
from openenv.core.env_server.types import Action, Observation, State

RELEASED = threading.Event()
"""Lets steps go that wait."""


class CountAction(Action):
    word: str


class CountObservation(Observation):
    told: str


class CountEnv(Environment):
    """Counts words to a goal; gives the reward at the end alone, None before."""

    SUPPORTS_CONCURRENT_SESSIONS = True
    pays = True

    def __init__(self):
        super().__init__()
        self._state = State(episode_id=None, step_count=0)

    def reset(self, seed=None, episode_id=None, goal=2, **_):
        self.goal = goal
        self._state = State(episode_id=episode_id, step_count=0)
        return CountObservation(told=f"count to {goal} with seed {seed}", metadata={"goal": goal})

    def step(self, action, timeout_s=None, **_):
        if action.word == "crash":
            raise RuntimeError("crashed")
        if action.word == "wait":
            RELEASED.wait(60)
        self._state.step_count += 1
        done = self._state.step_count >= self.goal
        return CountObservation(told=action.word, done=done, reward=1.0 if done and self.pays else None)

    @property
    def state(self):
        return self._state


class FreeEnv(CountEnv):
    """Never gives a reward."""

    pays = False


class ToolBoxEnv(Environment):
    """Acts by OpenEnv's tool calls."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed=None, episode_id=None, **_):
        return Observation()

    def step(self, action, timeout_s=None, **_):
        schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        if isinstance(action, ListToolsAction):
            return ListToolsObservation(tools=[Tool(name="shout", description="Shouts.", input_schema=schema)])
        text = action.arguments["text"]
        if text == "bad":
            fault = ToolError(error_type=ToolErrorType.EXECUTION_ERROR, message="no shouting")
            return CallToolObservation(tool_name="shout", error=fault, reward=0.0)
        return CallToolObservation(tool_name="shout", result=text.upper(), reward=0.5, done=text == "end")

    @property
    def state(self):
        return State()


WORDS = (CountAction, CountObservation)
TOOLS = (CallToolAction, CallToolObservation)


@contextmanager
def waiting():
    """Steps that wait do so until the block ends."""
    RELEASED.clear()
    try:
        yield
    finally:
        RELEASED.set()


@contextmanager
def serving(env, action_cls, observation_cls):
    app = create_fastapi_app(env, action_cls, observation_cls, max_concurrent_envs=8)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, ws_ping_interval=None))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(60)
