"""The supervisor: who the agent acts for, and what time it is."""

from __future__ import annotations

from typing import Any

from agentgym_tools.apps.api.app import App, look
from agentgym_tools.apps.calendar_days import date_of, moment


class Supervisor(App):
    """What the apps know of the person that the agent acts for."""

    about = "the person that you act for: name, addresses, and the present day and time"

    @look
    def get_profile(self) -> Any:
        """Read the name, e-mail address, phone number, birthday, address and job of the person that you act for."""
        row = self.world.row("SELECT * FROM people WHERE id = ?", self.user)
        assert row is not None
        self.show("people", self.user)
        return {name: row[name] for name in ("name", "email", "phone", "birthday", "street", "city", "job")}

    @look
    def get_time(self) -> Any:
        """Say what day and time it is."""
        return {"now": moment(self.now), "today": date_of(self.today)}
