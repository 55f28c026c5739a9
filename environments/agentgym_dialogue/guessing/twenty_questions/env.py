"""Twenty Questions: a thing that the partner thinks of, found by yes-or-no questions in free English.

The partner's knowledge is in `table`, its English in `grammar`, players in `scripts`, the suite's tasks in `generate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentgym.errors import ActionSyntaxError
from agentgym.task import Task
from agentgym_dialogue.guessing.listed_secret import ListedSecretEnv
from agentgym_dialogue.guessing.secret_talk import CORRECT, PartnerReply, secret_task
from agentgym_dialogue.guessing.twenty_questions.grammar import Question, answer, understand
from agentgym_dialogue.guessing.twenty_questions.table import Truth, thing, things

ANSWERS: dict[Truth, str] = {"yes": "Yes.", "no": "No.", "depends": "It depends."}
NOT_UNDERSTOOD = "I do not understand. Ask one short question to be answered by yes or no."
FREE_TURNS = 20
_LISTS = "I think of one of these: "
_END_OF_LIST = ". Ask"


def num_turns_for(num_listed: int) -> int:
    """Turns that halving needs, naming the thing included, and one more; 20 where nothing is listed."""
    return (num_listed - 1).bit_length() + 2 if num_listed else FREE_TURNS


def twenty_questions_task(
    task_id: str, seed: int, listed: Sequence[str], secret: str, num_turns: int = 0, **fields: Any
) -> Task:
    """The task of finding a secret.

    Args:
        task_id: Its id.
        seed: Its seed.
        listed: Things that the instruction names, the secret among them; empty for any thing.
        secret: Name of the thing.
        num_turns: Turns; 0 for as many as `num_turns_for` gives.
        fields: Further fields of the task.
    """
    turns = num_turns or num_turns_for(len(listed))
    what = f"{_LISTS}{', '.join(listed)}" if listed else "I think of a thing"
    instruction = f"{what}{_END_OF_LIST} yes-or-no questions or name it. You have {turns} turns."
    return secret_task(task_id, seed, instruction, secret, turns, **fields)


def listed_in(instruction: str) -> list[str]:
    """The things that may be the secret: those that an instruction lists, or all where it lists none."""
    if not instruction.startswith(_LISTS):
        return list(things())
    listed = instruction.removeprefix(_LISTS).partition(_END_OF_LIST)[0]
    return [name for name in listed.split(", ") if name in things()]


class TwentyQuestionsEnv(ListedSecretEnv[Question, Truth]):
    """Find the thing that the partner thinks of by asking yes-or-no questions in free English.

    Observation:
        Text. The first message is the instruction. It lists things, one of which is the secret, or lists nothing (the
        free variant). Then come `Yes.`, `No.` or `It depends.`, or `I do not understand. …` if the partner does not
        understand the question. At the end come `Correct.` or `No turns left.`
    Action:
        A message with one question. It may ask for one of about 270 attributes in any usual wording (`Is it alive?`,
        `could you tell me whether it is made of wood`, `metal?`), for two of them at once (`Is it a red fruit?`),
        compare size or weight with something else (`Is it bigger than a cat?`), or name a thing (`Is it a cat?`,
        `cat`). The partner does not understand questions with "or" and open questions. A negated question or statement
        (`It is not a cat.`) gets the opposite answer and does not solve the game.
    Reward:
        `turn`: -1 for a turn that does not solve it, 0 for the one that does. `format`: -1 for a message that is not
        understood, which costs a turn as well. So the return of an episode is minus the number of turns before the
        solution.
    Termination:
        The thing is named or the turns are used up.
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `AgentEnv`. The score is 1 for success, else 0.
    Sandbox:
        None.
    Source and licence:
        After Twenty Questions of LMRL-Gym (Abdulhai et al., 2023, arXiv 2311.18232). Written for this project,
        Apache-2.0; its tables and the tasks of dialogue/twenty-questions are CC0-1.0.
        Differs: the partner answers by rules from a table, where LMRL-Gym has a fine-tuned language model; so answers
        are the same on every machine. It may answer `It depends.`, and it says so if it does not understand. The things
        are different. Most tasks list candidates and give one turn more than halving needs, so a model that has never
        heard of a thing can still play, also on lists that it has never seen. The free variant, with 20 turns, is that
        of LMRL-Gym.

    Example:
        `I think of one of these: cat, apple, hammer, bus. Ask yes-or-no questions or name it. You have 4 turns.` /
        `Is it alive?` / `No.` / `Can I hold it in one hand?` / `Yes.` / `hammer` / `Correct.`

    Args:
        num_listed: Things that the instruction of a task made from a seed lists, 2 or more; 0 for the free variant.
        num_turns: Its turns; 0 for as many as halving needs and one more, or 20 in the free variant.
        render_mode: None or "ansi".

    Raises:
        ConfigError: A number is out of its range.
    """

    game, noun = "twenty questions", "things"

    def __init__(self, num_listed: int = 16, num_turns: int = 0, render_mode: str | None = None) -> None:
        super().__init__(list(things()), num_listed, num_turns, render_mode)

    def listed_task(self, task_id: str, seed: int, listed: Sequence[str], secret: str) -> Task:
        """The task of finding a thing."""
        return twenty_questions_task(task_id, seed, listed, secret, self.turns_made)

    def listed_in(self, instruction: str) -> list[str]:
        """The things that an instruction lists, or all."""
        return listed_in(instruction) or list(things())

    def told_of(self, name: str, question: Question) -> Truth:
        """Yes, no or it depends."""
        return answer(things()[name], question)

    def check_secret(self, secret: str) -> None:
        """The secret is one of the table's things."""
        thing(secret)

    def answer_to(self, message: str) -> PartnerReply:
        """Yes, no or it depends."""
        question = understand(message)
        if question is None:
            raise ActionSyntaxError(NOT_UNDERSTOOD)
        truth = self.told_of(self.secret, question)
        if question.kind == "guess" and question.is_positive and truth == "yes":
            return PartnerReply(CORRECT, "", True)
        self.note(question, truth)
        return PartnerReply(ANSWERS[truth], f"{_key(question)}: {truth}")


def _key(question: Question) -> str:
    sign = "" if question.is_positive else "not "
    also = f" and {_key(question.also)}" if question.also else ""
    return f"{sign}{question.kind} {question.key or f'{question.limit:g}'}{also}"
