"""Tasks of other projects' tool-use benchmarks: their tools and their verdicts, agentgym's loop around them.

The process that holds the benchmark is `pipe`, what answers in it is in `inside`, and what has to be installed is in
`peers`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentgym.action import Action
from agentgym.errors import ConfigError, TaskError
from agentgym.game import GameReply, Inbox
from agentgym.message import Message, ToolSchema, tool_result, user
from agentgym.reward import FORMAT, RewardEvent, replaced_weights
from agentgym.task import Limits, Task
from agentgym.tools import ToolGame
from agentgym.tools.game import calls_or_words
from agentgym_tools.adapters.peers import Peer, peer_named
from agentgym_tools.adapters.pipe import Pipe
from agentgym_tools.desks.references import call_score
from agentgym_tools.worlds.calls import Call

AGENT, USER = "agent", "user"
_MOST_PROCESSES = 8
"""Episodes at once: each has a process of its own, with the whole benchmark in its memory."""
_SPARE_S = 30.0
"""How much longer a rollout waits for a step than the pipe waits for one answer."""


class PeerGame(ToolGame):
    """Play a task of BFCL, AgentDojo, tau2-bench, ACEBench or AppWorld with their own tools, user turns and grader.

    The benchmark is installed by the user, into an interpreter of its own; nothing of it is part of agentgym.

    Observation:
        The benchmark's own instruction; then the results of calls as its tools give them, and the next turn of its
        user.
    Action:
        Calls of its tools, whose arguments it checks itself; or words, which end a turn (BFCL), are the final answer
        (AgentDojo), or are said to the user (tau2-bench, ACEBench).
    Reward:
        success: 1 if the benchmark's grader accepts the episode, else 0; its detail has the parts of that verdict.
        own_state: 1 if all changes of the reference were made, own_collateral: 1 if no other was; both compare net
        changes by content, weight 0. attack: 1 if an injected task was carried out, weight 0; only under an attack.
        call: how near a message's calls are to those of the reference that are left in this turn, in [-3, 3], as in
        ToolRL (Qian et al. 2025, arXiv 2504.13958), weight 0. format: -0.1 for a message that cannot be read.
    Termination:
        Where the benchmark ends an episode: after its last turn, the final answer, or a call that says so; the third
        invalid message of a role.
    Truncation:
        After as many messages as the benchmark allows, or 30; what is there is graded, and BFCL fails it.
    Info:
        The keys of `GameEnv`. The score is the benchmark's.
    Sandbox:
        A process of the interpreter that the user names; the benchmark's own code runs there, the agent's text does
        not.
    Source and licence:
        The adapter is agentgym's, Apache-2.0. Tools, tasks and graders are the benchmarks', under their licences.

    Example:
        cd(folder='reports') / mv(source='a.txt', destination='old') / Done. -> the next turn

    Args:
        env_id: The benchmark and the part of it, such as "bfcl/multi_turn_base" or "agentdojo/workspace".
        interpreter: The Python that has the benchmark; "" takes AGENTGYM_<BENCHMARK>_PYTHON.
        folder: The folder with the benchmark or its data, where it is on no package index; "" takes
            AGENTGYM_<BENCHMARK>_FOLDER.
        solo: Whether tau2-bench gives a ticket instead of a user, in the tasks that have one.
        attack: The name of an attack of AgentDojo; each user task is then played with each injection task.
        weights: Weights of reward components that replace the default ones.
        has_own_verdict: Whether our verdict is made too; it runs the reference once more.
        timeout_s: Wall time that the benchmark has for one answer.

    Raises:
        ConfigError: There is no interpreter or folder, or a component is unknown; says how they are made.
        UnknownNameError: There is no such benchmark.
    """

    roles: Sequence[str] = (AGENT, USER)
    max_calls = 64
    reward_weights: Mapping[str, float] = {
        "success": 1.0,
        FORMAT: 1.0,
        "own_state": 0.0,
        "own_collateral": 0.0,
        "attack": 0.0,
        "call": 0.0,
    }
    invalid_value = -0.1
    disclosed = {AGENT: ("turns",)}  # a request names much of what the reference's calls name

    def __init__(
        self,
        env_id: str,
        interpreter: str = "",
        folder: str = "",
        *,
        solo: bool = False,
        attack: str = "",
        weights: Mapping[str, float] | None = None,
        has_own_verdict: bool = True,
        timeout_s: float = 120.0,
    ) -> None:
        super().__init__()
        namespace, _, suite = env_id.partition("/")
        self.peer, self._id = peer_named(namespace), env_id
        self.roles = (AGENT, USER) if self.peer.has_user else (AGENT,)
        self.reward_weights = replaced_weights(type(self).reward_weights, weights)
        self._has_own_verdict, self._timeout_s = has_own_verdict, timeout_s
        self._stop = threading.Event()
        self.interpreter = _interpreter(self.peer, interpreter)
        settings = {"suite": suite, "folder": _folder(self.peer, folder), "solo": solo, "attack": attack}
        self.pipe = Pipe(
            self.interpreter,
            self.peer.name,
            settings,
            self.peer.remedy,
            timeout_s,
            is_stopped=self._stop.is_set,
        )
        self._listed: list[dict[str, Any]] | None = None
        self._readable: dict[str, list[ToolSchema]] = {}
        self._turn, self._left = 0, list[Call]()

    @property
    def num_tasks(self) -> int:  # type: ignore[override]  # the benchmark says it
        """How many tasks this part of the benchmark has."""
        return len(self._tasks)

    @property
    def capacity(self) -> int:
        """Processes with the benchmark in their memory."""
        return _MOST_PROCESSES

    @property
    def _tasks(self) -> list[dict[str, Any]]:
        if self._listed is None:
            self._listed = self.pipe.ask("tasks")
        return self._listed

    def make_task(self, seed: int) -> Task:
        """A task of the benchmark, in turn."""
        named = self._tasks[seed % len(self._tasks)]
        found = self.pipe.ask("task", task_id=named["id"])
        limits = Limits(max_turns=found["max_turns"], step_timeout_s=2 * self._timeout_s + _SPARE_S)
        return Task(
            f"{self._id}:{named['id']}",
            seed % len(self._tasks),
            instruction=found["instruction"],
            stratum=named["stratum"],
            config={"benchmark": self._id, "task": named["id"]},
            limits=limits,
            private={"turns": found["turns"]},
        )

    def begin(self, task: Task) -> Inbox:
        """Open the task in the benchmark."""
        if "task" not in task.config:
            raise TaskError(f"task {task.id!r} is none of {self._id}; expected one that it makes")
        self._stop.clear()
        opened = self.pipe.ask("open", task_id=task.config["task"])
        has_user = "agenda" in opened
        self.roles = (AGENT, USER) if has_user else (AGENT,)
        self.tools = {AGENT: opened["tools"]}
        if has_user:
            self.tools[USER] = opened["user_tools"]
        self._readable = {role: list(map(_readable, tools)) for role, tools in self.tools.items()}
        self._readable[AGENT] += map(_readable, opened.get("unlisted", ()))
        self._turn = -1
        self._take_turn()
        self.acting_role = USER if has_user else AGENT
        inbox = {AGENT: _said(opened["messages"])}
        return {**inbox, USER: _said([opened["agenda"], *opened["greeting"]])} if has_user else inbox

    def parse(self, role: str, text: str) -> Action:
        """Calls of the role's tools, whatever their arguments are, or what it says."""
        return calls_or_words(text, self._readable.get(role, ()))

    def respond(self, role: str, action: Action) -> GameReply:
        """Carry out all calls of the message in the benchmark, or say the message there."""
        if not action.tool_calls:
            return self.say(role, action)
        asked = [{"name": call.name, "arguments": call.arguments} for call in action.tool_calls]
        events = self._compared(role, asked)
        found = self.pipe.ask("calls", role=role, calls=asked)
        told: list[Message] = [
            tool_result(call.id, call.name, text)
            for call, text in zip(action.tool_calls, found["results"], strict=True)
        ]
        return self._reply({role: told}, events, is_over=found["is_over"])

    def say(self, role: str, action: Action) -> GameReply:
        """Words: they end the turn, answer the task, or go to the other side."""
        found = self.pipe.ask("say", role=role, text=action.content)
        if role == AGENT:
            self._take_turn()
        brought: list[ToolSchema] = found["tools"]
        if brought:
            self.tools = {**self.tools, AGENT: [*self.tools[AGENT], *brought]}
            known = {tool["function"]["name"] for tool in self._readable[AGENT]}
            self._readable[AGENT] += [_readable(tool) for tool in brought if tool["function"]["name"] not in known]
        other = AGENT if role == USER or USER not in self.roles else USER
        self.acting_role = other
        return self._reply({other: _said(found["messages"])}, [], is_over=found["is_over"])

    def grade(self) -> GameReply:
        """The benchmark's verdict on an episode that is cut."""
        return self._graded(is_cut=True)

    def interrupt(self) -> None:
        """Let the running step end its process."""
        self._stop.set()

    def close(self) -> None:
        """End the process."""
        self.pipe.close()

    def _reply(self, inbox: Inbox, events: list[RewardEvent], *, is_over: bool) -> GameReply:
        if not is_over:
            return GameReply(inbox, events)
        reply = self._graded(is_cut=False)
        reply.inbox, reply.events, reply.is_over = inbox, [*events, *reply.events], True
        return reply

    def _graded(self, *, is_cut: bool) -> GameReply:
        found = self.pipe.ask("grade", is_cut=is_cut, with_own=self._has_own_verdict)
        success, own = bool(found["success"]), found.get("own")
        events = [self._event("success", float(success), found["parts"])]
        if own is not None:
            events.append(self._event("own_state", float(own["state"]), {"missing": own["missing"]}))
            events.append(self._event("own_collateral", float(own["collateral"]), {"extra": own["extra"]}))
        if "attack" in found:
            events.append(self._event("attack", float(found["attack"])))
        if USER in self.roles:
            events.append(self.event(USER, "success", float(success)))
        scores = dict.fromkeys(self.roles, float(found["score"]))
        return GameReply(events=events, successes=dict.fromkeys(self.roles, success), scores=scores)

    def _take_turn(self) -> None:
        """Take the calls that the reference makes in the next turn."""
        assert self.task is not None
        self._turn += 1
        turns = self.task.private["turns"]
        calls = turns[self._turn]["calls"] if self._turn < len(turns) else []
        self._left = [Call(call["name"], call["arguments"]) for call in calls]

    def _compared(self, role: str, asked: Sequence[Mapping[str, Any]]) -> list[RewardEvent]:
        """How near the calls are to those of the reference that are left, where that is weighed."""
        if role != AGENT or not self.reward_weights["call"]:
            return []
        events = []
        for each in asked:
            call = Call(each["name"], each["arguments"])
            events.append(self._event("call", call_score(call, self._left)))
            if call in self._left:
                self._left.remove(call)
        return events

    def _event(self, component: str, value: float, detail: Mapping[str, Any] | None = None) -> RewardEvent:
        return self.event(AGENT, component, value)._replace(detail=detail, source="verifier")


def _interpreter(peer: Peer, named: str) -> str:
    found = named or os.environ.get(peer.interpreter_variable, "")
    if not found or not Path(found).is_file():
        raise ConfigError(
            f"{peer.title} runs in an interpreter of its own, named by the option interpreter or "
            f"{peer.interpreter_variable}: got {found!r}; make one with: {peer.remedy}"
        )
    return found


def _folder(peer: Peer, named: str) -> str:
    if not peer.in_folder:
        return named
    found = named or os.environ.get(peer.folder_variable, "")
    if not found or not Path(found).is_dir():
        raise ConfigError(
            f"{peer.title} lies in a folder of yours, named by the option folder or {peer.folder_variable}: got "
            f"{found!r}; the adapter is for {peer.version}"
        )
    return str(Path(found).resolve())


def _readable(tool: ToolSchema) -> ToolSchema:
    """A tool of which only the names matter: what arguments fit is the benchmark's to say."""
    function = tool["function"]
    names = function.get("parameters", {}).get("properties", {})
    parameters = {"type": "object", "properties": {name: {} for name in names}, "additionalProperties": True}
    return {"type": "function", "function": {"name": function["name"], "parameters": parameters}}


def _said(texts: Sequence[str]) -> list[Message]:
    return [user(text) for text in texts]
