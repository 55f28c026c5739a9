"""Which environments of other packages are played as ours: a table, of which `registration` makes specs.

How each package is adapted is in the modules that the table names; nothing is imported here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Adapted(NamedTuple):
    """An environment of another package.

    Attributes:
        name: The name in our id.
        module: Package of `agentgym_dialogue` that adapts it.
        entry_point: "module:Class" within that package.
        options: Keyword arguments that say which environment it is.
        package: The import name that it needs.
        extra: The extra that brings that; "" where agentgym itself needs it.
        suites: Suites of the dialogue family.
        why_no_oracle: Why no script solves every task; "" where `oracle` does.
    """

    name: str
    module: str
    entry_point: str
    options: Mapping[str, Any]
    package: str
    extra: str = ""
    suites: tuple[str, ...] = ()
    why_no_oracle: str = ""


_TOY_TEXT = {"FrozenLake": "frozen-lake", "Taxi": "taxi", "Blackjack": "blackjack"}

BABYAI_LEVELS = (
    "ActionObjDoor",
    "FindObjS5",
    "GoToDoor",
    "GoToLocal",
    "GoToObj",
    "GoToObjDoor",
    "GoToObjMazeS4R2",
    "GoToRedBall",
    "GoToRedBallGrey",
    "KeyCorridorS3R1",
    "OneRoomS8",
    "OpenDoor",
    "OpenRedDoor",
    "PickupDist",
    "PickupLoc",
    "PutNextLocalS5N3",
    "UnlockLocal",
    "UnlockPickup",
)
"""Levels of minigrid's BabyAI that its own bot solves within our limits of turns."""


TEXTARENA_GAMES = (
    "2048",
    "Bandit",
    "Blackjack",
    "Countdown",
    "Crosswords",
    "Cryptarithm",
    "FifteenPuzzle",
    "FrozenLake",
    "GuessTheNumber",
    "LightsOut",
    "LogicPuzzle",
    "Mastermind",
    "Minesweeper",
    "PegJump",
    "RushHour",
    "Secretary",
    "Set",
    "Slitherlink",
    "Sokoban",
    "Sudoku",
    "ThreeCardMonte",
    "TowerOfHanoi",
)
"""Single-player games of TextArena that start without a network."""
_NO_ORACLE = {"FifteenPuzzle": "half of TextArena's shuffles cannot be solved, and the others need a long search"}


TEXTARENA_PAIRS = (
    "Breakthrough",
    "Chopsticks",
    "ConnectFour",
    "GameOfPureStrategy",
    "IteratedPrisonersDilemma",
    "IteratedRockPaperScissors",
    "LiarsDice",
    "Nim",
    "Othello",
    "PigDice",
    "SimpleTak",
    "TicTacToe",
    "WildTicTacToe",
)
"""Its games of two that start without a network, and of which a rule-based player of ours plays the other side."""


def _textarena(name: str, game: str, *suites: str) -> Adapted:
    return Adapted(
        name,
        "textarena_games",
        "env:TextArenaEnv",
        {"game": game},
        "textarena",
        "textarena",
        suites,
        why_no_oracle=_NO_ORACLE.get(game, ""),
    )


def _textarena_pair(game: str) -> Adapted:
    options = {"game": game}
    return Adapted(f"TextArena-{game}", "textarena_pairs", "env:TextArenaPairEnv", options, "textarena", "textarena")


def _babyai(name: str, level: str, *suites: str) -> Adapted:
    return Adapted(name, "babyai", "env:BabyAIEnv", {"level": level}, "minigrid", "babyai", suites)


def _textworld(name: str, num_rooms: int, num_objects: int, quest_length: int) -> Adapted:
    size = {"num_rooms": num_rooms, "num_objects": num_objects, "quest_length": quest_length}
    return Adapted(name, "textworld_games", "env:TextWorldEnv", size, "textworld", "textworld")


ADAPTED: tuple[Adapted, ...] = (
    *(
        Adapted(name, "toy_text", "env:ToyTextEnv", {"game": name}, "gymnasium", suites=(suite,))
        for name, suite in _TOY_TEXT.items()
    ),
    _babyai("BabyAI", "", "babyai"),
    *(_babyai(f"BabyAI-{level}", level) for level in BABYAI_LEVELS),
    _textarena("TextArena", "", "textarena"),
    *(_textarena(f"TextArena-{game}", game) for game in TEXTARENA_GAMES),
    *map(_textarena_pair, TEXTARENA_PAIRS),
    _textworld("TextWorld", 3, 6, 3),
    _textworld("TextWorld-Large", 8, 12, 6),
)
