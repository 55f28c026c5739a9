"""Workbench-v0: a user's requests in order, over eight sets of tools, each checked before the next one comes.

This file is the episode. What a request comes to is in `aims`, verdicts are in `grading`, next right calls in
`planning`, the tools in `sets`.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from typing import Self

from agentgym.action import Action, ToolCall
from agentgym.env import EnvReply
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.message import Message, ToolSchema, system, tool_result, user
from agentgym.reward import FORMAT, RewardEvent, replaced_weights
from agentgym.task import Task
from agentgym.tools import ToolEnv
from agentgym_tools.desks.references import call_score
from agentgym_tools.workbench.acts import ACTS, ALL_DONE, ASK, DECLINE, DONE, NO_CALL, PUT_RIGHT, REASONS
from agentgym_tools.workbench.aims import UnmeetableError
from agentgym_tools.workbench.drawing import TROUBLES, Trouble, Wanted, draw_entry
from agentgym_tools.workbench.grading import Ending, Verdict
from agentgym_tools.workbench.plan import read_plan
from agentgym_tools.workbench.planning import next_calls, share_made
from agentgym_tools.workbench.requests.all_requests import HELD_OUT, TEMPLATES
from agentgym_tools.workbench.rows.people import BY_ID, PEOPLE, TODAY
from agentgym_tools.workbench.session import Session
from agentgym_tools.workbench.sets.all_sets import SETS, TOOLS
from agentgym_tools.workbench.template import UndrawableError
from agentgym_tools.worlds.calls import Call

NOT_RUN = "Not run: the request before has just been ended; read the next one first."


class WorkbenchEnv(ToolEnv):
    """Deal with a user's requests, one after another, by the tools of a workbench.

    Observation:
        First who the user is, with the rules, and the first request; then the result of each call. When a request is
        ended, the next one follows. A request that was dealt with wrongly is put right by the user, who says so.

    Action:
        Calls of the tools that are listed, and three acts: done(answer) and decline(reason) end a request,
        ask_user(parameter) asks for a value that the request lacks. At most 8 calls a message, in order; those behind
        the end of a request are not run. A tool may be missing from the list, and come with a later request.
    Reward:
        success: 1 if every request was dealt with rightly, else 0. request: for each right one its share, weight 0.2;
        the first wrong one takes back what was paid, and none is paid after it. milestone: the change of the share of
        steps made, weight 0.1; taken back at the end. format: -0.1 for a message without a valid call. Of weight 0, for
        each request: state, collateral and communicated, the parts of its verdict; and for each call: call, how near it
        is to one that is right now, from -3 to 3, as in ToolRL.
    Termination:
        The end of the last request; the third invalid message.
    Truncation:
        After twice the oracle's turns and a few more, counted as failure.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
    Sandbox:
        None; tools change rows of a database in process, and files are rows, too.
    Source and licence:
        Written for agentgym, Apache-2.0; its world and tasks are generated, CC0-1.0.

    Example:
        'Mute my contact "boss".' -> find_contact(nickname="boss"); mute_contact(contact="ada.amsel"); done()

    Args:
        num_requests: Requests of tasks made from a seed, 2 to 6.
        trouble: What one of them has: "tool" for a missing tool, "value" for a missing value, "nothing" for nothing to
            do; "" for none, None draws it.
        distractors: Sets of tools that are listed beside those that are needed, 0 to 6.
        keeps_requests: Whether each right request is paid for, also in an episode that fails.
        weights: Weights of reward components, in place of the defaults.
        render_mode: As in Gymnasium.
    """

    reward_weights: Mapping[str, float] = {
        "success": 1.0,
        "request": 0.2,
        "milestone": 0.1,
        FORMAT: 1.0,
        "state": 0.0,
        "collateral": 0.0,
        "communicated": 0.0,
        "call": 0.0,
    }
    invalid_value = -0.1
    tools: Sequence[ToolSchema] = [*ACTS, *TOOLS.values()]

    def __init__(
        self,
        *,
        num_requests: int = 3,
        trouble: Trouble | None = None,
        distractors: int = 1,
        keeps_requests: bool = False,
        weights: Mapping[str, float] | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode)
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode must be None or 'ansi': got {render_mode!r}")
        if type(num_requests) is not int or not 2 <= num_requests <= 6:
            raise ConfigError(f"num_requests must be an int from 2 to 6: got {num_requests!r}")
        if type(distractors) is not int or not 0 <= distractors <= 6:
            raise ConfigError(f"distractors must be an int from 0 to 6: got {distractors!r}")
        if trouble not in (None, *TROUBLES):
            raise ConfigError(f"trouble must be None or one of {', '.join(map(repr, TROUBLES))}: got {trouble!r}")
        self.reward_weights = replaced_weights(type(self).reward_weights, weights)
        self._num_requests, self._trouble, self._distractors = num_requests, trouble, distractors
        self._keeps_requests = keeps_requests
        self._session: Session | None = None
        self._paid_steps = self._paid_requests = 0.0

    def make_task(self, seed: int) -> Task:
        """An entry drawn from the seed."""
        rng = random.Random(f"workbench {seed}")
        trouble = rng.choice(TROUBLES) if self._trouble is None else self._trouble
        wanted = Wanted(
            [person.id for person in PEOPLE if person.split != "test"],
            [name for name in TEMPLATES if name not in HELD_OUT],
            (self._num_requests,),
            trouble,
            num_distractors=(self._distractors,),
        )
        return draw_entry(
            rng, wanted, f"workbench-{seed}-{self._num_requests}-{self._trouble}-{self._distractors}", seed
        )

    def begin(self, task: Task) -> Sequence[Message]:
        """Lay out the person's things and make the first request."""
        plan = read_plan(task)
        self.close()
        try:
            self._session = Session(plan)
        except (UndrawableError, UnmeetableError) as error:
            raise TaskError(f"task {task.id!r}: its first request cannot be made here: {error}") from error
        self._paid_steps = self._paid_requests = 0.0
        self._list_tools()
        return [system(rules_for(plan.me)), user(task.instruction)]

    def parse(self, text: str) -> Action:
        """Tool calls; a message that holds none at all is refused in few words, a broken call is explained."""
        if "{" not in text and "(" not in text:
            raise ActionSyntaxError(NO_CALL)
        return super().parse(text)

    def respond(self, action: Action) -> EnvReply:
        """Carry out the calls of one message, up to the end of a request."""
        session = self.session
        messages: list[Message] = []
        events: list[RewardEvent] = []
        verdict: Verdict | None = None
        for number, call in enumerate(action.tool_calls):
            if number >= self.max_calls or verdict is not None:
                why = NOT_RUN if verdict is not None else f"Not run: at most {self.max_calls} calls a message."
                messages.append(tool_result(call.id, call.name, why))
                continue
            move = Call(call.name, call.arguments)
            if self.reward_weights["call"]:
                events.append(self.event("call", call_score(move, next_calls(session))))
            text, verdict = self._make(move)
            messages.append(tool_result(call.id, call.name, text))
        if verdict is not None:
            messages += self._next_request(verdict)
            events += self._events_of(verdict)
        events += self._advance()
        if not session.is_over:
            return EnvReply(messages, events)
        return self._ended(messages, events)

    def call(self, call: ToolCall) -> EnvReply:
        """Calls are carried out by `respond`, which knows the request that they belong to."""
        raise NotImplementedError

    def grade(self) -> EnvReply:
        """A cut episode has failed; what its milestones and requests gave is taken back."""
        return EnvReply(events=[*self._take_back(), self.event("success", 0.0)], success=False)

    def anchor(self) -> str | None:
        """The task and a digest of the session, with the invalid messages so far."""
        if self.task is None or self._session is None:
            return None
        digest = hashlib.sha256(repr(self._session.key()).encode()).hexdigest()[:24]
        return f"{self.task.content_hash} {self.books.phase} {self.num_invalid} {digest}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing is random after the start."""
        return self.fork_by_copy(seed, self.tools, self.reward_weights)

    def progress(self) -> float | None:
        """Share of the steps to the end that have been made; a request that was dealt with wrongly is worth nothing."""
        return None if self._session is None else share_made(self._session)

    def close(self) -> None:
        """Give the connections back."""
        if self._session is not None:
            self._session.close()
        super().close()

    @property
    def session(self) -> Session:
        """The state of the episode."""
        assert self._session is not None
        return self._session

    def _list_tools(self) -> None:
        self.tools = [*ACTS, *(TOOLS[name] for name in self.session.tools)]

    def _make(self, move: Call) -> tuple[str, Verdict | None]:
        """What a call is answered, and the verdict if it ends the request."""
        session = self.session
        if move.tool == ASK:
            return session.ask(move.arguments["parameter"]), None
        if move.tool == DONE:
            return "Noted.", session.end(Ending(answer=move.arguments.get("answer")))
        if move.tool == DECLINE:
            return "Noted.", session.end(Ending(reason=move.arguments["reason"]))
        return session.carry_out(move).text, None

    def _next_request(self, verdict: Verdict) -> list[Message]:
        session = self.session
        words = [] if verdict.is_right else [PUT_RIGHT]
        if session.is_over:
            return [user(" ".join([*words, ALL_DONE]))]
        before, stage = session.stages[session.number - 1], session.stage
        if before.is_without_tool and before.request is stage.request:
            schema = json.dumps(TOOLS[stage.request.template.key_tool]["function"], ensure_ascii=False)
            words.append(f"From now on you have this tool, too: {schema}\nSo please do it now:")
        self._list_tools()
        return [user(" ".join([*words, stage.request.text]))]

    def _events_of(self, verdict: Verdict) -> list[RewardEvent]:
        """What a request that is over is paid."""
        session = self.session
        kind = session.stages[session.number - 1].request.kind
        parts = ("state", "collateral", "communicated")
        events = [self.event(name, float(value)) for name, value in zip(parts, verdict, strict=True)]
        share = 1.0 / len(session.stages)
        if not verdict.is_right and not self._keeps_requests:
            share, self._paid_requests = -self._paid_requests, 0.0
        elif verdict.is_right and (self._keeps_requests or session.is_right):
            self._paid_requests += share
        else:
            share = 0.0
        return [*events, self.event("request", share, detail={"kind": kind, "right": verdict.is_right})]

    def _advance(self) -> list[RewardEvent]:
        gain = share_made(self.session) - self._paid_steps
        self._paid_steps += gain
        return [self.event("milestone", gain, source="shaping")] if gain else []

    def _ended(self, messages: list[Message], events: list[RewardEvent]) -> EnvReply:
        is_solved = self.session.is_right
        events = [*events, *self._take_back(), self.event("success", float(is_solved))]
        return EnvReply(messages, events, terminated=True, success=is_solved)

    def _take_back(self) -> list[RewardEvent]:
        """Undo what was paid for steps, and in an episode that is cut also what was paid for requests."""
        steps, self._paid_steps = self._paid_steps, 0.0
        detail = {"why": "the potential ends at 0"}
        events = [self.event("milestone", -steps, source="shaping", detail=detail)] if steps else []
        if not self.session.is_over and self._paid_requests and not self._keeps_requests:
            events.append(self.event("request", -self._paid_requests, detail={"why": "not all requests were reached"}))
            self._paid_requests = 0.0
        return events


def rules_for(me: str) -> str:
    """Who the user is, and the rules of the workbench."""
    person = BY_ID[me]
    reasons = "; ".join(f"{name} if {words}" for name, words in REASONS.items())
    return (
        f"You work for {person.name}, whose handle is {person.id}. Today is {TODAY}. You get one request after "
        "another. Deal with each by calls of tools, and change nothing else.\n"
        f"- When a request is dealt with, call {DONE}(). If it asks something, give the answer alone: "
        f"{DONE}(answer=...). First read what an answer or a choice rests on.\n"
        f"- If a request lacks a value that no tool shows, call {ASK}(parameter=...) with the name of the parameter, "
        "and go on with what you are told. Ask for nothing else.\n"
        f"- If it comes to nothing, change nothing and call {DECLINE}(reason=...): {reasons}. First find that out, by "
        "reading or by trying.\n"
        "- Calculate by the calculator's tools where there are any, not in your head. Money is in cents.\n"
        f"The sets of tools are called {', '.join(SETS)}; you have some of them."
    )
