"""A person with a window and a terminal."""

from __future__ import annotations

import io
import sys

import pytest
from rich.console import Console

from agentgym.errors import CancelledEpisode
from agentgym.message import user
from agentgym.policies.human import HumanPolicy, Window


class Deeds:
    """What a person did, by and by."""

    def __init__(self, *messages: str | None) -> None:
        self.messages = list(messages)

    def next_message(self, timeout_s: float) -> str | None:
        return self.messages.pop(0) if self.messages else None


def test_actions_in_the_window_come_before_lines_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO('\nsend_msg_to_user("7")\n'))
    shown = io.StringIO()
    window: Window = Deeds('click("3")')
    person = HumanPolicy(Console(file=shown), lambda _: input(), window)
    assert [person.ask(), person.ask()] == ['click("3")', 'send_msg_to_user("7")']
    assert '> click("3")' in shown.getvalue()
    with pytest.raises(CancelledEpisode):
        person.ask()


def test_long_messages_are_cut_for_somebody_who_sees_the_page() -> None:
    text = "\n".join(f"line {number}" for number in range(40))
    for window, is_cut in ((None, False), (Deeds(), True)):
        shown = io.StringIO()
        HumanPolicy(Console(file=shown), window=window).show([user(text)])
        assert ("line 39" in shown.getvalue()) is not is_cut
        assert ("… 28 more lines" in shown.getvalue()) is is_cut
