"""Sensible moves in games of two of TextArena: for the other side, and for those who try out whole games.

Players look no further than one move ahead, and see what the one whose turn it is may see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from agentgym_dialogue.bargaining.liars_dice.bids import Bid, chance

BEATEN_BY = {"[rock]": "[paper]", "[paper]": "[scissors]", "[scissors]": "[rock]"}


class Turn(NamedTuple):
    """What a player knows whose turn it is.

    Attributes:
        raw: TextArena's environment.
        moves: The legal moves, at least one.
        made: The moves and lines of both players in this game, by player.
        style: Its personality, in [0, 1).
    """

    raw: Any
    moves: Sequence[str]
    made: Sequence[Sequence[str]]
    style: float

    @property
    def player(self) -> int:
        """Whose turn it is, 0 or 1."""
        number: int = self.raw.state.current_player_id
        return number

    @property
    def board(self) -> Any:
        """TextArena's board."""
        return self.raw.state.game_state["board"]


Choice = Callable[[Turn], Sequence[str]]
"""The sensible ones among the moves, at least one."""


def _winning(turn: Turn, mark: str, cell_of: Callable[[str], tuple[int, int]], has_won: Any) -> list[str]:
    """The moves at which a mark would win."""
    found = []
    for move in turn.moves:
        r, c = cell_of(move)
        before, turn.board[r][c] = turn.board[r][c], mark
        if has_won(r, c):
            found.append(move)
        turn.board[r][c] = before
    return found


def _square(turn: Turn) -> Callable[[str], tuple[int, int]]:
    size = len(turn.board)
    return lambda move: divmod(int(move.strip("[XO ]")), size)


def _tic_tac_toe(turn: Turn) -> Sequence[str]:
    """A row, else the other's row, else the centre or a corner."""
    for mark in ("OX", "XO")[turn.player]:
        if found := _winning(turn, mark, _square(turn), lambda r, c: turn.raw._check_winner()):
            return found
    return [move for move in turn.moves if int(move[1:-1]) % 2 == 0] or turn.moves


def _simple_tak(turn: Turn) -> Sequence[str]:
    """A road, else the other's road, else beside a stone of one's own."""
    own, other = ("OX", "XO")[turn.player]
    for mark in (own, other):
        if found := _winning(turn, mark, _square(turn), partial(_has_road, turn.raw, mark)):
            return found
    size = range(len(turn.board))
    beside = []
    for move in turn.moves:
        r, c = _square(turn)(move)
        steps = ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1))
        if any(i in size and j in size and turn.board[i][j] == own for i, j in steps):
            beside.append(move)
    return beside or turn.moves


def _has_road(raw: Any, mark: str, r: int, c: int) -> bool:
    return bool(raw._check_win(mark))


def _wild_tic_tac_toe(turn: Turn) -> Sequence[str]:
    """A row, else a mark after which the other has none."""
    if found := _rows_of_any_mark(turn):
        return found
    safe = []
    for move in turn.moves:
        r, c = _square(turn)(move)
        turn.board[r][c] = move[1]
        others = [other for other in turn.moves if other[2:] != move[2:]]
        if not _rows_of_any_mark(turn._replace(moves=others)):
            safe.append(move)
        turn.board[r][c] = ""
    return safe or turn.moves


def _rows_of_any_mark(turn: Turn) -> list[str]:
    """The moves that make a row of their mark."""
    found = []
    for mark in "XO":
        moves = [move for move in turn.moves if move[1] == mark]
        wins = partial(_has_row, turn.raw, mark)
        found += _winning(turn._replace(moves=moves), mark, _square(turn), wins)
    return found


def _has_row(raw: Any, mark: str, r: int, c: int) -> bool:
    return bool(raw._check_winner(mark))


def _connect_four(turn: Turn) -> Sequence[str]:
    """Four in a row, else the other's four, else near the middle and not where the other could win on top."""
    own, other = ("XO", "OX")[turn.player]
    raw = turn.raw

    def lowest(move: str) -> tuple[int, int]:
        column = int(move[5:-1])
        return raw._get_available_row(column), column

    for mark in (own, other):
        if found := _winning(turn, mark, lowest, raw._check_win):
            return found
    safe = []
    for move in turn.moves:
        r, c = lowest(move)
        turn.board[r][c] = own
        if r == 0 or move not in _winning(turn._replace(moves=[move]), other, lowest, raw._check_win):
            safe.append(move)
        turn.board[r][c] = "."
    return sorted(safe or turn.moves, key=lambda move: abs(int(move[5:-1]) - 3))[:3]


def _nim(turn: Turn) -> Sequence[str]:
    """What leaves the piles balanced."""
    piles = turn.raw.state.game_state["piles"]
    balance = 0
    for pile in piles:
        balance ^= pile
    found = [f"[{i} {pile - (pile ^ balance)}]" for i, pile in enumerate(piles) if pile ^ balance < pile]
    return found or turn.moves


def _othello(turn: Turn) -> Sequence[str]:
    """A corner, else what turns most stones and is not beside a corner."""
    last = turn.raw.N - 1
    cells = {move: tuple(map(int, move[1:-1].split(", "))) for move in turn.moves}
    corners = [move for move, cell in cells.items() if set(cell) <= {0, last}]
    if corners:
        return corners
    inner = [move for move, (r, c) in cells.items() if {r, c} - {1, last - 1}] or turn.moves
    piece, board = "BW"[turn.player], turn.raw.board
    turned = {}
    for move in inner:
        before = [row[:] for row in board]
        turned[move] = turn.raw._place_and_flip(*cells[move], piece)
        for row, was in zip(board, before, strict=True):
            row[:] = was
    return [move for move in inner if turned[move] == max(turned.values())]


def _breakthrough(turn: Turn) -> Sequence[str]:
    """The home row, else a capture, else a step to where nothing captures."""
    size = len(turn.board)
    other, ahead, home = ("B", 1, size) if turn.player == 0 else ("W", -1, 1)
    arriving = [move for move in turn.moves if int(move[4:-1]) == home]
    if arriving:
        return arriving

    def holds(file: int, rank: int) -> bool:
        return 0 <= file < size and 0 <= rank < size and turn.board[rank][file] == other

    places = {move: (ord(move[3]) - 97, int(move[4:-1]) - 1) for move in turn.moves}
    captures = [move for move, place in places.items() if holds(*place)]
    safe = [move for move, (file, rank) in places.items() if not any(holds(file + d, rank + ahead) for d in (-1, 1))]
    return [move for move in captures if move in safe] or captures or safe or turn.moves


def _chopsticks(turn: Turn) -> Sequence[str]:
    """What kills a hand, else that after which none can be killed."""
    hands = turn.raw.state.game_state["hands"]
    own, other = hands[turn.player], hands[1 - turn.player]
    kills, safe = [], []
    for move in turn.moves:
        i, j = int(move[-4]), int(move[-2])
        mine, theirs = list(own), list(other)
        if move.startswith("[attack"):
            theirs[j] += own[i]
            if theirs[j] >= 5:
                kills.append(move)
                theirs[j] = 0
        else:
            mine = [i, j]
        if not any(x and y and x + y >= 5 for x in theirs for y in mine):
            safe.append(move)
    return kills or safe or turn.moves


def _liars_dice(turn: Turn) -> Sequence[str]:
    """The likeliest bid, or a call where that is likelier still."""
    state = turn.raw.state.game_state
    dice = "".join(map(str, state["dice_rolls"][turn.player]))
    num_others = state["remaining_dice"][1 - turn.player]
    odds = {}
    for move in turn.moves:
        if move != "[Call]":
            number, face = map(int, move[6:-1].split(", "))
            odds[move] = chance(Bid(number, face), dice, num_others)
    best = max(odds.values(), default=0.0)
    last = state["current_bid"]
    if (
        last["quantity"]
        and 1 - chance(Bid(last["quantity"], last["face_value"]), dice, num_others) + 0.3 * (turn.style - 0.5) >= best
    ):
        return ["[Call]"]
    return [move for move, value in odds.items() if value >= best - 1e-9]


def _pig(turn: Turn) -> Sequence[str]:
    """Holds at its own threshold, from 10 to 21, and where that wins."""
    state = turn.raw.state.game_state
    total = state["turn_total"]
    is_enough = total >= 10 + int(12 * turn.style) or state["scores"][turn.player] + total >= turn.raw.winning_score
    return ["[hold]" if total and is_enough else "[roll]"]


def _rock_paper_scissors(turn: Turn) -> Sequence[str]:
    """One of four habits: a favourite, going round, beating what the other made in the last round, repeating it."""
    habit, favourite = int(4 * turn.style), int(12 * turn.style) % 3
    rounds = turn.raw.state.game_state["history"]
    if habit == 1:
        return [turn.moves[(favourite + len(rounds)) % 3]]
    if habit == 0 or not rounds:
        return [turn.moves[favourite]]
    last = f"[{rounds[-1][1 - turn.player]}]"
    return [BEATEN_BY[last] if habit == 2 else last]


def _pure_strategy(turn: Turn) -> Sequence[str]:
    """A card about as high as the prize."""
    raw = turn.raw
    prize = raw.state.game_state["current_prize"]
    gaps = {move: abs(raw._face_to_val(move[1:-1]) - prize) for move in turn.moves}
    return [move for move, gap in gaps.items() if gap <= max(1, min(gaps.values()))]


def _dilemma(turn: Turn) -> Sequence[str]:
    """One of three habits: tit for tat, never forgiving, going its own way."""
    if turn.raw.state.game_state["phase"] == "conversation":
        return turn.moves
    own, other = ([move for move in made if move in turn.moves] for made in _own_first(turn))
    known = other[: len(own)]  # the other may have moved in this round already, which is not to be seen
    habit = int(3 * turn.style)
    if habit == 2:
        return turn.moves
    return ["[Defect]" if "[Defect]" in (known[-1:] if habit == 0 else known) else "[Cooperate]"]


def _own_first(turn: Turn) -> tuple[Sequence[str], Sequence[str]]:
    return turn.made[turn.player], turn.made[1 - turn.player]


HABITS: Mapping[str, Choice] = {
    "Breakthrough": _breakthrough,
    "Chopsticks": _chopsticks,
    "ConnectFour": _connect_four,
    "GameOfPureStrategy": _pure_strategy,
    "IteratedPrisonersDilemma": _dilemma,
    "IteratedRockPaperScissors": _rock_paper_scissors,
    "LiarsDice": _liars_dice,
    "Nim": _nim,
    "Othello": _othello,
    "PigDice": _pig,
    "SimpleTak": _simple_tak,
    "TicTacToe": _tic_tac_toe,
    "WildTicTacToe": _wild_tic_tac_toe,
}
"""By the name of the game the sensible ones among the moves of whose turn it is."""
