"""WebTrace-v0: semi-online episodes on recorded traces (Lu et al. 2025, UI-S1, arXiv:2509.11543), and their measures.

While the agent does what the expert did, it sees what the expert saw next, and its own messages stay in its history.
Where it differs, the expert's step takes the place of its own (a patch), as often as the task allows; then the episode
ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Self

from agentgym.action import Action, ToolCall
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ConfigError, TaskError
from agentgym.message import Message, tool_result, user
from agentgym.reward import CUTS_CREDIT, RewardEvent
from agentgym.task import Task
from agentgym.tools.dispatch import parse_calls
from agentgym_web.env import action_tools
from agentgym_web.formats.traces import load_traces

EXAMPLE = Path(__file__).parent / "examples" / "traces.json"
"""The traces that are played where no file is named."""


def semi_online_performance(successes: Sequence[float], scores: Sequence[float]) -> float:
    """SOP, as UI-S1's published evaluation computes it: the mean of TSR and PG.

    Args:
        successes: Of each trace, the share of its episodes without a differing step; their mean is TSR.
        scores: Of each trace, the mean share of steps before the first that differs; their mean is PG.
    """
    return (fmean(successes) + fmean(scores)) / 2


MEASURES: Mapping[str, Callable[[Sequence[float], Sequence[float]], float]] = {"SOP": semi_online_performance}
"""What evaluations report beside success and score."""


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
        max_html: Most characters of a page that are shown.
        render_mode: As in Gymnasium.
    """

    reward_weights = {"step": 1.0, "format": 1.0}
    invalid_value = -0.1

    def __init__(
        self,
        traces: str = "",
        by_step: bool = False,
        max_patches: int = 0,
        max_html: int = 60_000,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode)
        if max_patches < 0 or max_html < 1:
            raise ConfigError(f"max_patches must be at least 0 and max_html at least 1: got {max_patches}, {max_html}")
        self._tasks = load_traces(Path(traces or EXAMPLE), by_step=by_step, max_patches=max_patches)
        self.num_tasks = len(self._tasks)
        self._max_html = max_html
        self.tools = [
            tool for tool in action_tools(("click", "fill", "select_option")) if tool["function"]["name"] != "noop"
        ]
        self._at = self._num_patches = self._num_right = 0

    def make_task(self, seed: int) -> Task:
        """A trace of the file."""
        return self._tasks[seed % len(self._tasks)]

    def begin(self, task: Task) -> Sequence[Message]:
        """Show the first page, below the expert's steps before it."""
        steps = task.private.get("steps")
        if not steps or len(steps) != len(task.config.get("pages", ())):
            raise TaskError(f"task {task.id!r} has no steps; expected a task of load_traces")
        self._at, self._num_patches, self._num_right = int(task.config["first"]), 0, 0
        done = [f"{number + 1}. {self._said(number, task)}" for number in range(self._at)]
        history = "Done so far:\n" + "\n".join(done) + "\n\n" if done else ""
        return [user(f"{task.instruction}\n\n{history}{self._page(task)}")]

    def anchor(self) -> str:
        """The step of the trace, the patches so far, the right steps so far, and the invalid messages so far."""
        return f"{self._at}, {self._num_patches} patched, {self._num_right} right, {self.num_invalid} invalid"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing is random."""
        return self.fork_by_copy(seed, self._tasks)

    def parse(self, text: str) -> Action:
        """One action in Python call syntax or as a tool call."""
        return parse_calls(text, self.tools)

    def respond(self, action: Action) -> EnvReply:
        """Compare the first call with the expert's step, and go on, patch, or end."""
        assert self.task is not None
        steps, call = self.task.private["steps"], action.tool_calls[0]
        num_steps = len(steps) - int(self.task.config["first"])
        is_right = agrees(call, steps[self._at])
        if is_right and not self._num_patches:
            self._num_right += 1
        is_patched = not is_right and self._num_patches < int(self.task.config["max_patches"])
        event = self.event("step", is_right / num_steps, detail={"agrees": is_right, CUTS_CREDIT: is_patched})
        if not is_right and not is_patched:
            return self._end([event], action, f"The expert did: {self._said(self._at, self.task)}", num_steps)
        note = f"Instead, this was done: {self._said(self._at, self.task)}\n\n" if is_patched else ""
        self._num_patches += is_patched
        self._at += 1
        if self._at == len(steps):
            return self._end([event], action, f"{note}The trace has ended.", num_steps)
        return EnvReply(_answers(action, note + self._page(self.task)), [event])

    def grade(self) -> EnvReply:
        """The share of steps before the first difference."""
        assert self.task is not None
        num_steps = len(self.task.private["steps"]) - int(self.task.config["first"])
        return EnvReply(success=False, score=self._num_right / num_steps)

    def _end(self, events: list[RewardEvent], action: Action, text: str, num_steps: int) -> EnvReply:
        score = self._num_right / num_steps
        return EnvReply(_answers(action, text), events, terminated=True, success=score == 1, score=score)

    def _page(self, task: Task) -> str:
        page = str(task.config["pages"][self._at])
        return page if len(page) <= self._max_html else f"{page[: self._max_html]}\n(the rest of the page is left out)"

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
