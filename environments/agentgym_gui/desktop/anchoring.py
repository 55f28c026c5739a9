"""The canonical state of a desktop: windows, elements with their ids, and the home's files, without times."""

from __future__ import annotations

import hashlib
import json

from agentgym.errors import SandboxError
from agentgym_gui.desktop.session import Desktop
from agentgym_gui.desktop.settings import HOME
from agentgym_gui.desktop.tree import Screen
from agentgym_gui.verify.keeping import SELF_CHANGING_FILES, is_among

_HASHES = (
    "find . -path ./.cache -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum;"
    "find . -path ./.cache -prune -o -type l -printf 'link  %P %l\\n' | LC_ALL=C sort"
)


def anchor_of(desktop: Desktop) -> str:
    """The key of a desktop's state; files that programs rewrite by themselves do not enter.

    Raises:
        SandboxError: Its files cannot be read.
    """
    screen = desktop.look().screen
    read = desktop.sandbox.exec(["sh", "-c", _HASHES], cwd=HOME, max_output_bytes=16 << 20)
    if not read.is_ok:
        raise SandboxError(f"the files of a desktop could not be read: {read.text()[-300:]}")
    lines = read.stdout.decode("utf-8", "replace").splitlines()
    files = [line for line in lines if not is_among(line.partition("  ")[2].removeprefix("./"), SELF_CHANGING_FILES)]
    content = [_shown(screen), files]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _shown(screen: Screen) -> list[object]:
    order = {window.id: number for number, window in enumerate(screen.windows)}
    windows = [
        (window.title, window.kind, window.is_active, window.is_hidden, _numbers(window.box))
        for window in screen.windows
    ]
    elements = [
        (
            each.id,
            each.role,
            each.name,
            each.value,
            each.states,
            order.get(each.window, -1),
            each.depth,
            _numbers(each.box),
        )
        for each in screen.elements
        if each.role != "frame" or each.window in order  # an icon of a tray that is not there is never shown
    ]
    return [windows, elements]


def _numbers(box: object) -> list[int]:
    return [getattr(box, name) for name in ("x", "y", "width", "height")]
