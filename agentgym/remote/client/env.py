"""`RemoteEnv`: an environment behind any OpenEnv server, as an `AgentEnv`.

`talk` sends messages and receives replies. `foreign` interprets the messages of other servers.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, Self

from agentgym.action import Action
from agentgym.env import AgentEnv, CutMessage, EnvReply, Observation, require_whole, wanted_task
from agentgym.errors import (
    ActionSyntaxError,
    ContractError,
    InfrastructureError,
    StepTimeoutError,
    TaskError,
)
from agentgym.message import Message, text_of, user
from agentgym.outcome import CutReason, Outcome
from agentgym.picture import Image, read_image
from agentgym.remote.client.foreign import RETURN, ForeignActions, ForeignServer, get_schema
from agentgym.remote.client.talk import NotOurs, Talk
from agentgym.remote.settings import ClientSettings
from agentgym.remote.wire import OURS, read_info, read_task, task_fields
from agentgym.reward import FORMAT, weighted_sum
from agentgym.spaces import observations
from agentgym.task import Limits, Task

_PATIENCE_S = 60.0


class RemoteEnv(AgentEnv):
    """An environment behind an OpenEnv server.

    With an agentgym server it behaves as the environment does in process: observations, rewards with their events,
    outcome, tools, anchors, forks. With any other server, `actions` declares how the agent's message becomes an action.
    The turn limit is then the task's or the declared one. `info["reward"]` keeps a reward of None, and
    `info["reward_is_missing"]` is set. An episode that never got a reward ends as an infrastructure failure, not with
    a score of zero.

    Args:
        url: http(s)://HOST:PORT, ws(s)://HOST:PORT or unix:PATH.
        token: Sent as a bearer token; "" sends none.
        actions: The form of actions and observations of a server that is not an agentgym server.
        settings: Limits.
        sends_private_tasks: Whether tasks of suites are sent with their private part. By default the client sends id
            and content hash, and the server reads the task from its own copy of the suite.
        session_id: Session to go on with; "" opens a new one.
        render_mode: None or "ansi".

    Raises:
        ConfigError: The address is malformed, or the server refuses the token.
        InfrastructureError: The server cannot be reached or is full.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str = "",
        actions: ForeignActions | None = None,
        settings: ClientSettings | None = None,
        sends_private_tasks: bool = False,
        session_id: str = "",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode)
        self.url, self.settings = url, settings or ClientSettings()
        self._declared = actions or ForeignActions()
        self._sends_private = sends_private_tasks
        self._talk = Talk(url, token, self.settings, is_cancelled=lambda: self.is_interrupted, on_end=self._end)
        self._foreign: ForeignServer | None = None
        self._connect(session_id)
        self.grades_cuts = self.is_ours  # OpenEnv has no message for it

    @property
    def is_ours(self) -> bool:
        """Whether the server is an agentgym server, which transfers everything."""
        return self._foreign is None

    # Gymnasium's interface.

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode, and connect again if the connection was lost. See `AgentEnv.reset`."""
        if not self._talk.is_open:
            self._connect("")
        self.start_over(seed)
        task = wanted_task(options)
        fields: dict[str, Any] = {} if seed is None else {"seed": seed}
        if self._foreign is not None:
            return self._reset_foreign(self._foreign, seed, task)
        if task is not None:
            fields["task"] = task if isinstance(task, str) else task_fields(task, with_private=self._sends_private)
        data = self._ask_anew("reset", fields)
        ours = data["observation"].pop(OURS)
        self.task = task if isinstance(task, Task) else read_task(ours["task"])
        info = read_info(ours)
        messages = self._begun(info["messages"])
        self.tools = self._own("hello")["tools"]  # a task may bring its own
        return data["observation"], {"messages": messages, "task_id": self.task.id, **info}

    def step(self, action: str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play one message of the agent. See `AgentEnv.step`.

        Raises:
            ResetNeeded: No episode is running.
            CancelledEpisode: `interrupt` was called.
            InfrastructureError: The connection is lost, or the server failed; the episode is not graded.
        """
        self.books.require_running("step")
        self.check_interrupt()
        if self._foreign is not None:
            return self._step_foreign(self._foreign, action)
        fields: dict[str, Any] = {"message": action}
        if type(action) is CutMessage:
            fields["was_cut"] = True
        data = self._ask("step", fields)
        ours = data["observation"].pop(OURS)
        info = read_info(ours)
        self._note(info)
        truncated = ours["truncated"]
        return data["observation"], data["reward"], data["done"] and not truncated, truncated, info

    def close(self) -> None:
        """Close the connection; a second call does nothing."""
        self._talk.close()

    # The harness's interface beyond Gymnasium.

    def finalize(self, reason: CutReason) -> tuple[float, dict[str, Any]]:
        """Close and grade a running episode that the harness cut. See `AgentEnv.finalize`."""
        self.books.require_running("finalize")
        if self._foreign is not None:
            if reason == "cancelled":
                return super().finalize(reason)
            self.books.phase = "ended"
            return 0.0, {"reward_events": (), **self._foreign.verdict(Outcome("truncated", reason))}
        data = self._own("finalize", reason=reason)
        info = read_info(data[OURS])
        del info["messages"]
        self.books.phase = "ended"
        return data["reward"], info

    def interrupt(self) -> None:
        """End the running step, or the next one; the connection to a server that does not react is closed."""
        super().interrupt()
        self._talk.interrupt(is_ours=self.is_ours)

    def anchor(self) -> str | None:
        """The environment's anchor; None with other servers."""
        if not self.is_ours:
            return None
        anchor: str | None = self._own("anchor")["anchor"]
        return anchor

    def progress(self) -> float | None:
        """The environment's progress; None with other servers."""
        if not self.is_ours:
            return None
        progress: float | None = self._own("progress")["progress"]
        return progress

    def legal_actions(self) -> Sequence[str] | None:
        """The environment's legal actions; None with other servers."""
        if not self.is_ours:
            return None
        actions: list[str] | None = self._own("legal_actions")["legal_actions"]
        return actions

    def screenshot(self) -> Image | None:
        """The environment's screenshot; None with other servers and after the end."""
        is_there = self.is_ours and self.books.phase == "running"
        url: str | None = self._own("screenshot")["screenshot"] if is_there else None
        return None if url is None else read_image(url)

    def fork(self, seed: int | None = None) -> Self:
        """A copy that continues from the present state, in a new session on the same server. See `AgentEnv.fork`."""
        if self._foreign is not None:
            raise NotImplementedError(f"the server at {self._talk.address} is none of ours and cannot fork")
        session_id = self._own("fork", **({} if seed is None else {"seed": seed}))["session_id"]
        twin = self._join(session_id)
        twin.task, twin.books, twin.last_messages = self.task, copy.deepcopy(self.books), self.last_messages
        return twin

    def make_task(self, seed: int) -> Task:
        """The public part of the task that the environment makes from a seed."""
        if self._foreign is not None:
            return Task(f"remote:{seed}", seed, limits=Limits(max_turns=self._declared.max_turns))
        if not self._talk.is_open:
            self._connect("")
        return read_task(self._own("make_task", seed=seed)["task"])

    def begin(self, task: Task) -> Sequence[Message]:
        """Not used: the server plays."""
        self._not_here()

    def respond(self, action: Action) -> EnvReply:
        """Not used: the server plays."""
        self._not_here()

    # Messages.

    def _join(self, session_id: str) -> Self:
        """Another environment of this kind, on an open session of the same server."""
        return type(self)(
            self.url,
            token=self._talk.token,
            actions=self._declared,
            settings=self.settings,
            sends_private_tasks=self._sends_private,
            session_id=session_id,
        )

    def _move(self, url: str) -> None:
        """Connect to another server from the next reset on."""
        self._talk.move(url)
        self.url = url

    def _connect(self, session_id: str) -> None:
        self._talk.open(session_id)
        self._foreign = None
        try:
            about = self._introduce()
        except BaseException:
            self._talk.close()
            raise
        if about is None:
            return
        self.role, self.tools = about["role"], about["tools"]
        self.reward_weights, self.invalid_value = about["reward_weights"], about["invalid_value"]
        self.observation_space = observations(about.get("has_picture", False))

    def _introduce(self) -> dict[str, Any] | None:
        """The server's description of its environment; None for other servers, which are asked in their own way."""
        try:
            return self._own("hello")
        except NotOurs:
            self._meet_foreign()
            return None

    def _own(self, method: str, **fields: Any) -> dict[str, Any]:
        return self._ask(OURS, {"method": method, **fields})

    def _ask(self, kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
        """Send a message and wait for its reply's data."""
        return self._talk.ask(kind, data, self._patience_s())

    def _ask_anew(self, kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
        """As `_ask`, over a new connection if the server has closed the old one, by which nothing is lost."""
        try:
            return self._ask(kind, data)
        except StepTimeoutError:
            raise
        except InfrastructureError:
            if self._talk.is_open:
                raise
            self._connect("")
            return self._ask(kind, data)

    def _patience_s(self) -> float:
        """The longest wait for a reply: a little more than the server gives the environment, unless it was set."""
        if self.settings.reply_timeout_s is not None:
            return self.settings.reply_timeout_s
        return max(_PATIENCE_S, self.task.limits.step_timeout_s if self.task else 0.0) + _PATIENCE_S

    def _end(self) -> None:
        """The running episode cannot go on."""
        self.books.phase = "ended"

    # Episodes on agentgym servers.

    def _begun(self, messages: Sequence[Message]) -> Sequence[Message]:
        self.last_messages = messages
        self.books.phase = "running"
        return messages

    def _note(self, info: Mapping[str, Any]) -> None:
        self.books.turns[self.role] += 1
        self.books.num_invalid[self.role] += info["is_invalid"]
        self.last_messages = info["messages"]
        if "outcome" in info:
            self.books.phase = "ended"

    def _not_here(self) -> NoReturn:
        raise ContractError("the environment is played by its server; call reset() and step()")

    # Other servers.

    def _meet_foreign(self) -> None:
        self._foreign = ForeignServer(self._declared, get_schema(self._talk.address, self._talk.token, self.settings))
        self.tools = self._foreign.list_tools(self._ask)
        self.reward_weights = {RETURN: 1.0, FORMAT: 1.0}

    def _reset_foreign(
        self, foreign: ForeignServer, seed: int | None, task: Task | str | None
    ) -> tuple[Observation, dict[str, Any]]:
        if isinstance(task, str):
            raise TaskError(f"the server at {self._talk.address} is none of ours and knows no task ids; give it a Task")
        self.task = task or self.make_task(0 if seed is None else seed)
        text, info = foreign.begin(self._ask_anew, seed, task)
        messages = self._begun([user(text)])
        return {"text": text}, {"messages": messages, "task_id": self.task.id, "reward_events": (), **info}

    def _step_foreign(self, foreign: ForeignServer, text: str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        is_invalid, is_over = False, False
        more: dict[str, Any] = {}
        try:
            require_whole(text)
            replies, rewards, is_over, more = foreign.play(self._ask, text, self.tools)
            messages, events = list(map(user, replies)), [self.event(RETURN, reward) for reward in rewards]
        except ActionSyntaxError as refusal:
            is_invalid = True
            reply = self.refuse(refusal)
            messages, events = list(reply.messages), list(reply.events)
        info = {"messages": messages, "reward_events": events, "turn": self.turn, "is_invalid": is_invalid, **more}
        outcome = self.outcome_after(EnvReply(terminated=is_over), is_invalid)
        if outcome is not None:
            info |= foreign.verdict(outcome)
            self.books.phase = "ended"
        self.books.turns[self.role] += 1
        self.last_messages = messages
        truncated = outcome is not None and outcome.kind == "truncated"
        terminated = outcome is not None and not truncated
        reward = weighted_sum(events, self.reward_weights)
        return {"text": text_of(messages)}, reward, terminated, truncated, info
