"""A session on a ready desktop: applications are started, events are carried out, and what is seen is read.

What a task lays out is in `staging`; what a verdict is given on is in `taking`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import SandboxDirtyError
from agentgym.sandbox.base import Sandbox
from agentgym_gui.actions.events import Box, Event
from agentgym_gui.desktop.acting import Patience, codes, command_lines, typing_s, waiting_s
from agentgym_gui.desktop.canary import leftovers
from agentgym_gui.desktop.link import DeskLink, DesktopLostError
from agentgym_gui.desktop.settings import HOME, DesktopSettings
from agentgym_gui.desktop.tree import NUMBER, Naming, Screen, Window, read_screen, read_windows

Pixels = NDArray[np.uint8]
START_S = 90.0
READY_S = 150.0
ANSWER_S = 15.0
"""How long desk may take for a request beyond what it was told to wait."""
_ARGUMENT_END = "\x1f"
_ROW_BYTES = 4


@dataclass(frozen=True, slots=True)
class Settled:
    """How settling went.

    Attributes:
        how: "calm"; "restless" where something moves for ever or still moved at the cap, "silent" where an application
            did not answer.
        waited_ms: How long it took.
        rounds: How often the applications were asked.
        painted_ms: When the last pixels changed, counted as `waited_ms`; 0 for none.
    """

    how: str = "calm"
    waited_ms: int = 0
    rounds: int = 0
    painted_ms: int = 0

    @property
    def is_calm(self) -> bool:
        """Whether nothing was still to come."""
        return self.how == "calm"

    @property
    def note(self) -> str:
        """What an agent is told of it; "" where all is calm."""
        if self.is_calm:
            return ""
        why = "something still moves" if self.how == "restless" else "an application does not answer"
        return f"The screen has not settled: {why}."


@dataclass(frozen=True)
class Sight:
    """What a step shows.

    Attributes:
        screen: Windows and elements.
        settled: How settling went.
        pixels: The screen, uint8[H, W, 3]; None where no picture was asked for.
        is_new: Whether the picture differs from the last one.
    """

    screen: Screen
    settled: Settled
    pixels: Pixels | None = None
    is_new: bool = True


class Desktop:
    """The session of one sandbox.

    Args:
        sandbox: Made from `settings.spec()`.
        settings: How the desktop is.
        patience: When it counts as settled.

    Raises:
        DesktopLostError: It did not come up.
        SandboxDirtyError: It is not as new.
    """

    def __init__(self, sandbox: Sandbox, settings: DesktopSettings, patience: Patience | None = None) -> None:
        self.sandbox, self.settings = sandbox, settings
        self.patience = patience or Patience()
        self._naming = Naming()
        self._picture: Pixels | None = None
        self._link = DeskLink(sandbox)
        try:
            said = self._text(self._ask(["ready"], READY_S), "ready").split("\t")
            if len(said) != 4:
                raise DesktopLostError("the desktop says that it is ready in a form that desk does not use")
            self.display, self.bus = said[2], said[3]
            self._require_clean()
        except BaseException:
            self.close()
            raise

    def start(self, argv: Sequence[str]) -> None:
        """Start a program, and wait until a new window of it is painted.

        Args:
            argv: Its command line; "~" at the front of an argument stands for the home.

        Raises:
            DesktopLostError: No window came.
        """
        before = {window.id for window in self._windows()}
        self.run(in_home(argv))
        deadline = time.monotonic() + START_S
        while True:
            blocks = self._ask([self.patience.line, "windows"])
            windows = read_windows(self._text(blocks, "windows"))
            is_there = any(window.id not in before for window in windows)
            is_late = time.monotonic() > deadline
            if is_there and (is_late or _worst(blocks).how != "silent"):  # else it still loads
                return
            if is_late:
                raise DesktopLostError(
                    f"{argv[0]} showed no window within {START_S:g} s; a task's start names programs that open one"
                )

    def run(self, argv: Sequence[str]) -> None:
        """Start a program without waiting for anything."""
        if any("\n" in word or _ARGUMENT_END in word for word in argv):
            raise DesktopLostError(f"an argument of {argv[0]} holds a character that desk cannot pass on")
        self._ask([f"run {_ARGUMENT_END.join(argv)}"])

    def act(self, events: Sequence[Event], *, has_picture: bool = False, has_pointer: bool = True) -> Sight:
        """Carry out events, wait until the screen has settled, and look, in one request.

        Args:
            events: What is done; those that only end or answer do nothing here.
            has_picture: Whether the pixels are wanted.
            has_pointer: Whether the pointer is drawn into them.
        """
        lines = [*command_lines(events, self.patience), self.patience.line, "windows", "tree"]
        if has_picture:
            lines.append(self._picture_line(Box(0, 0, self.settings.width, self.settings.height), has_pointer))
        num_settled = sum(line.startswith("settle") for line in lines)
        patience_s = ANSWER_S + waiting_s(events) + typing_s(events) + num_settled * self.patience.cap_ms / 1000
        blocks = self._ask(lines, patience_s)
        pixels, is_new = self._pixels(blocks) if has_picture else (None, True)
        return Sight(self._read(blocks), _worst(blocks), pixels, is_new)

    def look(self, *, has_picture: bool = False, has_pointer: bool = True) -> Sight:
        """What is there now."""
        return self.act((), has_picture=has_picture, has_pointer=has_pointer)

    def screen(self) -> Screen:
        """Windows and elements at this moment, settled or not."""
        return self._read(self._ask(["windows", "tree"]))

    def pixels(self, box: Box | None = None, *, has_pointer: bool = True) -> Pixels:
        """The screen or a part of it as it is now, uint8[H, W, 3]."""
        whole = Box(0, 0, self.settings.width, self.settings.height)
        part = box or whole
        blocks = self._ask([self._picture_line(part, has_pointer, always=True)])
        pixels = patched(None, _block(blocks, "pixels"), part)
        if part == whole:  # it is what desk compares the next picture with
            self._picture = pixels
        return pixels

    def clipboard(self) -> str:
        """What would be pasted."""
        return self._text(self._ask(["clipboard"]), "clipboard")

    def copy(self, text: str) -> None:
        """Put a text on the clipboard."""
        if text:
            self._ask([f"copy {codes(text)}"])

    def state(self) -> dict[str, list[str]]:
        """What of the X server's state a used desktop must not keep: windows, keymap, modifiers, selections, root."""
        found: dict[str, list[str]] = {}
        for line in self._text(self._ask(["state"]), "state").splitlines():
            name, _, rest = line.partition("\t")
            found.setdefault(name, []).append(rest)
        return found

    def close(self) -> None:
        """Let go of the connection; the session ends with its sandbox."""
        self._link.close()

    def _require_clean(self) -> None:
        wrong = leftovers(self.state(), self.settings.image)
        if wrong:
            raise SandboxDirtyError(f"the desktop of sandbox {self.sandbox.id} is not as new: {', '.join(wrong)}")

    def _read(self, blocks: Sequence[tuple[str, memoryview]]) -> Screen:
        windows = read_windows(self._text(blocks, "windows"))
        return read_screen(windows, self._text(blocks, "tree"), self._naming)

    def _windows(self) -> Sequence[Window]:
        return read_windows(self._text(self._ask(["windows"]), "windows"))

    def _ask(self, lines: Sequence[str], timeout_s: float = ANSWER_S) -> list[tuple[str, memoryview]]:
        blocks = self._link.ask(lines, timeout_s)
        if blocks and blocks[-1][0] == "error":
            raise DesktopLostError(f"desk refuses a command: {_decoded(blocks[-1][1])}")
        return blocks

    def _text(self, blocks: Sequence[tuple[str, memoryview]], name: str) -> str:
        return _decoded(_block(blocks, name))

    def _picture_line(self, box: Box, has_pointer: bool, *, always: bool = False) -> str:
        is_wanted_anew = always or self._picture is None
        return f"pixels {box.x} {box.y} {box.width} {box.height} {has_pointer:d} {is_wanted_anew:d}"

    def _pixels(self, blocks: Sequence[tuple[str, memoryview]]) -> tuple[Pixels, bool]:
        content = _block(blocks, "pixels")
        if len(content) == 0 and self._picture is not None:
            return self._picture, False
        self._picture = patched(self._picture, content, Box(0, 0, self.settings.width, self.settings.height))
        return self._picture, True


def in_home(argv: Sequence[str]) -> list[str]:
    """A command line with the home in place of "~" at the front of its words."""
    return [HOME + word[1:] if word == "~" or word.startswith("~/") else word for word in argv]


def patched(last: Pixels | None, content: memoryview, box: Box) -> Pixels:
    """The last picture with the rows of a reply laid over it, uint8[H, W, 3]; its memory cannot be written.

    Args:
        last: The picture that desk compared with; None where the reply has to hold all rows.
        content: The number of the first row in four bytes, and the rows.
        box: The part of the screen.

    Raises:
        DesktopLostError: The reply makes no picture.
    """
    first = int.from_bytes(content[:_ROW_BYTES], "little")
    rows, rest = divmod(len(content) - _ROW_BYTES, 3 * box.width)
    is_whole = (first, rows) == (0, box.height)
    if rest or rows < 1 or first + rows > box.height or (last is None and not is_whole):
        raise DesktopLostError(f"the desktop sent {len(content)} bytes for a picture of {box.width}x{box.height}")
    pixels = np.frombuffer(content[_ROW_BYTES:], np.uint8).reshape(rows, box.width, 3)
    if last is not None and not is_whole:
        changed, pixels = pixels, last.copy()
        pixels[first : first + rows] = changed
    pixels.flags.writeable = False
    return pixels


def _block(blocks: Sequence[tuple[str, memoryview]], name: str) -> memoryview:
    return next((content for found, content in reversed(blocks) if found == name), memoryview(b""))


def _decoded(content: memoryview) -> str:
    return bytes(content).decode("utf-8", "replace")


def _worst(blocks: Sequence[tuple[str, memoryview]]) -> Settled:
    """The sum of a request's settlings, named after the worst."""
    how, waited, rounds, painted = "calm", 0, 0, 0
    for name, content in blocks:
        fields = _decoded(content).split("\t") if name == "settle" else []
        if len(fields) == 5 and all(NUMBER.fullmatch(fields[at]) for at in (1, 2, 4)):
            how = how if fields[0] == "calm" else fields[0]
            painted = waited + int(fields[4]) if int(fields[4]) else painted
            waited, rounds = waited + int(fields[1]), rounds + int(fields[2])
    return Settled(how, waited, rounds, painted)
