"""tau2-bench: its tools, policies and evaluator; a user in prose is played by whoever has that role.

Written against the interface of tau2 1.0.1. In solo mode a ticket takes the user's place, in the tasks that have one.
Assertions that a model would have to judge are left out of the verdict, and the verdict says so.
"""

from __future__ import annotations

import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from .comparing import verdict
from .contract import AGENT, Refusal, plain, refuse_options, require
from .contract import Driver as Base

DISTRIBUTION, VERSION = "tau2", "1.0.1"
MAX_TURNS = 100
DONE = "done"
STOP = "###STOP###"
STOPS = (STOP, "###TRANSFER###", "###OUT-OF-SCOPE###")
"""With any of these in it, a message of the user ends the talk."""
CALLS_ONLY = f"Only calls are read here. Call {DONE}() when the ticket is settled."
_DOMAINS = {"telecom_full": "telecom", "telecom_small": "telecom"}
_DONE_TOOL = {
    "type": "function",
    "function": {
        "name": DONE,
        "description": "Say that the ticket is settled.",
        "parameters": {"type": "object", "properties": {}},
    },
}


class Driver(Base):
    """The tasks of one task set."""

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__(settings)
        refuse_options(settings, "folder", "solo")
        require(DISTRIBUTION, VERSION)
        _require_folder(Path(settings["folder"]))
        os.environ["TAU2_DATA_DIR"] = str(Path(settings["folder"]) / "data")
        self._is_solo = bool(settings.get("solo"))
        self._registry = import_module("tau2.registry").registry
        self._messages = import_module("tau2.data_model.message")
        suite = settings["suite"]
        if suite not in self._registry.get_task_sets():
            raise Refusal(f"there is no task set {suite!r}; expected {', '.join(self._registry.get_task_sets())}")
        self._domain = _DOMAINS.get(suite, suite)
        tasks = self._registry.get_tasks_loader(suite)()
        self._tasks = {str(task.id): task for task in tasks if not self._is_solo or _has_ticket(task)}
        if not self._tasks:
            raise Refusal(f"no task of {suite} has a ticket, so none can be played solo; leave out the option solo")
        self._episode: Episode | None = None

    def tasks(self) -> list[dict[str, Any]]:
        """The tasks in order."""
        return [{"id": task_id, "stratum": self._domain} for task_id in self._tasks]

    def task(self, task_id: str) -> dict[str, Any]:
        """A task; its reference is the agent's part, and in solo mode all of it."""
        task = self._tasks[task_id]
        wanted = task.evaluation_criteria
        actions = (wanted.actions if wanted else None) or []
        calls = [
            {"name": action.name, "arguments": dict(action.arguments)}
            for action in actions
            if self._is_solo or action.requestor == "assistant"
        ]
        told = ", ".join((wanted.communicate_info if wanted else None) or []) or "Done."
        if self._is_solo:
            calls.append({"name": DONE, "arguments": {}})
        instruction = str(task.ticket) if self._is_solo else ""
        return {"instruction": instruction, "turns": [{"calls": calls, "say": told}], "max_turns": MAX_TURNS}

    def open(self, task_id: str) -> dict[str, Any]:
        """Make the environment in the task's first state."""
        task = self._tasks[task_id]
        self._episode = episode = Episode(self._messages, task, self._environment(task, is_solo=self._is_solo))
        env, agents = episode.env, import_module("tau2.agent.llm_agent")
        tools = [tool.openai_schema for tool in env.get_tools()]
        own = [tool.openai_schema for tool in env.get_user_tools()] if env.user_tools is not None else []
        if self._is_solo:
            rules = agents.AGENT_SOLO_INSTRUCTION.format(stop_function_name=DONE, stop_token=STOP)
            told = agents.SYSTEM_PROMPT_SOLO.format(
                agent_instruction=rules, domain_policy=env.get_policy(), ticket=task.ticket
            )
            return {"messages": [told], "tools": [*tools, *own, _DONE_TOOL]}
        told = agents.SYSTEM_PROMPT.format(agent_instruction=agents.AGENT_INSTRUCTION, domain_policy=env.get_policy())
        guidelines = import_module("tau2.user.user_simulator").get_global_user_sim_guidelines(use_tools=bool(own))
        agenda = f"{guidelines.replace('<PERSONA_GUIDELINES>', '')}\n\n<scenario>\n{task.user_scenario}\n</scenario>"
        greeting = import_module("tau2.orchestrator.orchestrator").DEFAULT_FIRST_AGENT_MESSAGE
        episode.messages.append(greeting)
        before = [f"{message.role}: {message.content}" for message in episode.history if message.content]
        return {
            "messages": [told, *before],
            "tools": tools,
            "agenda": agenda,
            "greeting": [*before, str(greeting.content)],
            "user_tools": own,
        }

    def calls(self, role: str, calls: list[dict[str, Any]]) -> dict[str, Any]:
        """Its environment carries out the calls of a message."""
        episode = self._now
        if self._is_solo and any(call["name"] == DONE for call in calls):
            episode.messages.append(self._messages.AssistantMessage(role="assistant", content=STOP))
            episode.ended_by = "agent_stop"
            return {"results": ["" for _ in calls], "is_over": True}
        return {"results": [plain(text) for text in episode.make(role, calls)], "is_over": False}

    def say(self, role: str, text: str) -> dict[str, Any]:
        """Words for the other side; those of the user may end the talk."""
        episode = self._now
        if self._is_solo:
            return {"messages": [CALLS_ONLY], "tools": [], "is_over": False}
        if role == AGENT:
            episode.messages.append(self._messages.AssistantMessage(role="assistant", content=text))
            return {"messages": [text], "tools": [], "is_over": False}
        episode.messages.append(self._messages.UserMessage(role="user", content=text))
        is_over = any(stop in text for stop in STOPS)
        if is_over:
            episode.ended_by = "user_stop"
        return {"messages": [text], "tools": [], "is_over": is_over}

    def grade(self, is_cut: bool, with_own: bool) -> dict[str, Any]:
        """Its evaluator on what was said and called."""
        episode = self._now
        task, left_out = _without_judge(episode.task)
        evaluator = import_module("tau2.evaluator.evaluator")
        found = evaluator.evaluate_simulation(
            simulation=self._simulation(episode, is_cut=is_cut),
            task=task,
            evaluation_type=evaluator.EvaluationType.ALL,
            solo_mode=self._is_solo,
            domain=self._domain,
        )
        parts = {str(getattr(name, "value", name)): value for name, value in (found.reward_breakdown or {}).items()}
        if left_out:
            parts["NL_ASSERTION"] = "left out: it needs a model"
        own = self._own_verdict(episode) if with_own else None
        return {"success": found.reward == 1.0, "score": float(found.reward), "parts": parts, "own": own}

    def _simulation(self, episode: Episode, *, is_cut: bool) -> Any:
        simulations = import_module("tau2.data_model.simulation")
        reason = episode.ended_by if not is_cut and episode.ended_by else "max_steps"
        return simulations.SimulationRun(
            id="agentgym",
            task_id=episode.task.id,
            start_time="",
            end_time="",
            duration=0.0,
            termination_reason=simulations.TerminationReason(reason),
            messages=episode.messages,
        )

    def _own_verdict(self, episode: Episode) -> dict[str, Any]:
        wanted = self._environment(episode.task, is_solo=False)
        criteria = episode.task.evaluation_criteria
        for action in (criteria.actions if criteria else None) or []:
            try:
                wanted.make_tool_call(tool_name=action.name, requestor=action.requestor, **action.arguments)
            except Exception:  # noqa: BLE001, S112 - some references hold calls that fail; they change nothing
                continue
            wanted.sync_tools()
        return verdict(episode.before, _state(episode.env), _state(wanted))

    def _environment(self, task: Any, *, is_solo: bool) -> Any:
        env = self._registry.get_env_constructor(self._domain)(solo_mode=is_solo)
        start = task.initial_state
        env.set_state(
            initialization_data=start.initialization_data if start else None,
            initialization_actions=start.initialization_actions if start else None,
            message_history=(start.message_history if start else None) or [],
        )
        return env

    @property
    def _now(self) -> Episode:
        assert self._episode is not None
        return self._episode


class Episode:
    """What was said and called in one episode.

    Args:
        kinds: The peer's classes of messages.
        task: The task.
        env: The environment, in the task's first state.
    """

    def __init__(self, kinds: Any, task: Any, env: Any) -> None:
        self._kinds, self.task, self.env = kinds, task, env
        self.history = list((task.initial_state.message_history if task.initial_state else None) or [])
        self.messages = list(self.history)
        self.before = _state(env)
        self.ended_by = ""

    def make(self, role: str, calls: list[dict[str, Any]]) -> list[str]:
        """Carry out the calls of one message; their results as texts."""
        requestor = "assistant" if role == AGENT else "user"
        start = len(self.messages)
        made = [
            self._kinds.ToolCall(
                id=f"{start}-{number}", name=call["name"], arguments=call["arguments"], requestor=requestor
            )
            for number, call in enumerate(calls)
        ]
        kind = self._kinds.AssistantMessage if role == AGENT else self._kinds.UserMessage
        self.messages.append(kind(role=requestor, content=None, tool_calls=made))
        answers = [self.env.get_response(call) for call in made]
        self.messages += answers
        return [answer.content or "" for answer in answers]


def _state(env: Any) -> dict[str, Any]:
    kits = {"assistant": env.tools, "user": env.user_tools}
    return {
        name: kit.db.model_dump(mode="json")
        for name, kit in kits.items()
        if kit is not None and getattr(kit, "db", None) is not None
    }


def _has_ticket(task: Any) -> bool:
    return bool(task.ticket and task.evaluation_criteria and task.evaluation_criteria.actions)


def _without_judge(task: Any) -> tuple[Any, bool]:
    """The task without what a model would have to judge, and whether there was such a part."""
    basis = task.evaluation_criteria.reward_basis if task.evaluation_criteria else []
    kept = [part for part in basis if str(getattr(part, "value", part)) != "NL_ASSERTION"]
    if len(kept) == len(basis):
        return task, False
    found = task.model_copy(deep=True)
    found.evaluation_criteria.reward_basis = kept
    return found, True


def _require_folder(folder: Path) -> None:
    project = folder / "pyproject.toml"
    if not (folder / "data" / "tau2" / "domains").is_dir() or not project.is_file():
        raise Refusal(f"{folder} is no checkout of tau2-bench: it lacks data/tau2/domains or pyproject.toml")
    found = re.search(r'^version\s*=\s*"([^"]+)"', project.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None or found[1] != VERSION:
        raise Refusal(f"{folder} has tau2-bench {found[1] if found else 'of no version'}; expected {VERSION}")
