"""A small game of two roles with tools of their own that change one world: a customer's phone, and who helps with it.

The agent sees the account, the user holds the phone; it works once data is booked and the phone was restarted.
"""

from __future__ import annotations

from typing import Literal, Self

from agentgym import Action, GameReply, Task, ToolGame, tool
from agentgym.game import Inbox
from agentgym.message import user
from agentgym.task import Limits

AGENT, USER = "agent", "user"


def phone_task(task_id: str = "phone:test", **limits: int) -> Task:
    return Task(task_id, 0, "My phone has no data.", config={"booked": 0}, limits=Limits(**limits))


class Phone(ToolGame):
    roles = (AGENT, USER)
    invalid_value = -0.25

    def make_task(self, seed: int) -> Task:
        return phone_task(f"phone:{seed}")

    def begin(self, task: Task) -> Inbox:
        self.booked, self.seen, self.mode = task.config["booked"], 0, "on"
        self.acting_role = AGENT
        return {AGENT: [user(task.instruction)], USER: [user("You are the customer. Do what you are asked to.")]}

    @tool
    def book(self, gigabytes: int) -> str:
        """Book data.

        Args:
            gigabytes: How much.
        """
        self.booked += gigabytes
        return f"{self.booked} GB booked."

    @tool
    def close_case(self) -> GameReply:
        """Say that the case is solved."""
        won = self.works
        events = [self.event(role, "success", float(won)) for role in self.roles]
        told = {AGENT: [user("Closed.")], USER: [user("The case was closed.")]}
        return GameReply(told, events, is_over=True, successes=dict.fromkeys(self.roles, won))

    @tool
    def restart(self, mode: Literal["on", "off"] = "on") -> str:
        """Restart the phone.

        Args:
            mode: Whether it is on afterwards.
        """
        self.mode, self.seen = mode, self.booked
        return self.look()

    @tool
    def look(self) -> str:
        """Look at the screen."""
        return "It works." if self.works else "No data."

    tools = {AGENT: [book, close_case], USER: [restart, look]}

    @property
    def works(self) -> bool:
        return self.mode == "on" and self.seen > 0

    def say(self, role: str, action: Action) -> GameReply:
        other = USER if role == AGENT else AGENT
        self.acting_role = other
        return GameReply({other: [user(action.content)]})

    def anchor(self) -> str:
        return f"{self.acting_role} {self.booked} {self.seen} {self.mode}"

    def fork(self, seed: int | None = None) -> Self:
        return self.fork_by_copy(seed)
