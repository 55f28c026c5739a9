"""PhoneDesktop-v0: a phone-sized desktop that shows one application at a time; the verdict is that of Desktop-v0.

Gestures are in `touch`, tasks in `tasks`. It runs desktop applications and is no Android.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agentgym.errors import ConfigError, TaskError
from agentgym.message import Message, content_text, user
from agentgym.sandbox.base import SandboxProvider
from agentgym.sandbox.pool import SandboxPool
from agentgym.sandbox.spec import SandboxSpec
from agentgym.task import Task
from agentgym_gui.actions.events import Event
from agentgym_gui.desktop.env import DesktopEnv
from agentgym_gui.desktop.view import View, looks
from agentgym_gui.phone.tasks import HEIGHT, WIDTH, draw_task
from agentgym_gui.phone.touch import APPS, as_touch, carry_out, fill_screen, parts_of

SYNTAXES = ("androidworld", "mobile_use", "uitars")
NOTE = (
    f"This is a screen of {WIDTH}x{HEIGHT} that shows one application at a time. It is a desktop of that size, and no "
    f"Android. The applications are {', '.join(APPS)}."
)


class PhoneDesktopEnv(DesktopEnv):
    """Work with applications on a phone-sized screen, by touch.

    Observation:
        As Desktop-v0: the goal and the elements, each with an id, which is AndroidWorld's index. The application in
        front fills the screen.

    Action:
        AndroidWorld's JSON actions, or `mobile_use` or `uitars` with `actions`. A swipe turns the wheel, a long press
        is the right button, back closes a menu or dialog, and home puts everything away.

    Reward:
        As Desktop-v0.

    Termination:
        The agent says that the task is complete or infeasible.

    Truncation:
        At the task's limit of turns; what is there is judged.

    Info:
        As `AgentEnv`.

    Sandbox:
        Image agentgym/desktop, as Desktop-v0. No emulator runs.

    Source and licence:
        Ours; the applications are Debian's. Actions are those of AndroidWorld (arXiv:2405.14573); none of its tasks or
        applications is here.

    Example:
        >>> {"action_type": "open_app", "app_name": "Calculator"}

    Args:
        view: As in `DesktopEnv`; its actions are "androidworld" by default.
        sandbox: As in `SandboxEnv`.
        relaxed: As in `SandboxEnv`.
        render_mode: As in `DesktopEnv`.
        fields: Fields of `View`.
    """

    def __init__(
        self,
        view: View | None = None,
        sandbox: str | SandboxProvider | SandboxPool | None = None,
        relaxed: Sequence[str] = (),
        render_mode: str | None = None,
        **fields: Any,
    ) -> None:
        if view is None:
            fields.setdefault("actions", "androidworld")
        super().__init__(view, sandbox, relaxed, render_mode, **fields)
        if self.view.actions not in SYNTAXES:
            raise ConfigError(f"actions on a phone are one of {', '.join(SYNTAXES)}: got {self.view.actions!r}")

    def make_task(self, seed: int) -> Task:
        """A small task of the applications."""
        return draw_task(seed)

    def sandbox_spec(self, task: Task) -> SandboxSpec:
        """A desktop of a phone's size."""
        screen = task.config.get("screen", {})
        if (screen.get("width"), screen.get("height")) != (WIDTH, HEIGHT):
            raise TaskError(f"task {task.id!r} has another screen; a phone's is {WIDTH}x{HEIGHT}")
        return super().sandbox_spec(task)

    def set_up(self, task: Task) -> Sequence[Message]:
        """Lay the task out, and say what this is."""
        messages = super().set_up(task)
        return [user(f"{NOTE}\n\n{content_text(messages[0])}")]

    def prepared(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """Touch gestures as the desktop takes them; applications are opened by name."""
        return as_touch(events)

    def _carried_out(self, events: Sequence[Event]) -> str:
        self._num_steps += 1
        desktop = self.desktop
        for part in parts_of(events):
            carry_out(desktop, part)
        if popup := self._work.popup_after(self._num_steps):
            desktop.start(popup.argv)
        fill_screen(desktop)
        wants_picture = self.view.picture or bool(looks(events))
        sight = desktop.look(has_picture=wants_picture, has_pointer=self.view.pointer)
        front = [window for window in sight.screen.windows if not window.is_hidden]
        ids = {window.id for window in front} | {each.window for each in sight.screen.elements} - {
            window.id for window in sight.screen.windows
        }
        elements = tuple(each for each in sight.screen.elements if each.window in ids)
        screen = replace(
            sight.screen,
            windows=tuple(front[-1:]) if len(front) > 1 and front[-1].box.height >= HEIGHT else tuple(front),
            elements=elements,
            by_id={each.id: each for each in elements},
        )
        return self._shown(replace(sight, screen=screen))
