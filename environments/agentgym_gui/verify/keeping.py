"""What must stay as it was: every file but those that a task names, and every setting but those.

Caches, recent lists and the places of windows change by themselves; they are declared here, in one place.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from agentgym_gui.verify.reading import UnreadableFileError, entries, read_bytes
from agentgym_gui.verify.state import State

SELF_CHANGING_FILES = (
    ".cache/*",
    ".dbus/*",
    ".local/share/recently-used.xbel*",
    ".local/share/gvfs-metadata/*",
    ".config/Mousepad/accels.scm",
    ".config/Thunar/accels.scm",
    ".config/dconf/*",  # asked as settings
    ".config/xfce4/xfconf/*",  # asked as settings
    ".config/zim/*",
    ".config/galculator/*",  # rewritten at each end, with the last result; its settings are goals by themselves
    ".config/geany/*",
    ".config/xfce4/terminal/*",
    ".config/homebank/*",
    ".config/gtk-3.0/bookmarks*",
    ".xsession-errors",
    ".ICEauthority",
)
"""Files that programs rewrite without being asked to. A task that is about one of them names it among its goals."""

SELF_CHANGING_SETTINGS = (
    "gsettings/org.gtk.Settings.FileChooser/*",
    "gsettings/org.xfce.mousepad.state.*",
    "gsettings/org.gnome.gnumeric.*window*",
    "gsettings/org.mate.engrampa.dialogs.*",
    "xfconf/thunar/last-*",
    "xfconf/ristretto/window/*",
    "xfconf/xfce4-appfinder/*",
)
"""Settings that hold the places of windows and what was last opened."""


def fingerprint(home: Path, ignored: Iterable[str] = ()) -> dict[str, str]:
    """What each file below home is: a hash of its bytes, the target of a link, or its kind.

    Raises:
        UnreadableFileError: There are too many files.
    """
    patterns = (*SELF_CHANGING_FILES, *ignored)
    return {path: _mark(home, path, status) for path, status in entries(home) if not is_among(path, patterns)}


def _mark(home: Path, path: str, status: os.stat_result) -> str:
    if stat.S_ISLNK(status.st_mode):
        return f"link to {os.readlink(home / path)}"
    if not stat.S_ISREG(status.st_mode):
        return f"special file {stat.S_IFMT(status.st_mode):o}"
    try:
        return hashlib.sha256(read_bytes(home, path)).hexdigest()
    except UnreadableFileError as error:
        return f"unreadable, {status.st_size} bytes: {error}"


def is_among(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name fits one of the patterns; a star stands for any text, slashes included."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def strange_changes(before: State, after: State, may_change: Iterable[str], settings: Iterable[str]) -> list[str]:
    """What changed though no goal names it, one sentence each.

    Args:
        before: The state before the first action.
        after: The state after the last.
        may_change: Patterns of paths that the task is about.
        settings: Patterns of settings that the task is about.
    """
    allowed = tuple(may_change)
    found = _differences(fingerprint(before.home, allowed), fingerprint(after.home, allowed), "")
    patterns = (*SELF_CHANGING_SETTINGS, *settings)
    kept = [
        {key: value for key, value in each.settings.items() if not is_among(key, patterns)} for each in (before, after)
    ]
    return found + _differences(kept[0], kept[1], "the setting ")


def _differences(before: Mapping[str, str], after: Mapping[str, str], what: str) -> list[str]:
    gone = [f"{what}{name} is gone" for name in sorted(before.keys() - after.keys())]
    new = [f"{what}{name} is new" for name in sorted(after.keys() - before.keys())]
    other = [f"{what}{name} changed" for name in sorted(before.keys() & after.keys()) if before[name] != after[name]]
    return gone + new + other
