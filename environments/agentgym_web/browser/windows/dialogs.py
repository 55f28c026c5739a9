"""The dialogs of one tab, which are answered at once; the agent is told of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym_web.browser.settings import PageSettings
from agentgym_web.browser.sight import one_line


class Dialogs:
    """Answers dialogs and counts them.

    Args:
        settings: What is answered, and how many may come in one action.
        notes: Takes what the agent is told.

    Attributes:
        count: Dialogs of the present action.
    """

    def __init__(self, settings: PageSettings, notes: list[str]) -> None:
        self._settings, self._notes = settings, notes
        self.count = 0

    def answer(self, params: Mapping[str, Any], *, is_told: bool) -> tuple[dict[str, Any], str]:
        """The answer to a dialog, and why the page is given up; "" if it is not.

        Args:
            params: The event of the dialog.
            is_told: Whether the agent is told.
        """
        self.count += 1
        kind, most = params["type"], self._settings.max_dialogs
        is_yes = kind in ("alert", "beforeunload") or self._settings.dialogs == "accept"
        storm = f"The page opened more than {most} dialogs and was closed." if self.count > most else ""
        if not storm and is_told and kind != "beforeunload":
            said = one_line(str(params.get("message", "")), 300)
            done = {"alert": "closed"}.get(kind, "accepted" if is_yes else "dismissed")
            self._notes.append(f'The page showed a dialog ({kind}), which was {done}: "{said}"')
        return {"accept": is_yes and not storm, "promptText": str(params.get("defaultPrompt", ""))}, storm
