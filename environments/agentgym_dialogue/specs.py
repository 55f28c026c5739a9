"""The environments of the dialogue family. Registration, `agentgym list`, the documentation and tests read this list.

It imports no environment. To add one, write its folder and add its entry here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agentgym.registration.env_spec import EnvSpec, Knobs
from agentgym_dialogue.adapted.catalogue import (
    BABYAI_LEVELS,
    TEXTARENA_GAMES,
    TEXTARENA_PAIRS,
    TOY_TEXT,
    WHY_NO_ORACLE,
)

_ERROR_RATES = (0.8, 0.5, 0.3, 0.1, 0.0)
_LISTED = (4, 8, 16, 32, 0)


def _env(name: str, module: str, *suites: str, **fields: Any) -> EnvSpec:
    """An environment of one agent, in `agentgym_dialogue.<module>.env`."""
    package = f"agentgym_dialogue.{module}"
    made_here: dict[str, Any] = {
        "id": f"agentgym/{name}-v0",
        "entry_point": f"{package}.env:{name}Env",
        "scripts": f"{package}.scripts:SCRIPTS",
        "family": "dialogue",
        "suites": tuple(f"dialogue/{suite}" for suite in suites),
        "runtimes": ("local", "served"),
        "room": module.partition(".")[0],
    }
    return EnvSpec(**made_here | fields)


def _game(name: str, module: str, roles: tuple[str, ...], *suites: str, **fields: Any) -> EnvSpec:
    """A game of several roles, in `agentgym_dialogue.<module>.game`; the first role is the default one."""
    package = f"agentgym_dialogue.{module}"
    of_a_game = {
        "entry_point": f"{package}.game:{name.removesuffix('Game')}Game",
        "partners": f"{package}.partners:PARTNERS",
        "roles": roles,
    }
    return _env(name, module, *suites, **of_a_game | fields)


def _adapted(
    name: str, module: str, env_class: str, options: dict[str, Any], package: str, *suites: str, **fields: Any
) -> EnvSpec:
    """An environment of another package, made with the options that say which of its games it is."""
    of_another = {
        "entry_point": f"agentgym_dialogue.adapted.{module}.env:{env_class}",
        "options": options,
        "adapts": package,
        "runtimes": ("local",),
    }
    return _env(name, f"adapted.{module}", *suites, **of_another | fields)


def _textarena(name: str, game: str, *suites: str) -> EnvSpec:
    why = WHY_NO_ORACLE.get(game, "")
    options = {"game": game}
    return _adapted(
        name,
        "textarena_games",
        "TextArenaEnv",
        options,
        "textarena",
        *suites,
        extra="textarena",
        why_no_oracle=why,
    )


def _textarena_pair(game: str) -> EnvSpec:
    name, options = f"TextArena-{game}", {"game": game}
    return _adapted(name, "textarena_pairs", "TextArenaPairEnv", options, "textarena", extra="textarena")


def _babyai(name: str, level: str, *suites: str) -> EnvSpec:
    return _adapted(name, "babyai", "BabyAIEnv", {"level": level}, "minigrid", *suites, extra="babyai")


def _textworld(name: str, num_rooms: int, num_objects: int, quest_length: int, knobs: Knobs) -> EnvSpec:
    size = {"num_rooms": num_rooms, "num_objects": num_objects, "quest_length": quest_length}
    return _adapted(name, "textworld_games", "TextWorldEnv", size, "textworld", extra="textworld", difficulty=knobs)


# A game against Stockfish runs in this process only: the image of served environments does not have the engine.
_BOARDS = (
    replace(
        _env("Chess", "boards.chess", "chess", difficulty={"odds": ("queen", "rook", "none")}),
        runtimes=("local",),
        extra="chess",
    ),
    replace(
        _env(
            "ChessEndgames",
            "boards.chess_endgames",
            "chess-endgames",
            "chess-endgames-mates",
            difficulty={"max_mate_in": (1, 2, 4, 7, None)},
        ),
        runtimes=("local",),
        extra="chess",
    ),
    _game(
        "ConnectFour",
        "boards.connect_four",
        ("first", "second"),
        "connect-four",
        difficulty={"error_rate": _ERROR_RATES},
    ),
    _game(
        "TicTacToe",
        "boards.tic_tac_toe",
        ("first", "second"),
        "tic-tac-toe",
        "tic-tac-toe-second",
        difficulty={"error_rate": _ERROR_RATES},
    ),
)
_GUESSING = (
    _env("GuessMyCity", "guessing.guess_my_city", "guess-my-city", difficulty={"num_listed": _LISTED}),
    _env("GuessNumber", "guessing.guess_number", "guess-number", difficulty={"max_numbers": (5, 8, 16, 32, 64)}),
    _env(
        "Mastermind",
        "guessing.mastermind",
        "mastermind",
        difficulty={"num_places": (2, 3, 4), "num_colours": (3, 4, 5, 6), "num_tries": (10, 8, 6)},
    ),
    _env("TwentyQuestions", "guessing.twenty_questions", "twenty-questions", difficulty={"num_listed": _LISTED}),
)
_WORDS = (
    _env(
        "Wordle",
        "words.wordle",
        "wordle",
        "wordle-tries",
        difficulty={"vocabulary_size": (10, 100, 300, 1000, 2000), "num_tries": (8, 6, 4)},
    ),
    _game("Codenames", "words.codenames", ("guesser", "spymaster"), "codenames", "codenames-spymaster"),
    _game(
        "Taboo",
        "words.taboo",
        ("guesser", "describer"),
        "taboo",
        "taboo-describer",
        "taboo-animals",
        difficulty={"num_tries": (5, 3, 2, 1)},
    ),
    _game(
        "WordleWithClue",
        "words.wordle_with_clue",
        ("guesser", "clue_giver"),
        "wordle-with-clue",
        "wordle-clue-giver",
        difficulty={"num_tries": (6, 4, 3, 2)},
    ),
    _game(
        "WordleWithCritic",
        "words.wordle_with_critic",
        ("guesser", "critic"),
        "wordle-with-critic",
        "wordle-critic",
        difficulty={"num_tries": (6, 3, 2, 1)},
    ),
)
_NAVIGATION = (
    _env(
        "Maze",
        "navigation.maze",
        "maze",
        "maze-partial",
        difficulty={"size": (5, 7, 9, 11, 15)},
        hints="agentgym_dialogue.navigation.maze.scripts:hint",
    ),
    _env(
        "TextNav",
        "navigation.text_nav",
        "text-nav",
        "text-nav-partial",
        "text-nav-small",
        difficulty={"num_rooms": (2, 3, 4, 6, 8)},
    ),
    _game(
        "MapNavigation",
        "navigation.map_navigation",
        ("explorer", "guide"),
        "map-navigation",
        "map-navigation-guide",
        difficulty={"num_rooms": (4, 6, 8)},
    ),
)
_BARGAINING = (
    _game(
        "CarDealer",
        "bargaining.car_dealer",
        ("seller", "buyer"),
        "car-dealer",
        "car-dealer-buyer",
        difficulty={"num_cars": (2, 3, 4, 5)},
    ),
    _game(
        "LiarsDice", "bargaining.liars_dice", ("first", "second"), "liars-dice", difficulty={"num_dice": (2, 3, 4, 5)}
    ),
    _game("MatrixGames", "bargaining.matrix_games", ("first", "second"), "matrix-games"),
    _game("Negotiation", "bargaining.negotiation", ("first", "second"), "negotiation"),
    _game("SocialScenario", "bargaining.social_scenario", ("first", "second"), "social-scenario"),
    _game("Ultimatum", "bargaining.ultimatum", ("proposer", "responder"), "ultimatum", "ultimatum-responder"),
    _game("Werewolf", "bargaining.werewolf", ("seer", "werewolf", "doctor", "villager"), "werewolf"),
)
_DESCRIBING = (
    _game(
        "GridDrawing",
        "describing.grid_drawing",
        ("drawer", "instructor"),
        "grid-drawing",
        "grid-drawing-instructor",
        difficulty={"num_strokes": (1, 2, 3), "size": (3, 5, 7)},
    ),
    _game(
        "PrivateShared",
        "describing.private_shared",
        ("answerer", "questioner"),
        "private-shared",
        difficulty={"num_given": (3, 2, 1, 0)},
    ),
    _game(
        "ReferenceGame",
        "describing.reference_game",
        ("guesser", "describer"),
        "reference-game",
        "reference-game-describer",
    ),
)
_ADAPTED = (
    *(_adapted(name, "toy_text", "ToyTextEnv", {"game": name}, "gymnasium", suite) for name, suite in TOY_TEXT.items()),
    _babyai("BabyAI", "", "babyai"),
    *(_babyai(f"BabyAI-{level}", level) for level in BABYAI_LEVELS),
    _textarena("TextArena", "", "textarena"),
    *(_textarena(f"TextArena-{game}", game) for game in TEXTARENA_GAMES),
    *map(_textarena_pair, TEXTARENA_PAIRS),
    _textworld("TextWorld", 3, 6, 3, {"num_rooms": (1, 2, 3, 5), "quest_length": (1, 2, 3, 5)}),
    _textworld("TextWorld-Large", 8, 12, 6, {}),
)

SPECS: tuple[EnvSpec, ...] = (*_BOARDS, *_GUESSING, *_WORDS, *_NAVIGATION, *_BARGAINING, *_DESCRIBING, *_ADAPTED)
"""All environments of the family."""
