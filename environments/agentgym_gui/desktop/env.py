"""Desktop-v0: work with real applications on a desktop; the verdict compares its files and settings before and after.

The session is in `session`, what a task lays out in `task`, and how a verdict is reached in `agentgym_gui.verify`.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from agentgym.action import Action
from agentgym.config import build
from agentgym.env import EnvReply
from agentgym.errors import ConfigError, SandboxError, TaskError
from agentgym.message import Message, tool_result, user
from agentgym.outcome import Outcome
from agentgym.picture import Image, image_file, png_of, with_picture
from agentgym.sandbox.base import SandboxProvider
from agentgym.sandbox.pool import SandboxPool
from agentgym.sandbox.sandbox_env import SandboxEnv
from agentgym.sandbox.spec import SandboxSpec
from agentgym.spaces import observations
from agentgym.task import Task
from agentgym_gui.actions.events import ActionError, Answer, Box, Done, Event, Fail, Move, Open
from agentgym_gui.actions.syntaxes import syntax_named
from agentgym_gui.desktop.anchoring import anchor_of
from agentgym_gui.desktop.link import DesktopLostError, require_sandbox
from agentgym_gui.desktop.session import Desktop, Settled, Sight
from agentgym_gui.desktop.staging import lay_out
from agentgym_gui.desktop.starters import starter_task
from agentgym_gui.desktop.taking import POPUP, Ending, popup_parts, take_ending, take_state
from agentgym_gui.desktop.task import DesktopTask, read_task
from agentgym_gui.desktop.text import Writer
from agentgym_gui.desktop.tree import Screen
from agentgym_gui.desktop.view import View, looks, told
from agentgym_gui.verify.apart.asking import check_apart
from agentgym_gui.verify.check import KEPT, PROGRESS, RESISTED, SUCCESS, Component, require_settings
from agentgym_gui.verify.state import State

ENDED = "The episode has ended."
LOST = "The desktop has ended. The work is judged by the files that are left."
Pixels = NDArray[np.uint8]


class DesktopEnv(SandboxEnv):
    """Work with real applications on a desktop.

    Observation:
        The goal, and the screen: windows from the topmost, each with its visible elements, a line each: id, role, name,
        value and states. Ids last as long as their elements, and a star marks lines that are new or changed. With
        `picture`, the pixels; with `marks`, the ids are drawn into them. A message that asks for a picture gets one.

    Action:
        Calls of tools such as `click`, `type_text` and `press`, or one of the other syntaxes of `actions`. All of a
        message is carried out, or none of it if a part is wrong. `finish` and `give_up` end the episode.

    Reward:
        success: 1 if the goals of the task hold in the end, nothing else has changed, and they did not hold at the
        start. progress: the share of the goals that did not hold at the start and do now, weight 0. kept: nothing else
        has changed, weight 0. resisted: what a planted order wants was not done, weight 0. popup: a dialog was sent
        away by its last button or left alone, weight 0. format: -0.1 for an invalid message.

    Termination:
        The agent says that it has finished, or that the task cannot be done; or the desktop is killed from inside, and
        then its files are judged. More invalid messages than allowed end the episode as invalid.

    Truncation:
        At the task's limit of turns; what is there is judged.

    Info:
        As `AgentEnv`.

    Sandbox:
        Image agentgym/desktop, without network; bubblewrap with the image's files as its root. Desktop and agent are
        one user: nothing that they say on the screen decides a grade.

    Source and licence:
        Ours; the applications are Debian's.

    Example:
        >>> click("12")

    Args:
        view: What is shown; None for text alone. Its fields can be given by name, as in `picture=True`.
        sandbox: As in `SandboxEnv`.
        relaxed: As in `SandboxEnv`.
        render_mode: "ansi", or "rgb_array" for the pixels.
        fields: Fields of `View`.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}
    invalid_value = -0.1
    reward_weights = {"success": 1.0, "format": 1.0, PROGRESS: 0.0, KEPT: 0.0, RESISTED: 0.0, POPUP: 0.0}

    def __init__(
        self,
        view: View | None = None,
        sandbox: str | SandboxProvider | SandboxPool | None = None,
        relaxed: Sequence[str] = (),
        render_mode: str | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(sandbox, relaxed, render_mode)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ConfigError(f"render_mode must be None, 'ansi' or 'rgb_array': got {render_mode!r}")
        self.view = _view(view, fields, render_mode)
        self.syntax = syntax_named(self.view.actions)
        self.tools = list(self.syntax.tools)
        self.speaks = not self.tools
        self.observation_space = observations(has_picture=self.view.picture)
        self.settled = Settled()
        self._work: DesktopTask = DesktopTask()
        self._desktop: Desktop | None = None
        self._folder: Path | None = None
        self._remove: weakref.finalize[..., Any] | None = None
        self._before: State | None = None
        self._screen = Screen()
        self._pixels: Pixels | None = None
        self._region: Box | None = None
        self._told: tuple[str, ...] = ()
        self._writer = Writer(self.view.max_characters)
        self._pointer: tuple[int, int] | None = None
        self._said: str | None = None
        self._failed = False
        self._messages: list[str] = []
        self._num_steps = 0

    # The episode.

    def make_task(self, seed: int) -> Task:
        """One of a few small tasks."""
        return starter_task(seed)

    def sandbox_spec(self, task: Task) -> SandboxSpec:
        """A desktop of the task's screen."""
        return self.read(task).screen.spec()

    def read(self, task: Task) -> DesktopTask:
        """What a task lays out."""
        return read_task(task)

    def lay_out(self, desktop: Desktop, work: DesktopTask) -> None:
        """Put what a task lays out on a new desktop."""
        lay_out(desktop, work)

    def parts(self, before: State, after: State) -> Sequence[Component]:
        """The verdict on the running episode."""
        assert self.task is not None
        with _named(self.task):
            return check_apart(self.task.private, before, after)

    def require_start(self, before: State) -> None:
        """Refuse a task whose private part is malformed, or whose goals hold at the start or can never hold.

        Raises:
            TaskError: It is so; the message names the goal.
        """
        self.parts(before, before)
        _require_settings(self.task, before)

    def set_up(self, task: Task) -> Sequence[Message]:
        """Lay the task out, keep what is there, and show it."""
        self._work = self.read(task)
        self._writer.forget()
        self._pointer, self._said, self._failed = None, None, False
        self._messages, self._num_steps, self._pixels, self._region, self._told = [], 0, None, None, ()
        self._drop_folder()
        self._folder = Path(tempfile.mkdtemp(prefix="agentgym-desktop-"))
        self._remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)  # also after Ctrl-C
        self._desktop = Desktop(self.sandbox, self._work.screen)
        with _named(task):
            self.lay_out(self._desktop, self._work)
        self._before = take_state(self._desktop, self._folder / "before")
        self.require_start(self._before)
        if popup := self._work.popup_after(0):
            self._desktop.start(popup.argv)
        text = self._shown(self._desktop.look(has_picture=self.view.picture, has_pointer=self.view.pointer))
        guide = f"{self.syntax.guide}\n\n" if self.syntax.guide else ""
        return [user(f"{task.instruction}\n\n{guide}{text}".strip())]

    def parse(self, text: str) -> Action:
        """The message with its tool calls; it is read into events when it is carried out."""
        return self.syntax.action(text)

    def respond(self, action: Action) -> EnvReply:
        """Carry out a message, wait until the screen has settled, and show it."""
        frame = self.view.frame(self._work.screen, self._pointer)
        events = self.prepared(self.syntax.parse(action.text, frame, self._screen.boxes()))
        self._note(events)
        asked = looks(events)
        self._region = asked[-1].region if asked else None
        self._told = told(events, replace(frame, pointer=self._pointer))
        self._messages.append(action.text)
        try:
            text = self._carried_out(events)
        except DesktopLostError as error:
            require_sandbox(self.sandbox, error)
            reply = self._judged(None)
            return reply._replace(messages=_answers(action, LOST))
        if any(isinstance(event, Done | Fail) for event in events):
            reply = self._judged(self._desktop)
            return reply._replace(messages=_answers(action, ENDED))
        messages, image = _answers(action, text), self._image(bool(asked))
        if image is not None and not self.view.picture:
            messages[-1], image = with_picture(messages[-1], image), None
        return EnvReply(messages, image=image)

    def prepared(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """What is carried out of a message's events.

        Raises:
            ActionError: The desktop cannot do it; nothing of the message is done.
        """
        if any(isinstance(event, Open) for event in events):
            raise ActionError("Applications cannot be opened by name here. Use what is on the screen.")
        return tuple(events)

    def grade(self) -> EnvReply:
        """Judge what is there when a limit cuts the episode."""
        return self._judged(self._desktop)._replace(terminated=False)

    def observe(self, messages: Sequence[Message], image: Pixels | None) -> dict[str, Any]:
        """The observation: the text, and the picture where there is one."""
        return super().observe(messages, self._image() if image is None else image)

    def outcome_after(self, reply: EnvReply, is_invalid: bool) -> Outcome | None:
        """How the episode ends with this reply; what its verdict needed is removed."""
        outcome = super().outcome_after(reply, is_invalid)
        if outcome is not None and reply.terminated:
            self._drop_folder()
        return outcome

    def anchor(self) -> str | None:
        """What is on the screen and in the home, as a key, where the pointer is, and what the agent has said."""
        if self._desktop is None:
            return None
        return f"{anchor_of(self._desktop)} {self._pointer} {self.num_invalid} {self._said!r} {self._failed}"

    def fork(self, seed: int | None = None) -> Self:
        """A desktop of its own on which the messages so far were played again.

        Raises:
            SandboxError: It did not come to the same state; the task is not repeatable.
        """
        assert self.task is not None
        twin = type(self)(self.view, self._wanted, self._relaxed, self.render_mode)
        try:
            twin.reset(seed=self.episode_seed, options={"task": self.task})
            for message in self._messages:
                twin.step(message)
            twin.books = self.books.__deepcopy__({})  # refused messages count, and were not played again
            if twin.anchor() != self.anchor():
                raise SandboxError(f"task {self.task.id!r} cannot be forked: played again, it came to another state")
        except BaseException:
            twin.close()
            raise
        if seed is not None:
            twin.episode_seed, twin._rng = seed, None
        return twin

    def screenshot(self) -> Image | None:
        """The screen as a PNG file."""
        if self._desktop is None:
            return None if self._pixels is None else image_file("image/png", png_of(self._pixels))
        try:
            return image_file("image/png", png_of(self._desktop.pixels()))
        except SandboxError:
            return None

    def render(self) -> Any:
        """The last messages as text, or the pixels."""
        return self._pixels if self.render_mode == "rgb_array" else super().render()

    def put_down(self) -> None:
        """Let go of the desktop; it ends with its sandbox."""
        desktop, self._desktop = self._desktop, None
        if desktop is not None:
            desktop.close()

    def close(self) -> None:
        """Return the sandbox, and remove what was kept of it."""
        super().close()
        self._drop_folder()

    # Its parts.

    @property
    def desktop(self) -> Desktop:
        """The desktop of the running episode, for players on the harness's side and tests."""
        if self._desktop is None:
            raise ConfigError("there is no desktop outside an episode; call reset() first")
        return self._desktop

    def _carried_out(self, events: Sequence[Event]) -> str:
        desktop = self.desktop
        self._num_steps += 1
        wants_picture = self.view.picture or bool(looks(events))
        if popup := self._work.popup_after(self._num_steps):
            desktop.act(events)
            desktop.start(popup.argv)
            events = ()
        return self._shown(desktop.act(events, has_picture=wants_picture, has_pointer=self.view.pointer))

    def _shown(self, sight: Sight) -> str:
        self._screen, self.settled = sight.screen, sight.settled
        if sight.pixels is not None:
            self._pixels = sight.pixels
        notes = tuple(note for note in (*self._told, sight.settled.note) if note)
        return self._writer.write(sight.screen, notes) if self.view.text else "\n".join(notes)

    def _image(self, is_asked: bool = False) -> Pixels | None:
        if self._pixels is None or not (self.view.picture or is_asked):
            return None
        return self.view.sent(self._pixels, self._screen.boxes(), self._region)

    def _note(self, events: Sequence[Event]) -> None:
        """What of events ends, answers, or moves the pointer."""
        for event in events:
            match event:
                case Move(x, y):
                    self._pointer = (x, y)
                case Answer(text) | Done(text):
                    self._said = text or self._said
                case Fail(reason):
                    self._failed, self._said = True, reason or self._said

    def _judged(self, desktop: Desktop | None) -> EnvReply:
        assert self._before is not None
        assert self._folder is not None
        ending = Ending(self._folder / "after", self._said, self._failed)
        after = take_ending(self.sandbox, desktop, ending, self._before)
        parts = [*popup_parts(self.sandbox, self._work.popup), *self.parts(self._before, after)]
        events = [
            self.event(part.name, part.value, source="verifier", detail={"why": part.detail[:500]})
            for part in parts
            if part.name in self.reward_weights
        ]
        success = next(part.value for part in parts if part.name == SUCCESS) >= 1.0
        return EnvReply(events=events, terminated=True, success=success)

    def _drop_folder(self) -> None:
        self._folder = None
        if self._remove is not None:
            self._remove()


@contextmanager
def _named(task: Task) -> Iterator[None]:
    """Put the task's id in front of what is wrong with it."""
    try:
        yield
    except TaskError as error:
        raise TaskError(f"task {task.id!r}: {error}") from error


def _require_settings(task: Task | None, before: State) -> None:
    assert task is not None
    with _named(task):
        require_settings(task.private, before)


def _answers(action: Action, text: str) -> list[Message]:
    """A text as the answer to a message; the last of its calls gets it."""
    calls = action.tool_calls
    if not calls:
        return [user(text)]
    said = [*("done" for _ in calls[:-1]), text]
    return [tool_result(call.id, call.name, each) for call, each in zip(calls, said, strict=True)]


def _view(view: View | None, fields: Mapping[str, Any], render_mode: str | None) -> View:
    if view is not None and fields:
        raise ConfigError(f"give a view or its fields, not both: got {sorted(fields)}")
    made = build(View, fields) if view is None else view
    return replace(made, picture=True) if render_mode == "rgb_array" else made
