"""The one way to ask a policy for a message: the conversation it is shown, the request, and what its reply says.

Rollouts ask many speakers at once (`agentgym.rollout`), `agentgym.policies.as_script` one after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol, Self

from agentgym.action import reply_message
from agentgym.env import CutMessage
from agentgym.errors import ConfigError, ContractError
from agentgym.message import Message, ToolSchema, with_text
from agentgym.picture import placed_pictures
from agentgym.policy import Policy, Reply, Request, Sampling, draw_seed
from agentgym.prompting.conversation import Conversation, Prompt
from agentgym.prompting.history import parse_history
from agentgym.prompting.parsing import canonical_text
from agentgym.prompting.renderer import ChatRenderer
from agentgym.prompting.reply_ids import reply_renderer
from agentgym.prompting.stability import require_template
from agentgym.task import Task
from agentgym.trajectory import Turn


def picks_legal_actions(policy: Policy) -> bool:
    """Whether a policy picks among the actions that the environment lists; see `ListedPolicy`."""
    return getattr(policy, "picks_legal_actions", False)


def require_actions(found: Sequence[str] | None, task: Task, role: str) -> Sequence[str]:
    """What a policy may pick among.

    Args:
        found: What the environment lists.
        task: The task.
        role: The role of the policy.

    Raises:
        ContractError: There is nothing to pick among.
    """
    if not found:
        raise ContractError(
            f"task {task.id!r}: the environment lists no actions of the role {role!r}, and its policy picks among "
            "them; write legal_actions(), or let the policy write its messages"
        )
    return found


def renderer_of(policy: Policy) -> ChatRenderer:
    """Renders the prompts of a policy that works on token ids.

    Raises:
        ConfigError: The policy has no tokenizer.
    """
    tokenizer = getattr(policy, "tokenizer", None)
    if tokenizer is None:
        raise ConfigError(
            f"the policy {policy.name!r} takes token ids and has no tokenizer: an endpoint's protocol 'tokens' is for "
            "programs that call policy.generate with prompt ids of their own; rollouts need protocol 'chat'"
        )
    return ChatRenderer(tokenizer)


@dataclass(slots=True)
class EpisodeBudget:
    """How many tokens the policies of an episode may sample together.

    Attributes:
        limit: The task's limit; None: any number.
        spent: How many were sampled.
    """

    limit: int | None = None
    spent: int = 0

    @property
    def is_spent(self) -> bool:
        """Whether nothing is left, so that the episode is cut."""
        return self.limit is not None and self.spent >= self.limit

    def of_message(self, sampling: Sampling) -> Sampling:
        """How the next message is drawn: with no more tokens than are left, but one at least."""
        if self.limit is None or self.limit - self.spent >= sampling.max_tokens:
            return sampling
        return replace(sampling, max_tokens=max(1, self.limit - self.spent))

    def count(self, reply: Reply) -> None:
        """Count the tokens of a reply; those of a policy of text are what its server says."""
        self.spent += int(reply.usage.get("completion_tokens", 0)) if reply.ids is None else len(reply.ids)


class Talk(Protocol):
    """The conversation of one role: `Conversation` where a policy takes token ids, else `PlainTalk`."""

    messages: list[Message]

    def observe(self, messages: Sequence[Message]) -> None:
        """Take up what the role receives."""

    def prompt(self) -> Prompt | None:
        """What a policy of tokens is asked with; None for one of text.

        Raises:
            ContextOverflowError: It leaves too little room for a reply.
        """

    def reply(self, ids: Sequence[int], text: str, message: Message, cut: bool) -> None:
        """Take up what the role said to the last prompt."""

    def fork(self) -> Self:
        """A copy that goes on from here."""


@dataclass(slots=True)
class PlainTalk:
    """A conversation without tokens, for policies that take text."""

    messages: list[Message] = field(default_factory=list)

    def observe(self, messages: Sequence[Message]) -> None:
        """Take up what the role receives."""
        self.messages += messages

    def prompt(self) -> None:
        """There are no ids."""

    def reply(self, ids: Sequence[int], text: str, message: Message, cut: bool) -> None:
        """Take up what the role said."""
        self.messages.append(message)

    def fork(self) -> Self:
        """A copy that goes on from here."""
        return type(self)(self.messages.copy())


def open_talk(
    policy: Policy,
    tools: Sequence[ToolSchema] = (),
    *,
    renderer: ChatRenderer | None = None,
    history: str = "full",
    max_context: int | None = None,
    room: int = 0,
) -> Talk:
    """A fresh conversation for a policy.

    Args:
        policy: Who is asked.
        tools: Tools that the prompts present.
        renderer: Of the policy's tokenizer; None makes one.
        history: Which turns prompts leave out: "full", "last:N" (turns) or "tokens:N".
        max_context: Most tokens of prompt and reply together, if that is less than the policy takes.
        room: Tokens that a prompt must leave for the reply.

    Raises:
        ConfigError: The policy works on token ids and has no tokenizer.
        TemplateError: The chat template of the policy's tokenizer cannot present the tools or their calls.
    """
    kept = parse_history(history)
    if not policy.uses_tokens:
        return PlainTalk()
    limits = filter(None, (max_context, getattr(policy, "max_context", None)))
    renderer = renderer or renderer_of(policy)
    if tools:
        require_template(policy.tokenizer, tools)  # type: ignore[attr-defined]
    return Conversation(renderer, tools, kept, max_context=min(limits, default=None), room=room)


class Said(NamedTuple):
    """What a policy said.

    Attributes:
        text: Its message, tool calls in one spelling.
        message: The same as it stands in the conversation.
        action: The text to step the environment with: a `CutMessage` where the token limit cut it and that counts.
    """

    text: str
    message: Message
    action: str


@dataclass(slots=True)
class Speaker:
    """A policy in one role of one episode: `observe`, then `request` and `take`, or `ask`, and again.

    Attributes:
        policy: Who speaks.
        task: The task of the episode.
        talk: The conversation so far.
        key: Key of the episode and role; the policy may keep caches by it until `forget`.
        seed: Seed of all draws in this role.
        role: The role.
        tools: Tools that it may call.
        sampling: How messages are drawn.
        refuses_cut: Whether a message that the token limit cut is an invalid action, rather than played as it is.
        advised: A conversation of its own in which the policy is shown a hint; None: there is no hint.
        turn: Index of its next message.
        budget: How many tokens are left; speakers of an episode share it.
    """

    policy: Policy
    task: Task
    talk: Talk
    key: str
    seed: int
    role: str = "agent"
    tools: Sequence[ToolSchema] = ()
    sampling: Sampling = field(default_factory=Sampling)
    refuses_cut: bool = True
    advised: Talk | None = None
    turn: int = 0
    budget: EpisodeBudget = field(default_factory=EpisodeBudget)

    def observe(self, messages: Sequence[Message], hint: str = "") -> None:
        """Take up what the role receives.

        Args:
            messages: New messages.
            hint: Text behind the last of them that `advised` alone is shown.
        """
        self.talk.observe(messages)
        if self.advised is not None:
            self.advised.observe([*messages[:-1], with_text(messages[-1], hint)] if hint else messages)

    def request(self, legal_actions: Sequence[str] | None = None) -> tuple[Request, Prompt | None]:
        """What the policy is asked with, and the prompt without advice, which is None for one of text.

        Args:
            legal_actions: Messages that stand for all actions of the state, for policies that pick among them.

        Raises:
            ContextOverflowError: The conversation is too long for the policy.
        """
        prompt, talk = self.talk.prompt(), self.advised or self.talk
        shown = prompt if self.advised is None else self.advised.prompt()
        request = Request(
            episode=self.key,
            turn=self.turn,
            task=self.task,
            messages=talk.messages,
            tools=self.tools,
            prompt_ids=None if shown is None else shown.ids,
            seed=draw_seed(self.seed, self.role, self.turn),
            sampling=self.budget.of_message(self.sampling),
            role=self.role,
            legal_actions=legal_actions,
            pictures=placed_pictures(talk.messages) if shown is None else shown.pictures,
        )
        return request, prompt

    def take(self, reply: Reply) -> Said:
        """Take up the policy's reply to the last request.

        Raises:
            PartnerError: The reply says that the policy failed.
        """
        if reply.fault is not None:
            raise reply.fault
        self.budget.count(reply)
        is_spelt = self.tools and reply.ids is not None  # a policy of text says calls in our spelling
        text = canonical_text(reply.text, self.tools) if is_spelt else reply.text
        message = reply.message or reply_message(text, self.tools)
        self._add(() if reply.ids is None else reply.ids.tolist(), text, message, reply.was_cut)
        return Said(text, message, CutMessage(text) if reply.was_cut and self.refuses_cut else text)

    def ask(self, legal_actions: Sequence[str] | None = None) -> Said:
        """Ask the policy for one message, and wait for it.

        Args:
            legal_actions: As for `request`.

        Raises:
            ContextOverflowError: The conversation is too long for the policy.
            InfrastructureError: The policy failed.
        """
        request, _ = self.request(legal_actions)
        [reply] = self.policy.generate([request])
        return self.take(reply)

    def resume(self, turns: Sequence[Turn]) -> None:
        """Take up recorded turns, as if they had been played here: the next prompt is the one that came behind them.

        Their sampled tokens count as spent. The ids are taken as they are where the recorded prompts are what this
        policy's template makes; else the template renders the messages.

        Raises:
            ContextOverflowError: They are too long for the policy.
        """
        render_reply = None
        for turn in turns:
            self.observe(turn.messages)
            prompt, ids = self.talk.prompt(), turn.action_ids.tolist()
            if prompt is not None and (not ids or prompt.new_ids != turn.prompt_ids.tolist()):
                assert isinstance(self.talk, Conversation)
                render_reply = render_reply or reply_renderer(self.talk.renderer, self.tools)
                ids = render_reply(turn.reply)
            self._add(ids, turn.text, turn.reply, turn.was_cut)
            self.budget.spent += len(turn.action_ids)

    def forget(self) -> None:
        """Let the policy drop what it keeps for this role."""
        self.policy.forget(self.key)

    def fork(self, key: str) -> Self:
        """A copy that goes on from here under another key."""
        advised = None if self.advised is None else self.advised.fork()
        return replace(self, key=key, talk=self.talk.fork(), advised=advised, budget=replace(self.budget))

    def _add(self, ids: Sequence[int], text: str, message: Message, was_cut: bool) -> None:
        for talk in filter(None, (self.talk, self.advised)):
            talk.reply(ids, text, message, was_cut)
        self.turn += 1
