"""Which games of other packages are played: their names alone, which need none of the packages."""

TOY_TEXT = {"FrozenLake": "frozen-lake", "Taxi": "taxi", "Blackjack": "blackjack"}
"""Games of Gymnasium's toy text, each with its suite."""

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
WHY_NO_ORACLE = {"FifteenPuzzle": "half of TextArena's shuffles cannot be solved, and the others need a long search"}
"""Games that no script of ours solves, each with the reason."""


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
