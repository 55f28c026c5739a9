"""Guess My City: the city that the partner lives in, found by open questions in free English.

The partner's knowledge is in `table`, its English in `grammar`, its answers in `answers`, players in `scripts`, the
suite's tasks in `generate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentgym.errors import ActionSyntaxError
from agentgym.task import Task
from agentgym_dialogue.guessing.guess_my_city.answers import answer
from agentgym_dialogue.guessing.guess_my_city.grammar import Question, understand
from agentgym_dialogue.guessing.guess_my_city.table import cities, city
from agentgym_dialogue.guessing.listed_secret import ListedSecretEnv
from agentgym_dialogue.guessing.secret_talk import CORRECT, PartnerReply, secret_task

NOT_UNDERSTOOD = "I do not understand. Ask one short question about my city."
FREE_TURNS = 20
_LISTS = "I live in one of these: "
_END_OF_LIST = ". Ask"


def num_turns_for(num_listed: int) -> int:
    """Turns that halving needs, naming the city not included; 20 where nothing is listed."""
    return max(2, (num_listed - 1).bit_length()) if num_listed else FREE_TURNS


def guess_my_city_task(
    task_id: str, seed: int, listed: Sequence[str], secret: str, num_turns: int = 0, **fields: Any
) -> Task:
    """The task of finding a city.

    Args:
        task_id: Its id.
        seed: Its seed.
        listed: Cities that the instruction names, the secret among them; empty for any city.
        secret: Name of the city.
        num_turns: Turns; 0 for as many as `num_turns_for` gives.
        fields: Further fields of the task.
    """
    turns = num_turns or num_turns_for(len(listed))
    what = f"{_LISTS}{', '.join(listed)}" if listed else "I live in a city"
    instruction = f"{what}{_END_OF_LIST} about my city or name it. You have {turns} turns."
    return secret_task(task_id, seed, instruction, secret, turns, **fields)


def listed_in(instruction: str) -> list[str]:
    """The cities that may be the secret: those that an instruction lists, or all where it lists none."""
    if not instruction.startswith(_LISTS):
        return list(cities())
    listed = instruction.removeprefix(_LISTS).partition(_END_OF_LIST)[0]
    return [name for name in listed.split(", ") if name in cities()]


class GuessMyCityEnv(ListedSecretEnv[Question, str]):
    """Find the city where the partner lives by asking questions in free English.

    Observation:
        Text. The first message is the instruction. It lists cities, one of which is the secret, or lists nothing (the
        free variant). Then come the partner's answers, such as `Portuguese.`, `Yes, the Tagus.` or `Not that I know.`
        If asked for a name, it says `I will not name the city or its country. …`; if it does not understand, `I do not
        understand. …` At the end come `Correct.` or `No turns left.` No answer except `Correct.` reveals the name of
        the city or of its country.
    Action:
        A message with one question about one of 19 topics (continent, hemisphere, language, currency, religion,
        government, side of driving, region of the country, whether it is the capital, population, climate, terrain,
        water, river, food, landmark, industry, history, what it is known for), open (`What do people eat there?`,
        `language?`) or yes-or-no (`Do they speak French?`, `Is it near the sea?`, `Is it in France?`); or a message
        that names a city (`Is it Paris?`, `Paris`). The partner does not understand questions with more than one name
        or sentence, and yes-or-no questions with a word that it does not know. A negated question (`Is it not in
        Asia?`) gets the opposite answer, and a negated name does not solve the game.
    Reward:
        `turn`: -1 for a turn that does not solve it, 0 for the one that does. `format`: -1 for a message that is not
        understood, which costs a turn as well. So the return of an episode is minus the number of turns before the
        solution.
    Termination:
        The city is named or the turns are used up.
    Truncation:
        The game itself truncates nothing.
    Info:
        The keys of `AgentEnv`. The score is 1 for success, else 0.
    Sandbox:
        None.
    Source and licence:
        After Guess My City of LMRL-Gym (Abdulhai et al., 2023, arXiv 2311.18232). Written for this project,
        Apache-2.0; its tables, from common knowledge, and the tasks of dialogue/guess-my-city are CC0-1.0.
        Differs: the partner answers by rules from a table, where LMRL-Gym has a fine-tuned language model. It says so
        if it does not understand, and answers `Not that I know.` if it does not know. The cities are different. Most
        tasks list candidates and give few turns, so a model that has never heard of a city can still play, also on
        lists that it has never seen. The free variant, with 20 turns, is that of LMRL-Gym.

    Example:
        `I live in one of these: Lima, Oslo, Rome, Cairo. Ask about my city or name it. You have 2 turns.` /
        `What do people speak there?` / `Italian.` / `Is it Rome?` / `Correct.`

    Args:
        num_listed: Cities that the instruction of a task made from a seed lists, 2 or more; 0 for the free variant.
        num_turns: Its turns; 0 for as many as halving needs, or 20 in the free variant.
        render_mode: None or "ansi".

    Raises:
        ConfigError: A number is out of its range.
    """

    game, noun = "guess my city", "cities"

    def __init__(self, num_listed: int = 16, num_turns: int = 0, render_mode: str | None = None) -> None:
        super().__init__(list(cities()), num_listed, num_turns, render_mode)

    def listed_task(self, task_id: str, seed: int, listed: Sequence[str], secret: str) -> Task:
        """The task of finding a city."""
        return guess_my_city_task(task_id, seed, listed, secret, self.turns_made)

    def listed_in(self, instruction: str) -> list[str]:
        """The cities that an instruction lists, or all."""
        return listed_in(instruction)

    def told_of(self, name: str, question: Question) -> str:
        """What the partner tells of a city."""
        return answer(cities()[name], question)

    def check_secret(self, secret: str) -> None:
        """The secret is one of the table's cities."""
        city(secret)

    def answer_to(self, message: str) -> PartnerReply:
        """What the partner tells of its city."""
        question = understand(message)
        if question is None:
            raise ActionSyntaxError(NOT_UNDERSTOOD)
        if question.kind == "guess" and question.is_positive and question.topic == self.secret:
            return PartnerReply(CORRECT, "", True)
        text = self.told_of(self.secret, question)
        self.note(question, text)
        sign = () if question.is_positive else ("not",)
        words = " ".join((*sign, question.kind, question.topic, *question.words, f"{question.millions:g}"))
        return PartnerReply(text, f"{words}: {text}")
