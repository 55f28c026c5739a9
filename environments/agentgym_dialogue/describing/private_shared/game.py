"""Private and shared: an answerer, who is asked for things one by one, and between us whether they were said by now.

Players are in `partners` and `scripts`, what is talked about in `domains`, the suite's tasks in `generate`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Self

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import Message, user
from agentgym.task import Limits, Task
from agentgym_dialogue.describing.private_shared.domains import DOMAINS, words_of
from agentgym_dialogue.plain_line import plain_line

NUM_PROBES = 2
"""Things that the answerer is asked between us after each of its answers."""
SPARE_QUESTIONS = 1
"""Questions that there are beyond one for each thing."""
MAX_INVALID = 2
MAX_WORDS = 30
"""Most words of a question or an answer."""

_YES_OR_NO = re.compile(r"\b(yes|no)\b")


def shared_task(
    task_id: str,
    seed: int,
    domain: str,
    given: Mapping[str, str],
    values: Mapping[str, str],
    probes: Sequence[Sequence[int]],
    **fields: Any,
) -> Task:
    """The task of a talk.

    Args:
        task_id: The task's id.
        seed: Its seed.
        domain: What it is about.
        given: The values that both know from the start, by slot.
        values: Those that only the answerer knows.
        probes: For each question the places of the slots that are asked for between us after its answer.
        fields: Further fields of the task.
    """
    return Task(
        task_id,
        seed,
        "Private and shared: one player asks, the other answers and keeps in mind what was said.",
        config={"domain": domain, "given": dict(given)},
        private={"values": dict(values), "probes": [list(places) for places in probes]},
        limits=_limits(len(probes)),
        **fields,
    )


@cache
def _limits(num_questions: int) -> Limits:
    return Limits(max_turns=num_questions * (1 + NUM_PROBES) + MAX_INVALID + 1, max_invalid=MAX_INVALID)


def draw(rng: random.Random, domain: str, num_given: int) -> tuple[dict[str, str], dict[str, str], list[list[int]]]:
    """What is given, what is only the answerer's, and the probes."""
    slots = DOMAINS[domain].slots
    values = {slot: rng.choice(words) for slot, words in slots.items()}
    given = sorted(rng.sample(list(slots), num_given))
    rounds = len(slots) - num_given + SPARE_QUESTIONS
    probes = [rng.sample(range(len(slots)), NUM_PROBES) for _ in range(rounds)]
    hidden = {slot: value for slot, value in values.items() if slot not in given}
    return {slot: values[slot] for slot in given}, hidden, probes


def kappa(answers: Sequence[tuple[bool, bool]]) -> float:
    """Cohen's kappa of pairs of what was said and what is true, at least 0; Cohen (1960), equation 1.

    Differs: 1 where all agree although one of the two answers never occurs, and 0 for no pairs.
    """
    if not answers:
        return 0.0
    count = len(answers)
    observed = sum(said == true for said, true in answers) / count
    said_yes, true_yes = sum(said for said, _ in answers) / count, sum(true for _, true in answers) / count
    expected = said_yes * true_yes + (1 - said_yes) * (1 - true_yes)
    if observed == 1.0:
        return 1.0
    return max(0.0, (observed - expected) / (1 - expected)) if expected < 1.0 else 0.0


class PrivateSharedGame(GameEnv):
    """Answer questions without telling more than was asked, and keep track of what was told; or ask the questions.

    Observation:
        Text. The answerer sees its values and each question. After each answer it gets two questions that the
        questioner does not hear, such as `Between us: was the day said?` The questioner sees the names of what to ask
        for, what is already given, and each answer. Both read the end: `3 of 3 said, 7 of 8 answers between us right.`
    Action:
        Questioner: a question that names one thing by its name or a synonym. Answerer: an answer that contains the
        value as a separate word, or no value; for questions that begin with `Between us`, `yes` or `no`. Lines have at
        most 30 words of English letters. A line is invalid if it asks for several things or none, if it answers with a
        value that was neither asked for nor said, or if it is anything else.
    Reward:
        `score`, to each at the end: the questioner gets the share of values that the answerer told when asked. The
        answerer gets the harmonic mean of this share and of Cohen's kappa of its answers to questions that begin with
        `Between us`. `format`: 0 for an invalid message.
    Termination:
        All values are said, the questions are used up (one more than there are things to ask for), or a role sent more
        invalid messages than the task's limit (2). In each case, what was said until then counts.
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `GameEnv`. The score is the reward; success means that it is 1.
    Sandbox:
        None.
    Source and licence:
        After the game of clembench (Chalamalasetti et al. 2023, arXiv 2305.13455), written for this project,
        Apache-2.0; the tasks of dialogue/private-shared are generated, CC0-1.0. Differs from clembench: domains and
        words were written for this project, questions come from a player, everybody gets two probes per turn, and an
        answer must not tell other values.

    Example:
        questioner: `Ask, one thing a message: origin, destination, day. …` / `What is the day?` / `Answer: monday`
        answerer: `You book a trip. Origin: oslo. … Question: What is the day?` / `monday` /
        `Between us: was the origin said?` / `no`

    Args:
        domain: What tasks made from a seed are about; "" for any.
        num_given: How many of its four things both know from the start, 0 to 3.

    Raises:
        ConfigError: There is no such domain, or the number is out of its range.
    """

    roles = ("answerer", "questioner")
    reward_weights = {"score": 1.0, "format": 1.0}
    disclosed = {"answerer": ("values",)}

    def __init__(self, domain: str = "", num_given: int = 1) -> None:
        super().__init__()
        if domain not in ("", *DOMAINS) or not 0 <= num_given <= 3:
            raise ConfigError(
                f"private and shared got domain={domain!r} and num_given={num_given}; expected one of "
                f"{', '.join(DOMAINS)}, or none, and 0 to 3 given things"
            )
        self.domain, self.num_given = domain, num_given
        self._topic = DOMAINS["trip"]
        self._values: Mapping[str, str] = {}
        self._probes: list[list[int]] = []
        self._said: set[str] = set()
        self._num_given = 0
        self._asked, self._answer = "", ""
        self._probing: list[int] = []
        self._answers: list[tuple[bool, bool]] = []

    def make_task(self, seed: int) -> Task:
        """Random values."""
        rng = random.Random(seed)
        domain = self.domain or rng.choice(list(DOMAINS))
        return shared_task(f"private-shared:{seed}", seed, domain, *draw(rng, domain, self.num_given))

    def begin(self, task: Task) -> Inbox:
        """Tell the answerer its values and the questioner what to ask for."""
        try:
            domain, given = task.config["domain"], task.config["given"]
            self._values = {**given, **task.private["values"]}
            self._probes = [list(places) for places in task.private["probes"]]
        except KeyError as error:
            raise TaskError(
                f"task {task.id!r} lacks {error}; private and shared needs domain and given in config, values and "
                "probes in private"
            ) from None
        if domain not in DOMAINS or set(self._values) != set(DOMAINS[domain].slots) or not self._probes:
            raise TaskError(f"task {task.id!r}: expected a value for each slot of a domain, and probes")
        self._topic = DOMAINS[domain]
        self._said, self._num_given = set(given), len(given)
        self._asked = self._answer = ""
        self._probing, self._answers = [], []
        self.acting_role = "questioner"
        return {"answerer": [user(self._card(given))], "questioner": [user(self._request(given))]}

    def respond(self, role: str, action: Action) -> GameReply:
        """Hand a question or an answer on, or take an answer between us."""
        if role == "questioner":
            return self._ask(action.content)
        return self._confide(action.content) if self._probing else self._tell(action.content)

    def grade(self) -> GameReply:
        """What was said so far."""
        num_slots = len(self._values) - self._num_given
        num_said = len(self._said) - self._num_given
        share, agreement = num_said / num_slots, kappa(self._answers)
        both = 2 * share * agreement / (share + agreement) if share and agreement else 0.0
        scores = {"answerer": both, "questioner": share}
        num_right = sum(said == true for said, true in self._answers)
        text = f"{num_said} of {num_slots} said, {num_right} of {len(self._answers)} answers between us right."
        return GameReply(
            {role: [user(text)] for role in self.roles},
            [self.event(role, "score", score) for role, score in scores.items()],
            is_over=True,
            successes={role: score == 1.0 for role, score in scores.items()},
            scores=scores,
        )

    def progress(self, role: str) -> float:
        """Share of the values said so far."""
        return (len(self._said) - self._num_given) / (len(self._values) - self._num_given)

    def anchor(self) -> str:
        """Who acts, what was said, the last question and answer, and the answers between us; equal in one task only."""
        told = f"{sorted(self._said)} {self._asked} {self._answer} {len(self._probes)} {self._probing} {self._answers}"
        return f"{self.acting_role} {told} {self.num_invalid}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; nothing random happens after the start."""
        return self.fork_by_copy(seed)

    def _card(self, given: Mapping[str, str]) -> str:
        listed = " ".join(f"{slot.capitalize()}: {self._values[slot]}." for slot in self._topic.names)
        known = f" Said already: {', '.join(given)}." if given else ""
        return f"{self._topic.setting} {listed}{known} Tell only what you are asked. Between us, say yes or no."

    def _request(self, given: Mapping[str, str]) -> str:
        missing = ", ".join(slot for slot in self._topic.names if slot not in given)
        known = "".join(f" {slot.capitalize()}: {value}." for slot, value in given.items())
        return f"Ask, one thing a message: {missing}.{known} {len(self._probes)} questions."

    def _ask(self, content: str) -> GameReply:
        question = plain_line(content, "a question", MAX_WORDS)
        named = self._topic.asked_in(question)
        if len(named) != 1:
            raise ActionSyntaxError(f"Ask for one of: {', '.join(self._topic.names)}.")
        self._asked, self._answer = named.pop(), ""
        self.acting_role = "answerer"
        return GameReply({"answerer": [user(f"Question: {question}")]})

    def _tell(self, content: str) -> GameReply:
        answer = plain_line(content, "an answer", MAX_WORDS)
        words = words_of(answer)
        told = {slot for slot, value in self._values.items() if value in words}
        if told - self._said - {self._asked}:
            raise ActionSyntaxError("Tell only what you are asked.")
        self._said |= told
        self._answer = answer
        self._probing = self._probes.pop(0)
        return GameReply({"questioner": [user(f"Answer: {answer}")], "answerer": [self._probe()]})

    def _confide(self, content: str) -> GameReply:
        said = set(_YES_OR_NO.findall(content.lower())) if len(content) <= 100 else set()
        if len(said) != 1:
            raise ActionSyntaxError("Answer yes or no.")
        self._answers.append((said == {"yes"}, self._topic.names[self._probing[0]] in self._said))
        self._probing = self._probing[1:]
        if self._probing:
            return GameReply({"answerer": [self._probe()]})
        if not self._probes or len(self._said) == len(self._values):
            return self.grade()
        self.acting_role = "questioner"
        return GameReply()

    def _probe(self) -> Message:
        return user(f"Between us: was the {self._topic.names[self._probing[0]]} said?")
