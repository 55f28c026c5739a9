"""The turns of a desk in which agent and customer talk in plain words; the acts that they say are the game's matter."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError
from agentgym.game import GameReply
from agentgym.message import user
from agentgym.reward import RewardEvent
from agentgym.tools import ToolGame
from agentgym_tools.desks import talk
from agentgym_tools.desks.conditions.options import Interface
from agentgym_tools.desks.session import Session
from agentgym_tools.desks.talk import AGENT, USER
from agentgym_tools.desks.words.agent import Understood
from agentgym_tools.desks.words.channel import heard_from_agent, heard_from_customer, record_of, shown_to_customer
from agentgym_tools.worlds.calls import Call

NO_WORDS = {
    AGENT: "Speak by calls, such as ask(fact=...), and act by the desk's tools; words beside calls are not read.",
    USER: "Speak by calls, such as inform(fact=..., value=...) or bye(); words beside calls are not read.",
}
NO_TALK = "Say something to the other side, or call a tool."


class SpokenGame(ToolGame):
    """A desk whose messages without calls are said to the other side, where its task wants talk in words.

    Attributes:
        session: The state of the episode.
        questions: The facts that the agent's last message in words asked for.
    """

    session: Session
    questions: list[str]
    _interface: Interface
    _spoken: bool

    @property
    def is_in_words(self) -> bool:
        """Whether agent and customer talk in words."""
        return self._interface.options.talk == "words"

    def say(self, role: str, action: Action) -> GameReply:
        """Play a message in words, where the talk is one in words."""
        if not self.is_in_words:
            raise ActionSyntaxError(NO_WORDS[role])
        if not action.content.strip():
            raise ActionSyntaxError(NO_TALK)
        return self._say_to_user(action.content) if role == AGENT else self._say_to_agent(action.content)

    def _say_to_user(self, text: str) -> GameReply:
        """Take in an agent's words as the acts that they say; what is unclear is named to the customer."""
        understood = heard_from_agent(self.session, text)
        reply = GameReply({USER: shown_to_customer(text, understood)}, [self._understood(AGENT, understood)])
        self.questions = [act.arguments["fact"] for act in understood.acts if act.tool == talk.ASK]
        self.session.proposed.clear()
        for act in understood.acts:
            heard = GameReply({}, self._compared(act))
            self._spoken = True
            self._hear_agent(act, heard)
            reply.events = [*reply.events, *heard.events, *self._advance()]
            if heard.is_over:
                reply.is_over, reply.successes, reply.scores = True, heard.successes, heard.scores
                return reply
        self._spoken, self.acting_role = False, USER
        return reply

    def _say_to_agent(self, text: str) -> GameReply:
        """Take in a customer's words; the agent reads them as they are."""
        understood = heard_from_customer(self.session, text, self.questions)
        reply = GameReply({AGENT: [user(text)]}, [self._understood(USER, understood)])
        for act in understood.acts:
            self.session.hear_user(act)
            reply.events = [*reply.events, *self._advance()]
            if act.tool == talk.WAIT:
                reply.events = [*reply.events, self._event("patience", -1.0)]
        self.acting_role = AGENT
        if any(act.tool == talk.BYE for act in understood.acts):
            self._end(reply)
        return reply

    def _understood(self, role: str, understood: Understood) -> RewardEvent:
        """What was understood of a message, for people to read."""
        return self.event(role, "understood", float(bool(understood.acts)))._replace(detail=record_of(understood))

    @abstractmethod
    def _hear_agent(self, act: Call, reply: GameReply) -> None:
        """Take in an act of the agent."""

    @abstractmethod
    def _advance(self) -> Sequence[RewardEvent]:
        """The events of the steps made since the last ones."""

    @abstractmethod
    def _compared(self, move: Call) -> Sequence[RewardEvent]:
        """How near a move is to those that are right now."""

    @abstractmethod
    def _event(self, component: str, value: float, detail: Mapping[str, Any] | None = None) -> RewardEvent:
        """An event of the agent."""

    @abstractmethod
    def _end(self, reply: GameReply) -> None:
        """Grade the episode, which is over."""
