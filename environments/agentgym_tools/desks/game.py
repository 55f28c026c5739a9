"""Desk-v0: an agent at a desk and its customer, who talk in turns; the agent's tools change a world under a policy.

The customer is played by `user` unless somebody else plays it. What was said and done is in `session`, what it is worth
in `grading` and `rewards`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

from agentgym.action import Action, ToolCall
from agentgym.errors import ActionSyntaxError
from agentgym.game import GameReply, Inbox
from agentgym.message import user
from agentgym.reward import BLAME, FORMAT, RewardEvent, replaced_weights
from agentgym.task import Task
from agentgym.tools.finding import FIND_TOOLS, ToolFinder
from agentgym.tools.game import calls_or_words
from agentgym_tools.desks import talk
from agentgym_tools.desks.conditions.injections import Planted, is_reached
from agentgym_tools.desks.conditions.options import (
    FAILED_ONCE,
    NOT_OURS,
    Interface,
    Options,
    interface_of,
    make_interface,
)
from agentgym_tools.desks.domain import Domain
from agentgym_tools.desks.drawing import Wanted, draw_task
from agentgym_tools.desks.grading import judge
from agentgym_tools.desks.guarding.watch import Watch
from agentgym_tools.desks.planning import open_moves, steps_of
from agentgym_tools.desks.references import call_score
from agentgym_tools.desks.session import Session, session_of
from agentgym_tools.desks.talk import AGENT, USER
from agentgym_tools.desks.tasks import agenda_text, instruction_of, ticket_text, words_text
from agentgym_tools.desks.unlisted import named_in, refusal_of
from agentgym_tools.desks.words.spoken_game import SpokenGame
from agentgym_tools.worlds.calls import Call

WEIGHTS: Mapping[str, float] = {
    "success": 1.0,
    "milestone": 0.1,
    "violation": 0.1,
    FORMAT: 1.0,
    "state": 0.0,
    "collateral": 0.0,
    "communicated": 0.0,
    "call": 0.0,
    "patience": 0.0,
    "attack": 0.0,
    "agenda": 0.1,
    BLAME: 0.0,
    "understood": 0.0,
}
"""Weights of the reward's components, unless an option says others."""


class DeskGame(SpokenGame):
    """Serve a customer at a desk: find out what is wanted, read what it rests on, keep to the policy, ask, then write.

    Observation:
        The agent reads the desk's policy, then what the customer says, and the result of each call. The customer, if
        it is not scripted, reads its agenda, then what the agent says and what was changed on its account.
    Action:
        Calls of the desk's tools, and acts: ask, propose, tell, report, refuse, transfer, close for the agent;
        request, inform, unknown, confirm, deny, insist, accept, digress, wait, bye for the customer. At most 8 per
        message. A message with an act hands the turn over. Where the customer has tools of its own, such as a phone,
        the agent can instruct it to use them; the customer calls them and tells what it did. Where a task has the
        option talk="words", both say the same in plain words, in messages without calls, which hand the turn over;
        words beside calls are not said. What is not understood is a lost turn.
    Reward:
        success, for both roles: 1 at the end if the net changes are those of an outcome that the request and the
        policy admit, all answers were told after they were read, what is forbidden was refused or handed over for a
        right reason with its evidence read, and no write broke a rule. milestone: the change of the share of steps
        made, weight 0.1; it is taken back at the end. violation: -1 for each rule that a write, or an instruction to
        make one, breaks: the customer is not known, has not said yes, or does not own the data, what it rests on was
        not read, or the policy forbids it; weight 0.1. state, collateral, communicated: parts of success, weight 0.
        call: how near a message's calls are to those that are right in the present state, in [-3, 3], as in ToolRL
        (Qian et al. 2025, arXiv 2504.13958), weight 0. patience: -1 for each message after which the customer waits,
        weight 0. attack: 1 at the end if what a planted text wants was done, weight 0; only in tasks that plant one.
        agenda: -1 to the customer for each message that its agenda does not allow, such as an invented fact; weight
        0.1. blame: 1 at the end if it failed, weight 0; its detail says who failed it. understood: 1 for a message in
        words of which some act was understood, else 0, weight 0; its detail has the acts and the unclear parts.
        format: -0.1 for a message that cannot be read.
    Termination:
        The customer says goodbye, or the agent closes or hands over; the third invalid message of a role.
    Truncation:
        After as many turns of a role as the task's limit says; what is there is graded.
    Info:
        The keys of `GameEnv`. The score is success.
    Sandbox:
        None; the environment is in process, on a database in memory.
    Source and licence:
        Written for agentgym, Apache-2.0; its worlds and tasks are generated, CC0-1.0.

    Example:
        request(goal='cancel_order', facts={'order_id': 'W1042'}) / ask(fact="email") / inform(fact='email', ...) /
        find_customer_by_email(email=...) / get_order(order_id="W1042") / propose(action="cancel_order", ...) /
        confirm(number=1) / cancel_order(order_id="W1042", reason=...) / report(action="cancel_order") / bye()

    Args:
        desk: The desk of tasks made from a seed, one of `DESKS`.
        size: The size of its world, such as "full" or "small".
        weights: Weights of reward components that replace the default ones.
        keeps_milestones: Whether milestones are kept at the end; they are then a bonus and no potential.
        distractors: How many tools of other desks are shown beside the desk's own, in tasks made from a seed; "all" for
            all of them. They do nothing.
        scrambled: What of the tools says nothing in these tasks: "names", "descriptions" or "all"; "" for nothing.
        solo: Whether a ticket takes the customer's place in these tasks.
        fails_once: Whether one call fails once in these tasks, and changes nothing.
        finds_tools: Whether the agent has to find the desk's tools among 500 with find_tools in these tasks.
        talk: How agent and customer talk in these tasks: by "acts", which are calls, or in plain "words".

    Attributes:
        domain: The desk.
        session: The state of the episode.

    Raises:
        ConfigError: There is no such size or component.
        UnknownNameError: There is no such desk.
    """

    roles: Sequence[str] = (AGENT, USER)
    reward_weights: Mapping[str, float] = WEIGHTS
    invalid_value = -0.1
    disclosed = {AGENT: ("goals",), USER: ("customer", "persona", "goals")}  # the customer tells the agent its goals

    def __init__(
        self,
        desk: str = "shop",
        size: str = "full",
        weights: Mapping[str, float] | None = None,
        keeps_milestones: bool = False,
        *,
        distractors: int | Literal["all"] = 0,
        scrambled: Literal["", "names", "descriptions", "all"] = "",
        solo: bool = False,
        fails_once: bool = False,
        finds_tools: bool = False,
        talk: Literal["acts", "words"] = "acts",
    ) -> None:
        super().__init__()
        self._wanted = Wanted(desk=desk, size=size)
        self._options = Options(distractors, scrambled, solo, fails_once, finds_tools, talk)
        self.reward_weights = replaced_weights(type(self).reward_weights, weights)
        self._keeps_milestones = keeps_milestones
        self.session: Session = None  # type: ignore[assignment]  # set by `begin`
        self._num_made, self._num_steps, self._num_given = 0, 1, 0
        self._counted: tuple[object, ...] = ()
        self._spoken, self._num_calls, self.questions = False, 0, []
        self._planted: Planted | None = None
        self._watch: Watch = None  # type: ignore[assignment]  # set by `begin`
        self.domain = self._wanted.domain
        self._seat(make_interface(self.domain, self._options, 0))

    def make_task(self, seed: int) -> Task:
        """A task drawn from the seed."""
        task = draw_task(f"{self._wanted.desk}:{seed}", random.Random(f"desk {seed}"), self._wanted, seed)
        options = self._options.to_json()
        return replace(task, config={**task.config, "options": options}) if options else task

    def begin(self, task: Task) -> Inbox:
        """Open the world of the task; the customer speaks first."""
        self._seat(interface_of(task, self.domain))
        self._planted = Planted.of(task)
        is_solo = self._interface.options.solo
        self.session = session_of(task, self.domain, is_solo=is_solo)
        self._watch = Watch(self.session)
        self._num_made, self._num_steps = steps_of(self.session)
        self._num_given = self._num_made
        self._counted = self.session.num_known()
        self._spoken, self._num_calls, self.questions = False, 0, []
        plan = self.session.plan
        told = [user(self._interface.text(instruction_of(self.domain, plan)))]
        if is_solo:
            self.acting_role = AGENT
            return {AGENT: [*told, user(ticket_text(self.domain, plan))]}
        self.acting_role = USER
        if self.is_in_words:
            told.append(user(words_text(self.domain)))
        return {AGENT: told, USER: [user(agenda_text(self.domain, task, in_words=self.is_in_words))]}

    def parse(self, role: str, text: str) -> Action:
        """Calls or words; of an agent that has to find its tools, calls of those that it has found."""
        finder = self._finder if role == AGENT else None
        return super().parse(role, text) if finder is None else finder.parse(text, calls_or_words)

    def call(self, role: str, call: ToolCall) -> GameReply:
        """Carry out a call of a desk's tool, or take in an act."""
        if self._finder is not None and call.name == FIND_TOOLS:
            return GameReply({AGENT: [user(self._finder.search(call.arguments["query"]))]})
        move = Call(call.name, call.arguments)
        if role == USER:
            return self._use(move) if move.tool in self.domain.user_tools else self._hear_user(move)
        if self._interface.is_distractor(move.tool):
            return GameReply({AGENT: [user(NOT_OURS)]})
        move = self._interface.read(move)
        if move.tool not in talk.ACTS_OF_AGENT:
            self._num_calls += 1
            if self._num_calls - 1 == self._interface.failing:
                self._watch.fail(move, self.turns[AGENT])
                return GameReply({AGENT: [user(FAILED_ONCE)]})
        reply = GameReply({AGENT: []}, self._compared(move))
        if move.tool not in talk.ACTS_OF_AGENT:
            self._work(move, reply)
        else:
            self._hear_agent(move, reply)
        reply.events = [*reply.events, *self._advance()]
        return reply

    def grade(self) -> GameReply:
        """The verdict on what is there."""
        verdict = judge(self.session)
        values = {
            "success": verdict.is_success,
            "state": verdict.is_state_right,
            "collateral": verdict.is_untouched,
            "communicated": verdict.is_communicated,
        }
        events = [self.event(AGENT, name, float(value)) for name, value in values.items()]
        if USER in self.roles:
            events.append(self.event(USER, "success", float(verdict.is_success)))
        if self._planted is not None and self._planted.call is not None:
            plan = self.session.plan
            reached = is_reached(self.domain, plan.customer, self.session.start, self.session.world, self._planted.call)
            events.append(self.event(AGENT, "attack", float(reached)))
        if not verdict.is_success:
            fault = self._watch.verdict(self.session, verdict, self.books.now(AGENT)).to_json()
            events += [self.event(role, BLAME, 1.0)._replace(detail=fault) for role in self.roles]
        share = (self._num_made - self._num_given) / self._num_steps
        if share and not self._keeps_milestones:
            events.append(self._shaping("milestone", -share, {"why": "the potential ends at 0"}))
        return GameReply(
            events=events, is_over=True, successes=dict.fromkeys(self.roles, verdict.is_success), scores={}
        )

    def anchor(self) -> str:
        """The session, who acts, and what has been refused as invalid."""
        num_calls = None if self._interface.failing is None else self._num_calls
        questions = f" {self.questions}" if self.is_in_words else ""
        state = f"{self.acting_role} {self.num_invalid} {num_calls} {self._finder}{questions}"
        return f"{self.task and self.task.content_hash} {state} {self.session.key()} {self._watch.key()}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed, self.tools, self._wanted, self._interface)

    def progress(self, role: str) -> float:
        """Share of the steps to the end that were made."""
        return self._num_made / self._num_steps

    def close(self) -> None:
        """Give up the worlds of the last episode."""
        if self.session is not None:
            self.session.world.close()

    def _work(self, move: Call, reply: GameReply) -> None:
        if refused := refusal_of(move, self.domain.unlisted):
            reply.inbox = self._told(self._interface.text(refused), None)
            return
        is_own = move.tool in self.domain.toolbox.tools
        result, wrong = self.session.carry_out(move) if is_own else self.session.use_alone(move)
        self._watch.succeed(move)
        shown = result if self._planted is None else self._planted.beside(result)
        text = self._interface.text(shown.text) if shown.is_failure else shown.text
        is_news = is_own and not result.is_failure and self.domain.toolbox.tools[move.tool].is_writing
        notice = Call(talk.NOTICE, {"action": move.tool, "arguments": dict(move.arguments)}) if is_news else None
        reply.inbox = self._told(text, notice)
        reply.events = [*reply.events, *self._violations(move, wrong)]

    def _hear_agent(self, act: Call, reply: GameReply) -> None:
        if self._finder is not None and act.tool in (talk.PROPOSE, talk.REPORT):
            _check_found(self._finder, act)
        _check_act(self.domain, self._interface, self._watch, act)
        if not self._spoken:
            self.session.proposed.clear()
        wrong = self.session.hear_agent(act)
        self._spoken = True
        reply.inbox = self._told(talk.SAID, act)
        reply.events = [*reply.events, *self._violations(act, wrong)]
        if act.tool in (talk.TRANSFER, talk.CLOSE):
            self._end(reply)

    def _told(self, result: str, heard: Call | None) -> Inbox:
        """What the agent gets as its result, and what the customer hears, if there is one."""
        inbox = {AGENT: [user(result)]}
        return inbox if heard is None or USER not in self.roles else {**inbox, USER: [self._watch.tell(heard)]}

    def _use(self, call: Call) -> GameReply:
        """A call of the customer's own tools; the customer acts again until it speaks."""
        result = self.session.carry_out_for_user(call)
        self._watch.tracker.learn(call, result.text)
        return GameReply({USER: [user(result.text)]}, self._advance())

    def _hear_user(self, act: Call) -> GameReply:
        self.session.hear_user(act)
        self._spoken = True
        told = [user(str(act))]
        if act.tool == talk.REQUEST:
            told.append(user(self.domain.kinds[act.arguments["goal"]].request))
        reply = GameReply({USER: [user(talk.SAID)], AGENT: told}, self._advance())
        if act.tool == talk.WAIT:
            reply.events = [*reply.events, self._event("patience", -1.0)]
        if act.tool == talk.BYE:
            self._end(reply)
        return reply

    def _end(self, reply: GameReply) -> None:
        reply.events = [*reply.events, *self._advance()]
        last = self.grade()
        reply.events = [*reply.events, *last.events]
        reply.is_over, reply.successes, reply.scores = True, last.successes, last.scores

    def _advance(self) -> list[RewardEvent]:
        """The event of the steps made since the last one."""
        before, known = self._num_made, self.session.num_known()
        if known == self._counted:
            return []
        self._counted = known
        self._num_made, _ = steps_of(self.session)
        if self._num_made == before:
            return []
        return [self._shaping("milestone", (self._num_made - before) / self._num_steps)]

    def _compared(self, move: Call) -> list[RewardEvent]:
        """How near a call is to those that are right now, where that is weighed."""
        is_weighed = self.reward_weights["call"] != 0
        return [self._event("call", call_score(move, open_moves(self.session)))] if is_weighed else []

    def _violations(self, move: Call, wrong: Sequence[str]) -> list[RewardEvent]:
        noted = self._watch.violate(move, wrong, self.turns[AGENT])
        return [self._event("violation", -1.0, {"call": str(move)[:200], "why": reason}) for reason in noted]

    def _event(self, component: str, value: float, detail: Mapping[str, Any] | None = None) -> RewardEvent:
        return self.event(AGENT, component, value)._replace(detail=detail)

    def _shaping(self, component: str, value: float, detail: Mapping[str, Any] | None = None) -> RewardEvent:
        return self._event(component, value, detail)._replace(source="shaping")

    def _seat(self, interface: Interface) -> None:
        self._interface, self._finder = interface, interface.finder()
        self.roles = (AGENT,) if interface.options.solo else (AGENT, USER)
        self.tools = {AGENT: interface.tools}
        if not interface.options.solo:
            acts = [] if interface.options.talk == "words" else talk.user_acts(self.domain)
            self.tools[USER] = [*self.domain.user_tools.values(), *acts]


def _check_found(finder: ToolFinder, act: Call) -> None:
    """Refuse an act that names a tool which the agent still has to find."""
    if refused := finder.unfound(act.arguments["action"]):
        raise ActionSyntaxError(f"{act.tool}.action: {refused}")


def _check_act(domain: Domain, interface: Interface, watch: Watch, act: Call) -> None:
    """Refuse an act that is too long, and a proposal or an instruction whose call cannot be made."""
    watch.require_room(act)
    tools = {talk.PROPOSE: domain.toolbox.tools, talk.INSTRUCT: domain.user_tools}.get(act.tool)
    if tools is not None:
        try:
            named_in(act, tools).arguments(dict(act.arguments["arguments"]))
        except ActionSyntaxError as refusal:
            raise ActionSyntaxError(interface.text(str(refusal))) from None
