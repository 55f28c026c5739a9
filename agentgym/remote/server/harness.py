"""Messages that OpenEnv does not have: requests of a harness to an environment other than steps.

The messages of OpenEnv are in `openenv`, those of MCP in `rpc`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from gymnasium.spaces import Dict

from agentgym.env import AgentEnv
from agentgym.picture import Image, data_url
from agentgym.remote.server.calls import Seat
from agentgym.remote.server.replies import own_frame
from agentgym.remote.server.requests import Refused, read_finalize, read_seed
from agentgym.remote.server.session import Fields, Send, Session
from agentgym.remote.wire import OURS, VERSION, public_task, step_fields


def answer(session: Session, data: Fields, send: Send) -> None:
    """Answer one message: `method`, and its parameters.

    Raises:
        Refused: It is malformed, or the method needs an episode and none is running.
    """
    method = data.get("method")
    handler = _METHODS.get(method) if isinstance(method, str) else None
    if handler is None:
        raise Refused.wrong(["method"], f"known methods: {', '.join(sorted(_METHODS))}", method)
    handler(session, {name: value for name, value in data.items() if name != "method"}, send)


def _hello(session: Session, data: Fields, send: Send) -> None:
    _refuse_more(data)

    def introduce(env: AgentEnv) -> bytes:
        about = {"version": VERSION, "env": session.host.name, "role": env.role, "tools": list(env.tools)}
        about |= {"reward_weights": dict(env.reward_weights), "invalid_value": env.invalid_value}
        space = env.observation_space
        about |= {"has_picture": isinstance(space, Dict) and "image" in space.spaces}
        return own_frame({**about, "deterministic": env.deterministic})

    session.perform("hello", session.seat.make, partial(session.answer, send, introduce))


def _ask(name: str, session: Session, data: Fields, send: Send) -> None:
    _refuse_more(data)
    question = getattr(session.running_env(), name)
    session.perform(name, question, partial(session.answer, send, lambda value: own_frame({name: value})))


def _screenshot(session: Session, data: Fields, send: Send) -> None:
    _refuse_more(data)

    def encode(shot: Image | None) -> bytes:
        return own_frame({"screenshot": None if shot is None else data_url(shot)})

    session.perform("screenshot", session.running_env().screenshot, partial(session.answer, send, encode))


def _make_task(session: Session, data: Fields, send: Send) -> None:
    seed = read_seed(data)
    if seed is None:
        raise Refused.wrong(["seed"], "a seed is an integer from 0", seed)

    def encode(task: Any) -> bytes:
        return own_frame({"task": public_task(task)})

    session.perform("make_task", lambda: session.seat.make().make_task(seed), partial(session.answer, send, encode))


def _finalize(session: Session, data: Fields, send: Send) -> None:
    reason = read_finalize(data)
    env = session.running_env()

    def encode(result: tuple[float, Fields]) -> bytes:
        reward, info = result
        return own_frame({"reward": reward, OURS: step_fields(info, reason != "cancelled")})

    session.perform("finalize", lambda: env.finalize(reason), partial(session.answer, send, encode))


def _fork(session: Session, data: Fields, send: Send) -> None:
    seed = read_seed(data)
    session.running_env()

    def encode(seat: Seat) -> bytes:
        try:
            twin = session.host.adopt(seat)
        except Refused as refusal:
            seat.close()
            return refusal.frame()
        finally:
            session.seat.twin = None
        twin.episode_id, twin.step_count, twin.limit_s = session.episode_id, session.step_count, session.limit_s
        return own_frame({"session_id": twin.id})

    session.perform("fork", partial(session.seat.fork, seed), partial(session.answer, send, encode))


def _interrupt(session: Session, data: Fields, send: Send) -> None:
    session.seat.give_up()


def _refuse_more(data: Fields) -> None:
    if data:
        raise Refused.unknown(sorted(data))


_METHODS: Mapping[str, Callable[[Session, Fields, Send], None]] = {
    "hello": _hello,
    "anchor": partial(_ask, "anchor"),
    "progress": partial(_ask, "progress"),
    "legal_actions": partial(_ask, "legal_actions"),
    "screenshot": _screenshot,
    "make_task": _make_task,
    "finalize": _finalize,
    "fork": _fork,
    "interrupt": _interrupt,
}
