"""AgentDojo's user tasks (agentdojo), alone or each with an injection task: its tools, its environment, its predicates.

Utility is what the user task says of the end. Security is what the injection task says: the attack was carried out.
"""

from __future__ import annotations

import time
import types
from importlib import import_module
from typing import Any

from .comparing import verdict, without_clock
from .contract import Driver as Base
from .contract import Refusal, plain, refuse_options, require

DISTRIBUTION, VERSION = "agentdojo", "0.1.35"
BENCHMARK = "v1.2.2"
ALL = "all"
MAX_TURNS = 30
"""Messages of an episode; its own loop gives up after 15 with calls, which is too few for its longest reference."""


class Driver(Base):
    """The user tasks of one suite, or of all four."""

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__(settings)
        refuse_options(settings, "attack")
        require(DISTRIBUTION, VERSION)
        self._suites: dict[str, Any] = import_module("agentdojo.task_suite.load_suites").get_suites(BENCHMARK)
        suite = settings["suite"]
        if suite not in (ALL, *self._suites):
            raise Refusal(f"there is no suite {suite!r}; expected {', '.join((ALL, *self._suites))}")
        self._names = list(self._suites) if suite == ALL else [suite]
        self._runtime = import_module("agentdojo.functions_runtime")
        self._executor = import_module("agentdojo.agent_pipeline.tool_execution").ToolsExecutor()
        self._types = import_module("agentdojo.types")
        self._attack = settings.get("attack") or ""
        self._attacks: dict[str, Any] = {}
        self._episode: Episode | None = None

    def tasks(self) -> list[dict[str, Any]]:
        """The user tasks by suite; under an attack, every pair of a user task and an injection task."""
        found = []
        for name in self._names:
            suite = self._suites[name]
            goals = [f"+{goal}" for goal in suite.injection_tasks] if self._attack else [""]
            found += [
                {"id": f"{name}/{task_id}{goal}", "stratum": name} for task_id in suite.user_tasks for goal in goals
            ]
        return found

    def task(self, task_id: str) -> dict[str, Any]:
        """A user task, with what solves it in its own environment."""
        suite, user_task, _ = self._parts(task_id)
        environment = user_task.init_environment(suite.load_and_inject_default_environment(self._injections(task_id)))
        calls = [
            {"name": call.function, "arguments": call.model_dump(mode="json")["args"]}
            for call in user_task.ground_truth(environment)
        ]
        turns = [{"calls": calls, "say": user_task.GROUND_TRUTH_OUTPUT}]
        return {"instruction": user_task.PROMPT, "turns": turns, "max_turns": MAX_TURNS}

    def open(self, task_id: str) -> dict[str, Any]:
        """Read the environment anew, with the attack's texts in it."""
        suite, user_task, _ = self._parts(task_id)
        environment = user_task.init_environment(suite.load_and_inject_default_environment(self._injections(task_id)))
        self._episode = Episode(task_id, environment, self._runtime.FunctionsRuntime(suite.tools))
        tools = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters.model_json_schema(),
                },
            }
            for tool in suite.tools
        ]
        return {"messages": [user_task.PROMPT], "tools": tools}

    def calls(self, role: str, calls: list[dict[str, Any]]) -> dict[str, Any]:
        """Its own executor runs the calls; an error takes the place of a result."""
        episode = self._now
        made = [self._runtime.FunctionCall(function=call["name"], args=call["arguments"]) for call in calls]
        said = self._types.ChatAssistantMessage(role="assistant", content=None, tool_calls=made)
        _, _, episode.environment, messages, _ = self._executor.query(
            "", episode.runtime, episode.environment, [*episode.messages, said]
        )
        answers = messages[len(episode.messages) + 1 :]
        episode.messages = list(messages)
        texts = [answer["error"] or self._types.get_text_content_as_str(answer["content"]) for answer in answers]
        return {"results": [plain(text) for text in texts], "is_over": False}

    def say(self, role: str, text: str) -> dict[str, Any]:
        """The final answer."""
        content = [self._types.text_content_block_from_string(text)]
        self._now.messages.append(self._types.ChatAssistantMessage(role="assistant", content=content, tool_calls=None))
        return {"messages": [], "tools": [], "is_over": True}

    def grade(self, is_cut: bool, with_own: bool) -> dict[str, Any]:
        """Its predicates on the environment before and after, the final answer and the calls."""
        episode = self._now
        suite, user_task, injection_task = self._parts(episode.task_id)
        said = [message for message in episode.messages if message["role"] == "assistant"]
        output = (said[-1]["content"] if said else None) or []
        trace = [call for message in said for call in message["tool_calls"] or ()]
        states = (episode.before, episode.environment)
        success = bool(suite._check_task_result(user_task, output, *states, trace))
        found: dict[str, Any] = {"success": success, "score": float(success), "parts": {"utility": success}}
        if injection_task is not None:
            attacked = bool(suite._check_task_result(injection_task, output, *states, trace))
            found["attack"] = attacked
            found["parts"]["security"] = attacked
        if with_own:
            found["own"] = self._own_verdict(episode)
        return found

    def _own_verdict(self, episode: Episode) -> dict[str, Any]:
        suite, user_task, _ = self._parts(episode.task_id)
        wanted = user_task.init_environment(
            suite.load_and_inject_default_environment(self._injections(episode.task_id))
        )
        runtime = self._runtime.FunctionsRuntime(suite.tools)
        for call in user_task.ground_truth(wanted):
            runtime.run_function(wanted, call.function, call.args)
        states = [state.model_dump(mode="json") for state in (episode.before, episode.environment, wanted)]
        return verdict(*(without_clock(state, episode.since) for state in states))

    @property
    def _now(self) -> Episode:
        assert self._episode is not None
        return self._episode

    def _parts(self, task_id: str) -> tuple[Any, Any, Any]:
        """Suite, user task, and injection task or None."""
        name, _, rest = task_id.partition("/")
        task, _, goal = rest.partition("+")
        suite = self._suites[name]
        return suite, suite.user_tasks[task], suite.injection_tasks[goal] if goal else None

    def _injections(self, task_id: str) -> dict[str, str]:
        """The texts that the attack plants for a pair."""
        name = task_id.partition("/")[0]
        suite, user_task, injection_task = self._parts(task_id)
        if injection_task is None:
            return {}
        if name not in self._attacks:
            self._attacks[name] = self._make_attack(suite)
        found: dict[str, str] = self._attacks[name].attack(user_task, injection_task)
        return found

    def _make_attack(self, suite: Any) -> Any:
        import_module("agentdojo.attacks")
        registry = import_module("agentdojo.attacks.attack_registry")
        known = sorted(registry.ATTACKS)
        if self._attack not in known:
            raise Refusal(f"there is no attack {self._attack!r}; expected {', '.join(known)}")
        try:
            return registry.load_attack(self._attack, suite, types.SimpleNamespace(name="local"))
        except ValueError as error:
            raise Refusal(f"the attack {self._attack!r} cannot be made: {error}") from error


class Episode:
    """The environment of one episode, as it was and as it is.

    Args:
        task_id: Of the task.
        environment: Read anew.
        runtime: Runs its tools.
    """

    def __init__(self, task_id: str, environment: Any, runtime: Any) -> None:
        self.task_id, self.environment, self.runtime = task_id, environment, runtime
        self.before = environment.model_copy(deep=True)
        self.messages: list[Any] = []
        self.since = time.time()
