"""GuiTrace-v0: semi-online episodes on recorded graphical interfaces.

How they go on is in `agentgym.authoring.semi_online`, files are read by `files`, and steps compared by `matching`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self

from agentgym.action import Action
from agentgym.authoring.semi_online import Course, what_follows
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ConfigError, TaskError
from agentgym.message import Message, tool_result, user
from agentgym.picture import with_pictures
from agentgym.task import Task
from agentgym_gui.actions.events import GRID, Frame
from agentgym_gui.actions.syntaxes import syntax_named
from agentgym_gui.traces.acts import acts_of
from agentgym_gui.traces.files import TOUCH, Options, acts_at, boxes_of, elements_of, frame_of, load_traces, tasks_of
from agentgym_gui.traces.matching import agree
from agentgym_gui.traces.pictures import Picture, read_picture
from agentgym_gui.traces.screens import draw_trace

Coordinates = Literal["pixels", "grid"]


class GuiTraceEnv(AgentEnv):
    """Do what an expert did on recorded screens, step by step.

    Observation:
        The goal, then the recorded screen: its text, or a line for each element with id, role and name; and its
        picture, if the trace has one that can be read.
    Action:
        A message in the action syntax, such as click("7") or pyautogui.click(640, 400). All its actions together are
        the step.
    Reward:
        step: 1 / steps for a step that does what the expert did. A click is right in the smallest box that holds the
        expert's point. The event of a patched step cuts credit (`CUTS_CREDIT`), so that methods that sum rewards over
        the future keep on their side of a patch. format: -0.1 for a message without a valid action.
    Termination:
        The last step; a step that differs when no patch is left; the third invalid message. Success is a trace without
        a differing step, and the score is the share of steps before the first difference. So the mean score is PG and
        the success rate TSR of UI-S1's Semi-Online Performance.
    Truncation:
        After three more turns than the trace has steps.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
    Sandbox:
        None: screens are texts and pictures of the trace, and no application runs.
    Source and licence:
        The environment and the suite gui/traces are agentgym's, Apache-2.0, after UI-S1 (arXiv:2509.11543). Other
        traces are the user's.

    Example:
        click("7") -> the expert's next screen.

    Args:
        traces: A file of traces; "" for generated ones.
        by_step: Whether each step of a trace is a task of its own.
        max_patches: How many differing steps are replaced by the expert's, in traces of a file or of a seed.
        images: The folder of the pictures; "" for that of the file.
        syntax: The action syntax; "" for that of the file, or our own tools.
        coordinates: Whether coordinates are pixels of the picture or on a grid from 0 to 1000.
        places: Whether the lines of elements have their places.
        instructions: Whether the recorded instruction of each step is shown.
        max_text: Most characters of a screen's text that are shown.
        render_mode: As in Gymnasium.
    """

    reward_weights = {"step": 1.0, "format": 1.0}
    invalid_value = -0.1

    def __init__(
        self,
        traces: str = "",
        by_step: bool = False,
        max_patches: int = 0,
        images: str = "",
        syntax: str = "",
        *,
        coordinates: Coordinates = "pixels",
        places: bool = False,
        instructions: bool = False,
        max_text: int = 20_000,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode)
        if max_patches < 0 or max_text < 1 or coordinates not in ("pixels", "grid"):
            raise ConfigError(
                f"expected max_patches from 0, max_text from 1, and coordinates pixels or grid; got {max_patches}, "
                f"{max_text} and {coordinates!r}"
            )
        if images and not traces:
            raise ConfigError("images is the folder of the pictures of a file of traces: name the file with traces=…")
        self._options = Options(by_step, max_patches, Path(images) if images else None)
        self._tasks = load_traces(Path(traces), self._options) if traces else []
        self.num_tasks = len(self._tasks) or None
        self._syntax = syntax_named(syntax or (self._tasks[0].config["syntax"] if self._tasks else "tools"))
        self.tools = self._syntax.tools
        self._is_grid, self._has_places = coordinates == "grid", places
        self._has_instructions, self._max_text = instructions, max_text
        self._course = Course(1, 0, 0)
        self._picture: Picture | None = None

    def make_task(self, seed: int) -> Task:
        """A trace of the file, or a generated one."""
        if self._tasks:
            return self._tasks[seed % len(self._tasks)]
        drawn = tasks_of(draw_trace(random.Random(seed)), f"seed {seed}", seed, Path(), self._options)
        return drawn[seed % len(drawn)]

    def begin(self, task: Task) -> Sequence[Message]:
        """Show the first screen, below the expert's steps before it."""
        steps = task.private.get("steps")
        if not steps or len(steps) != len(task.config.get("screens", ())):
            raise TaskError(f"task {task.id!r} has no steps; expected a task of load_traces or of gui/traces")
        self._course = Course(len(steps), int(task.config.get("first", 0)), int(task.config.get("max_patches", 0)))
        done = [f"{number + 1}. {self._said(number, task)}" for number in range(self._course.at)]
        history = "Done so far:\n" + "\n".join(done) + "\n\n" if done else ""
        guide = f"{self._syntax.guide}\n\n" if self._syntax.guide else ""
        text = f"{guide}{task.instruction}\n\n{history}{self._show(task)}"
        return [self._with_picture(user(text))]

    def anchor(self) -> str:
        """The step of the trace, the patches so far, the right steps so far, and the invalid messages so far."""
        return self._course.anchor(self.num_invalid)

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing is random."""
        return self.fork_by_copy(seed, self._tasks, self._syntax, self.tools)

    def parse(self, text: str) -> Action:
        """The message with its tool calls, if its syntax has tools; `respond` reads what it does."""
        return self._syntax.action(text)

    def respond(self, action: Action) -> EnvReply:
        """Compare what the message does with the expert's step, and go on, patch, or end."""
        task = self.task
        assert task is not None
        at = self._course.at
        config, screen = task.config, task.config["screens"][at]
        sent = self._syntax.parse(action.text, self._frame(task), elements_of(screen))
        acts = acts_of(sent, self._syntax.name in TOUCH)
        boxes, size = boxes_of(screen, task.private["steps"][at]), (int(config["width"]), int(config["height"]))
        taken = self._course.take(agree(acts, acts_at(config, task.private, at), boxes, size))
        text = what_follows(taken, self._said(at, task), lambda: self._show(task))
        events = [self.event("step", taken.value, detail=taken.detail)]
        if not taken.is_over:
            return EnvReply(self._answers(action, text), events)
        self._picture = None
        score = self._course.score
        return EnvReply(self._answers(action, text), events, terminated=True, success=score == 1, score=score)

    def grade(self) -> EnvReply:
        """The share of steps before the first difference."""
        return EnvReply(success=False, score=self._course.score)

    def _frame(self, task: Task) -> Frame:
        """What coordinates mean now: the picture's pixels where it has another size than the screen."""
        frame = frame_of(task.config)
        if self._is_grid:
            return replace(frame, grid=GRID)
        if self._picture is not None and self._picture.size is not None:
            width, height = self._picture.size
            return replace(frame, scale_x=width / frame.width, scale_y=height / frame.height)
        return frame

    def _show(self, task: Task) -> str:
        """The text of the screen; its picture is remembered for the message."""
        screen = task.config["screens"][self._course.at]
        path = screen.get("picture")
        self._picture = read_picture(Path(path)) if path else None
        lines = [str(screen["text"])] if "text" in screen else self._lines(screen)
        if path and self._picture is None:
            lines.append("(The picture of this step is missing.)")
        text = "\n".join(lines) or ("" if self._picture else "(Nothing was recorded of this screen.)")
        if len(text) > self._max_text:
            text = f"{text[: self._max_text]}\n(the rest of the screen is left out)"
        instruction = screen.get("instruction") if self._has_instructions else None
        return f"{text}\n\nNow: {instruction}" if instruction else text

    def _lines(self, screen: Mapping[str, Any]) -> list[str]:
        """The title, and a line for each element that has a name."""
        lines = [f'window "{screen["title"]}"'] if "title" in screen else []
        for name, (x, y, width, height, *named) in screen.get("elements", {}).items():
            place = f" at {x},{y} {width}x{height}" if self._has_places else ""
            state = "".join(f" {each}" for each in named[2:])
            lines += [f'{name} {named[0]} "{named[1]}"{state}{place}'] if named else []
        return lines

    def _said(self, number: int, task: Task) -> str:
        """The expert's step: its own message where the syntax is the same, else in a few words."""
        if task.config["syntax"] == self._syntax.name and not self._is_grid:
            return str(task.private["steps"][number]["said"])
        return ", ".join(str(act) for act in acts_at(task.config, task.private, number))

    def _answers(self, action: Action, text: str) -> list[Message]:
        """The answer: to the last call of a message with calls, the others being told that they were read."""
        if not action.tool_calls:
            return [self._with_picture(user(text))]
        *others, last = action.tool_calls
        read = [tool_result(call.id, call.name, "read") for call in others]
        return [*read, self._with_picture(tool_result(last.id, last.name, text))]

    def _with_picture(self, message: Message) -> Message:
        return with_pictures(message, [self._picture.url]) if self._picture is not None else message
