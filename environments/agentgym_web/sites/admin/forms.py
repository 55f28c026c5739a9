"""Reading the fields of a form: each reader returns a value, or notes what is wrong with the field."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date

from agentgym_web.sites.core.page import Visit


class Form:
    """The form that came with a request.

    Attributes:
        errors: By field what is wrong with it; empty if all read so far was fine.
    """

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self.errors: dict[str, str] = {}

    def raw(self, name: str) -> str:
        """The text of a field, as it came but for white space around it."""
        return self._visit.text(name)

    def text(self, name: str, label: str, longest: int = 80, is_needed: bool = True) -> str:
        """A text, neither empty (unless that is allowed) nor longer than a limit."""
        value = self.raw(name)
        if is_needed and not value:
            self.errors[name] = f"{label} is required."
        elif len(value) > longest:
            self.errors[name] = f"{label} is longer than {longest} characters."
        return value

    def choice(self, name: str, label: str, values: Collection[str]) -> str:
        """One of some values."""
        value = self.raw(name)
        if value not in values:
            self.errors[name] = f"Choose a value for {label.lower()}."
        return value

    def number(self, name: str, label: str, least: int, most: int) -> int:
        """A whole number within limits, both included."""
        value = self.raw(name)
        if not re.fullmatch(r"-?\d{1,9}", value) or not least <= int(value) <= most:
            self.errors[name] = f"{label} must be a whole number from {least} to {most}."
            return least
        return int(value)

    def day(self, name: str, label: str) -> str:
        """A date as ISO text."""
        value = self.raw(name)
        try:
            return date.fromisoformat(value).isoformat()
        except ValueError:
            self.errors[name] = f"{label} must be a date such as 2026-03-31."
            return ""

    def time(self, name: str, label: str) -> str:
        """A time of the day as HH:MM."""
        value = self.raw(name)
        if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", value):
            self.errors[name] = f"{label} must be a time such as 09:30."
        return value

    def email(self, name: str, label: str) -> str:
        """An e-mail address."""
        value = self.raw(name)
        if not re.fullmatch(r"[^@\s]{1,60}@[^@\s]+\.[a-z]{2,10}", value):
            self.errors[name] = f"{label} must be an e-mail address."
        return value

    def ticked(self, name: str) -> int:
        """1 if a box is ticked, else 0."""
        return int(bool(self.raw(name)))
