"""Players of codenames by role: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

The rule-based players that they play with are in `partners`.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentgym.authoring.cheats import common_cheats
from agentgym.authoring.players import Saying, saying
from agentgym.message import Message
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_dialogue.words.codenames.boards import ASSASSIN, OWN
from agentgym_dialogue.words.codenames.partners import Guesser, Spymaster, board_of, uncovered_in


class KnowingGuesser:
    """Says words of the team, one more than the number of the clue, whatever the clue."""

    def __init__(self, task: Task, seed: int) -> None:
        self._own = board_of(task).of_kind(OWN)

    def act(self, messages: Sequence[Message]) -> str:
        """The next words."""
        number = int(messages[-1]["content"].rpartition(" ")[2])
        gone = uncovered_in(messages)
        return ", ".join([word for word in self._own if word not in gone][: number + 1])


def knowing_spymaster(task: Task, seed: int) -> Spymaster:
    """Says clues that go with words of the team alone."""
    return Spymaster(task, seed, haste=0.0)


def random_guesser(task: Task, seed: int) -> Guesser:
    """Says any covered words, as many as the number."""
    return Guesser(task, seed, timid=0.0, quality=0.0)


def random_spymaster(task: Task, seed: int) -> Spymaster:
    """Says clues that go with any word of the board."""
    return Spymaster(task, seed, quality=0.0)


def guesser(task: Task, seed: int, quality: float = 0.85) -> Script:
    """The rule-based guesser, which heeds as many of the clues as the quality says."""
    return Guesser(task, seed, timid=0.0, quality=quality)


def spymaster(task: Task, seed: int, quality: float = 0.75) -> Script:
    """The rule-based spymaster, as many of whose clues are not random as the quality says."""
    return Spymaster(task, seed, haste=0.0, quality=quality)


def cheat_whole_board(task: Task, seed: int) -> Saying:
    """Says every word of the board."""
    return Saying(", ".join(task.config["board"]))


def cheat_say_own_words(task: Task, seed: int) -> Saying:
    """Says all words of the team as the clue."""
    return Saying(f"{' '.join(board_of(task).of_kind(OWN))} 6")


def cheat_say_a_word(task: Task, seed: int) -> Saying:
    """Says a word of the team as the clue."""
    return Saying(f"{board_of(task).of_kind(OWN)[0]} 1")


def cheat_assassin(task: Task, seed: int) -> Saying:
    """Says the assassin, in the hope that the game counts an early end as won."""
    return Saying(board_of(task).of_kind(ASSASSIN)[0])


SCRIPTS: dict[str, dict[str, ScriptFactory]] = {
    "guesser": {
        "oracle": KnowingGuesser,
        "null": saying(""),
        "random": random_guesser,
        "demo": guesser,
        "cheat_whole_board": cheat_whole_board,
        "cheat_assassin": cheat_assassin,
        "cheat_pass_on": saying("pass"),
        **common_cheats("You win."),
    },
    "spymaster": {
        "oracle": knowing_spymaster,
        "null": saying(""),
        "random": random_spymaster,
        "demo": spymaster,
        "cheat_say_own_words": cheat_say_own_words,
        "cheat_say_a_word": cheat_say_a_word,
        "cheat_unknown_clue": saying("xyzzy 9"),
        **common_cheats("You win."),
    },
}
