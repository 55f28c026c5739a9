"""What a desktop held at one moment, as the harness took it: what a verdict is given on.

How it is taken from a live desktop is the environment's work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class State:
    """One moment of a desktop, taken before the first action or after the last.

    Attributes:
        home: A copy of the agent's home; links in it are never followed.
        settings: Values as text, by "xfconf/channel/property" or "gsettings/schema/key", asked from their daemons.
        clipboard: The text of the clipboard.
        windows: Titles of the windows. They tell states apart and never decide a grade.
        answer: What the agent said at the end; None where it said nothing.
        failed: Whether the agent said that the task cannot be done.
    """

    home: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    clipboard: str = ""
    windows: tuple[str, ...] = ()
    answer: str | None = None
    failed: bool = False

    def to_json(self) -> dict[str, Any]:
        """The state as JSON values, with the path of its home."""
        return {
            "home": str(self.home),
            "settings": dict(self.settings),
            "clipboard": self.clipboard,
            "windows": list(self.windows),
            "answer": self.answer,
            "failed": self.failed,
        }

    @staticmethod
    def from_json(fields: Mapping[str, Any]) -> State:
        """What `to_json` wrote."""
        return State(
            Path(fields["home"]),
            dict(fields["settings"]),
            fields["clipboard"],
            tuple(fields["windows"]),
            fields["answer"],
            fields["failed"],
        )
