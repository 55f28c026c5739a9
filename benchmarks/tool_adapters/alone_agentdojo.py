"""AgentDojo without the adapter, in its own interpreter: its pipeline around given calls, and its verdict.

The reference is played by its own ground-truth pipeline; other calls by an element that says them one by one.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Driver:
    """All user tasks."""

    VERBS = ("verdict",)

    def __init__(self, settings: dict[str, Any]) -> None:
        self._pipeline = import_module("agentdojo.agent_pipeline")
        self._suites = import_module("agentdojo.task_suite.load_suites").get_suites("v1.2.2")
        self._call = import_module("agentdojo.functions_runtime").FunctionCall
        self._types = import_module("agentdojo.types")

    def verdict(self, task_id: str, turns: list[dict[str, Any]] | None) -> bool:
        """The utility of the calls; None stands for the reference by its own pipeline."""
        name, _, task = task_id.partition("/")
        suite = self._suites[name]
        user_task = suite.user_tasks[task]
        if turns is None:
            player = self._pipeline.GroundTruthPipeline(user_task)
        else:
            said = self._element(turns[0])
            loop = self._pipeline.ToolsExecutionLoop([self._pipeline.ToolsExecutor(), said], max_iters=100)
            player = self._pipeline.AgentPipeline([self._pipeline.InitQuery(), said, loop])
        utility, _ = suite.run_task_with_pipeline(player, user_task, None, {})
        return bool(utility)

    def _element(self, turn: dict[str, Any]) -> Any:
        types, lines = self._types, [[each] for each in turn["calls"]] + [[]]
        made = [[self._call(function=call["name"], args=call["arguments"]) for call in line] for line in lines]

        class Said(self._pipeline.BasePipelineElement):  # type: ignore[name-defined, misc]
            """Says the next line."""

            def query(
                self, query: str, runtime: Any, env: Any = None, messages: Any = (), extra_args: Any = None
            ) -> tuple[Any, ...]:
                calls = made.pop(0) if len(made) > 1 else made[0]
                content = None if calls else [types.text_content_block_from_string(turn["say"])]
                said = types.ChatAssistantMessage(role="assistant", content=content, tool_calls=calls or None)
                return query, runtime, env, [*messages, said], extra_args or {}

        return Said()
