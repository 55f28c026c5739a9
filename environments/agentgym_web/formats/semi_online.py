"""WebTrace-v0: semi-online episodes on recorded pages.

How they go on, and what they are measured by, is in `agentgym.authoring.semi_online`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from agentgym.action import Action, ToolCall
from agentgym.authoring.semi_online import Course, what_follows
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ConfigError, TaskError
from agentgym.message import Message, tool_result, user
from agentgym.task import Task
from agentgym.tools.dispatch import parse_calls
from agentgym_web.env import action_tools
from agentgym_web.formats.traces import MAX_HTML, load_traces

_LOG = logging.getLogger(__name__)
EXAMPLE = Path(__file__).parent / "examples" / "traces.json"
"""The traces that are played where no file is named."""


class TraceEnv(AgentEnv):
    """Do what an expert did on recorded pages, step by step.

    Observation:
        The task, then the cleaned HTML of the recorded page. Elements have the recorded ids.
    Action:
        One of click("12"), fill("3", "Ada") and select_option("7", "Red"), with an id of the page.
    Reward:
        step: 1 / steps for a step that does what the expert did: the verb, one of the right elements, the text, case
        and spaces aside. The event of a patched step cuts credit (`CUTS_CREDIT`), so that methods that sum rewards over
        the future keep on their side of a patch. format: 0 with weight 1, -0.1 for a message without a valid action.
    Termination:
        The last step; a step that differs when no patch is left; the third invalid message. Success is a trace without
        a differing step, and the score is the share of steps before the first difference. So the mean score is PG and
        the success rate TSR of UI-S1's Semi-Online Performance.
    Truncation:
        After three more turns than the trace has steps.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
    Sandbox:
        None: pages are texts of the trace, and no browser runs.
    Source and licence:
        The environment is agentgym's, Apache-2.0, after UI-S1 (arXiv:2509.11543). Traces are the user's.

    Example:
        click("12") -> the expert's next page.

    Args:
        traces: A file of traces; "" for three small ones. Tasks made from seeds are its traces in turn.
        by_step: Whether each step is a task of its own.
        max_patches: How many differing steps are replaced by the expert's.
        max_html: Most characters of a page that are shown: of a longer one its head, and the part with a right element.
        leave_out: Whether steps without a right element that can be shown are left out instead of refused. How many
            there were is `num_steps_left_out`, and is logged.
        render_mode: As in Gymnasium.
    """

    reward_weights = {"step": 1.0, "format": 1.0}
    invalid_value = -0.1

    def __init__(
        self,
        traces: str = "",
        by_step: bool = False,
        max_patches: int = 0,
        max_html: int = MAX_HTML,
        render_mode: str | None = None,
        *,
        leave_out: bool = False,
    ) -> None:
        super().__init__(render_mode)
        if max_patches < 0 or max_html < 1:
            raise ConfigError(f"max_patches must be at least 0 and max_html at least 1: got {max_patches}, {max_html}")
        self._tasks, self.num_steps_left_out = load_traces(
            Path(traces or EXAMPLE), by_step=by_step, max_patches=max_patches, max_html=max_html, leave_out=leave_out
        )
        self.num_tasks = len(self._tasks)
        if self.num_steps_left_out:
            _LOG.warning("%s: %d steps without a right element are left out", traces, self.num_steps_left_out)
        self.tools = [
            tool for tool in action_tools(("click", "fill", "select_option")) if tool["function"]["name"] != "noop"
        ]
        self._course = Course(1, 0, 0)

    def make_task(self, seed: int) -> Task:
        """A trace of the file."""
        return self._tasks[seed % len(self._tasks)]

    def begin(self, task: Task) -> Sequence[Message]:
        """Show the first page, below the expert's steps before it."""
        steps = task.private.get("steps")
        if not steps or len(steps) != len(task.config.get("pages", ())):
            raise TaskError(f"task {task.id!r} has no steps; expected a task of load_traces")
        self._course = Course(len(steps), int(task.config["first"]), int(task.config["max_patches"]))
        done = [f"{number + 1}. {self._said(number, task)}" for number in range(self._course.at)]
        history = "Done so far:\n" + "\n".join(done) + "\n\n" if done else ""
        return [user(f"{task.instruction}\n\n{history}{self._page(task)}")]

    def anchor(self) -> str:
        """The step of the trace, the patches so far, the right steps so far, and the invalid messages so far."""
        return self._course.anchor(self.num_invalid)

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing is random."""
        return self.fork_by_copy(seed, self._tasks)

    def parse(self, text: str) -> Action:
        """One action in Python call syntax or as a tool call."""
        return parse_calls(text, self.tools)

    def respond(self, action: Action) -> EnvReply:
        """Compare the first call with the expert's step, and go on, patch, or end."""
        task = self.task
        assert task is not None
        at = self._course.at
        taken = self._course.take(agrees(action.tool_calls[0], task.private["steps"][at]))
        text = what_follows(taken, self._said(at, task), lambda: self._page(task))
        events = [self.event("step", taken.value, detail=taken.detail)]
        if not taken.is_over:
            return EnvReply(_answers(action, text), events)
        score = self._course.score
        return EnvReply(_answers(action, text), events, terminated=True, success=score == 1, score=score)

    def grade(self) -> EnvReply:
        """The share of steps before the first difference."""
        return EnvReply(success=False, score=self._course.score)

    def _page(self, task: Task) -> str:
        return str(task.config["pages"][self._course.at])

    def _said(self, number: int, task: Task) -> str:
        step = task.private["steps"][number]
        value = "" if step["verb"] == "click" else f", {step['value']!r}"
        return f"{step['verb']}({step['ids'][0]!r}{value})"


def _answers(action: Action, text: str) -> list[Message]:
    """A tool message for each call, of which only the first was compared."""
    first, *others = action.tool_calls
    skipped = [tool_result(call.id, call.name, "not done: one action a message") for call in others]
    return [tool_result(first.id, first.name, text), *skipped]


def agrees(call: ToolCall, step: object) -> bool:
    """Whether a call does what the expert's step did."""
    assert isinstance(step, dict)
    if call.name != step["verb"] or str(call.arguments.get("bid")) not in step["ids"]:
        return False
    if call.name == "click":
        return True
    said = call.arguments["value" if call.name == "fill" else "options"]
    if isinstance(said, list):
        said = said[0] if len(said) == 1 else ""
    return " ".join(str(said).casefold().split()) == " ".join(str(step["value"]).casefold().split())
