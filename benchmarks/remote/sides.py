"""The servers that `benchmarks.remote` compares, each in a process of its own: `python -m benchmarks.remote.sides SIDE
WHERE`, WHERE being the path of a unix socket or a port.

- ours: `agentgym serve` as it comes.
- openenv: OpenEnv's server of the same environment, whose `step` is synchronous: a thread a session.
- openenv-async: the same, the environment overriding `reset_async` and `step_async`: no threads.

Every side plays guess-number among 1 to 99, with seven tries.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import uvicorn

from agentgym.remote.server.app import create_app, serve
from agentgym.remote.settings import ServerConfig
from agentgym_dialogue.guessing.guess_number.env import GuessNumberEnv

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from openenv.core.env_server.http_server import create_fastapi_app  # type: ignore[import-untyped]
    from openenv.core.env_server.interfaces import Environment  # type: ignore[import-untyped]
    from openenv.core.env_server.types import Action, Observation, State  # type: ignore[import-untyped]

MAX_SESSIONS = 4096
OPTIONS: dict[str, Any] = {"min_numbers": 99, "max_numbers": 99, "highest": 99}


def make_env() -> GuessNumberEnv:
    """The game that all sides play."""
    return GuessNumberEnv(**OPTIONS)


class Guess(Action):  # type: ignore[misc]
    """A message, in a field named as ours is."""

    message: str


class Told(Observation):  # type: ignore[misc]
    """The answer."""

    text: str


class OpenEnvGuessNumber(Environment[Guess, Told, State]):  # type: ignore[misc]
    """The same environment for OpenEnv's server."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._env = make_env()
        self._state = State()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Told:
        """Start an episode."""
        observation, _info = self._env.reset(seed=seed)
        self._state = State(episode_id=episode_id, step_count=0)
        return Told(text=observation["text"])

    def step(self, action: Guess, timeout_s: float | None = None, **_: Any) -> Told:
        """Play a guess."""
        observation, reward, terminated, truncated, _info = self._env.step(action.message)
        self._state.step_count += 1
        return Told(text=observation["text"], reward=reward, done=terminated or truncated)

    @property
    def state(self) -> State:
        """Episode and steps."""
        return self._state


class OpenEnvGuessNumberAsync(OpenEnvGuessNumber):
    """The same on the event loop."""

    async def reset_async(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Told:
        """Start an episode."""
        return self.reset(seed, episode_id)

    async def step_async(self, action: Guess, timeout_s: float | None = None, **_: Any) -> Told:
        """Play a guess."""
        return self.step(action)


_OPENENV = {"openenv": OpenEnvGuessNumber, "openenv-async": OpenEnvGuessNumberAsync}
SIDES = ("ours", *_OPENENV)


def run(side: str, where: str) -> None:
    """Serve until the process is told to stop; says "ready" first."""
    is_path = where.startswith("/")
    if side == "ours":
        config = ServerConfig(
            uds=where if is_path else "", port=0 if is_path else int(where), max_sessions=MAX_SESSIONS
        )
        serve(create_app(make_env, config), lambda url: print("ready", flush=True))
        return
    app = create_fastapi_app(_OPENENV[side], Guess, Told, max_concurrent_envs=MAX_SESSIONS)
    app.router.on_startup.append(lambda: print("ready", flush=True))
    place: dict[str, Any] = {"uds": where} if is_path else {"host": "127.0.0.1", "port": int(where)}
    uvicorn.run(app, log_level="warning", backlog=4096, **place)


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2])
