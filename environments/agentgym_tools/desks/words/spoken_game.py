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
from agentgym_tools.desks.domain import Domain
from agentgym_tools.desks.guarding.watch import Watch
from agentgym_tools.desks.session import Session
from agentgym_tools.desks.talk import AGENT, USER
from agentgym_tools.desks.tasks import check_facts
from agentgym_tools.desks.words.channel import heard_from_agent, heard_from_customer, record_of, shown_to_customer
from agentgym_tools.desks.words.reading.message import Understood
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
    domain: Domain
    questions: list[str]
    _interface: Interface
    _watch: Watch
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

    def respond(self, role: str, action: Action) -> GameReply:
        """Play a message; what it tells the customer is heard only where it is played."""
        if self.is_in_words and role == AGENT and not action.tool_calls:
            self._watch.require_room(Call("words", {"text": action.content}))
        acts = _acts_of(self.domain, action) if role == USER else []
        fault = self._held_against_agenda(acts)
        try:
            reply = super().respond(role, action)
        except ActionSyntaxError:
            self._spoken = False  # what was proposed in this message did not reach the customer
            self._watch.drop()
            raise
        reply.events = [*reply.events, *fault]
        self._watch.deliver()
        return reply

    def after_calls(self, role: str) -> None:
        """An act hands the turn over, unless there is nobody."""
        if self._interface.options.solo:
            self.session.go_on_alone()
        elif self._spoken:
            self.acting_role = USER if role == AGENT else AGENT
        self._spoken = False

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
        fault = self._held_against_agenda(understood.acts)
        reply = GameReply({AGENT: [user(text)]}, [self._understood(USER, understood), *fault])
        for act in understood.acts:
            self.session.hear_user(act)
            reply.events = [*reply.events, *self._advance()]
            if act.tool == talk.WAIT:
                reply.events = [*reply.events, self._event("patience", -1.0)]
        self.acting_role = AGENT
        if any(act.tool == talk.BYE for act in understood.acts):
            self._end(reply)
        return reply

    def _held_against_agenda(self, acts: Sequence[Call]) -> list[RewardEvent]:
        """The event of the first fault in a message of the customer; none if it has none."""
        finding = self._watch.follow(acts, self.turns[AGENT]) if acts else None
        return [] if finding is None else [self.event(USER, "agenda", -1.0)._replace(detail=finding._asdict())]

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


def _acts_of(domain: Domain, action: Action) -> list[Call]:
    """The calls of a customer's message as acts."""
    acts = [Call(call.name, call.arguments) for call in action.tool_calls]
    check_facts(domain, acts)
    return acts
