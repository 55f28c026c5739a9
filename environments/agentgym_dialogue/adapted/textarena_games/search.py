"""Searches for a way to win games of TextArena; each gives the first move of it.

Games that need none are in `solutions`.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from itertools import product
from typing import Any, TypeVar

State = TypeVar("State", bound=Hashable)
_STEPS = {"[up]": (-1, 0), "[down]": (1, 0), "[left]": (0, -1), "[right]": (0, 1)}
MAX_STATES = 60_000
_KNOWN_WAYS: dict[Any, str] = {}
"""Moves of RushHour that were found before: its searches take the longest."""
GIVE_UP = "[0]"
"""A move for positions that cannot be won."""


def shortest_way(
    start: State, is_goal: Callable[[State], bool], ways: Callable[[State], Iterable[tuple[str, State]]]
) -> list[tuple[State, str]]:
    """States of a shortest way to a goal, each with the move that leaves it; none where none is found."""
    came_from: dict[State, tuple[State, str]] = {}
    queue = deque([start])
    while queue and len(came_from) < MAX_STATES:
        state = queue.popleft()
        for move, following in ways(state):
            if following == start or following in came_from:
                continue
            came_from[following] = (state, move)
            if is_goal(following):
                way = [came_from[following]]
                while way[-1][0] != start:
                    way.append(came_from[way[-1][0]])
                return way[::-1]
            queue.append(following)
    return []


def first_step(
    start: State, is_goal: Callable[[State], bool], ways: Callable[[State], Iterable[tuple[str, State]]]
) -> str:
    """The first move of a shortest way to a goal; `GIVE_UP` where none is found."""
    way = shortest_way(start, is_goal, ways)
    return way[0][1] if way else GIVE_UP


def merge(raw: Any) -> str:
    """2048: of the moves that change the board the one that looks best two moves ahead."""
    board = [list(row) for row in raw.state.game_state["board"]]
    return max(_STEPS, key=lambda move: _merged_value(raw, board, move, 2))


def _merged_value(raw: Any, board: list[list[int]], move: str, depth: int) -> float:
    shifted = _shifted(raw, board, move)
    if shifted == board:
        return -1e9
    later = max((_merged_value(raw, shifted, other, depth - 1) for other in _STEPS), default=0.0) if depth else 0.0
    weights = [4.0**place for place in (0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11, 15, 14, 13, 12)]
    flat = [value for row in shifted for value in row]
    looks = sum(w * v for w, v in zip(weights, flat, strict=True)) / 4.0**15 + 2.0 * flat.count(0)
    return looks + max(later, -1e6)


def _shifted(raw: Any, board: list[list[int]], move: str) -> list[list[int]]:
    lines = [list(column) for column in zip(*board, strict=True)] if move in ("[up]", "[down]") else board
    if move in ("[down]", "[right]"):
        lines = [line[::-1] for line in lines]
    lines = [raw._compress_and_merge(list(line))[0] for line in lines]
    if move in ("[down]", "[right]"):
        lines = [line[::-1] for line in lines]
    return [list(row) for row in zip(*lines, strict=True)] if move in ("[up]", "[down]") else lines


@lru_cache(maxsize=1_000)
def count_down(numbers: tuple[int, ...], target: int) -> str:
    """Countdown: the first operation of those that make the target."""
    for (i, one), (j, other) in product(enumerate(numbers), repeat=2):
        if i == j:
            continue
        for sign, value in (("+", one + other), ("-", one - other), ("*", one * other)):
            rest = tuple(n for place, n in enumerate(numbers) if place not in (i, j))
            if value == target or (rest and count_down((*rest, value), target) != GIVE_UP):
                return f"[{i} {j} {sign}]"
    return GIVE_UP


def cross_lake(raw: Any) -> str:
    """FrozenLake: the first step of a shortest way to the goal."""
    state, size = raw.state.game_state, raw.size

    def ways(at: tuple[int, int]) -> Iterable[tuple[str, tuple[int, int]]]:
        for move, (down, right) in _STEPS.items():
            r, c = at[0] + down, at[1] + right
            if 0 <= r < size and 0 <= c < size and state["grid"][r][c] != "H":
                yield move, (r, c)

    return first_step(tuple(state["player_pos"]), lambda at: at == tuple(state["goal_pos"]), ways)


def turn_off(grid: list[list[bool]]) -> str:
    """LightsOut: the first light of the fewest that put all out: the first row is tried, the others follow from it."""
    pressed = [_pressed(grid, first_row) for first_row in product((False, True), repeat=len(grid))]
    best = min((lights for lights in pressed if lights), key=len, default=[])
    return "[{} {}]".format(*best[0]) if best else GIVE_UP


def _pressed(grid: list[list[bool]], first_row: tuple[bool, ...]) -> list[tuple[int, int]]:
    """The lights to press after those of the first row; none where lights stay on."""
    size = len(grid)
    lights = [list(row) for row in grid]
    pressed = []
    for r, c in product(range(size), repeat=2):
        if not (first_row[c] if r == 0 else lights[r - 1][c]):
            continue
        pressed.append((r, c))
        for down, right in ((0, 0), *_STEPS.values()):
            if 0 <= r + down < size and 0 <= c + right < size:
                lights[r + down][c + right] ^= True
    return [] if any(map(any, lights)) else pressed


def jump(raw: Any) -> str:
    """PegJump: the first jump of those that leave one peg."""
    return _jump(tuple(raw.state.game_state["board"]), tuple(sorted(set(raw.ALLOWED_MOVES))))


@lru_cache(maxsize=200_000)
def _jump(board: tuple[bool, ...], jumps: tuple[tuple[int, int, int], ...]) -> str:
    for start, over, end in jumps:
        if board[start] and board[over] and not board[end]:
            following = list(board)
            following[start], following[over], following[end] = False, False, True
            if following.count(True) == 1 or _jump(tuple(following), jumps) != GIVE_UP:
                return f"[{start} {end}]"
    return GIVE_UP


def drive_out(raw: Any) -> str:
    """RushHour: the first move of a shortest way of the red car to the exit."""
    cars = [car.copy() for car in raw.state.game_state["vehicles"].values()]
    red = next(index for index, car in enumerate(cars) if car.vid == "X")
    size = raw.BOARD_SIZE

    def ways(places: tuple[int, ...]) -> Iterable[tuple[str, tuple[int, ...]]]:
        taken = {cell for car, place in zip(cars, places, strict=True) for cell in _cells(car, place)}
        for index, car in enumerate(cars):
            for sign, place, ahead in (("+", places[index] + 1, car.length - 1), ("-", places[index] - 1, 0)):
                cell = _cells(car, place)[ahead]
                if place >= 0 and place + car.length <= size and cell not in taken:
                    yield f"[{car.vid}{sign}]", (*places[:index], place, *places[index + 1 :])

    start = tuple(car.col if car.horizontal else car.row for car in cars)
    board = tuple((car.vid, car.row if car.horizontal else car.col, car.horizontal, car.length) for car in cars)
    if (board, start) not in _KNOWN_WAYS:
        if len(_KNOWN_WAYS) > MAX_STATES:
            _KNOWN_WAYS.clear()
        way = shortest_way(start, lambda places: places[red] >= size - cars[red].length, ways)
        _KNOWN_WAYS.update({(board, places): move for places, move in way or [(start, GIVE_UP)]})
    return _KNOWN_WAYS[board, start]


def _cells(car: Any, place: int) -> list[tuple[int, int]]:
    return [(car.row, place + i) if car.horizontal else (place + i, car.col) for i in range(car.length)]


def draw_loop(raw: Any) -> str:
    """Slitherlink: an edge that is missing, or too many, for the first rectangle that meets all clues."""
    drawn = {("h", *edge) for edge in raw.h_edges} | {("v", *edge) for edge in raw.v_edges}
    for height, width in product(range(1, raw.R + 1), range(1, raw.C + 1)):
        for top, left in product(range(raw.R - height + 1), range(raw.C - width + 1)):
            loop = {("h", row, left + i) for row in (top, top + height) for i in range(width)}
            loop |= {("v", top + i, column) for column in (left, left + width) for i in range(height)}
            if _meets(raw.clues, loop):
                differing = sorted(loop ^ drawn)
                return "[{} {} {}]".format(*differing[0]) if differing else GIVE_UP
    return GIVE_UP


def _meets(clues: list[list[int | None]], loop: set[tuple[str, int, int]]) -> bool:
    for r, row in enumerate(clues):
        for c, clue in enumerate(row):
            sides = {("h", r, c), ("h", r + 1, c), ("v", r, c), ("v", r, c + 1)}
            if clue is not None and len(sides & loop) != clue:
                return False
    return True


def push(raw: Any) -> str:
    """Sokoban: the first step of a shortest way to have every box on a target."""
    fixed, now = raw.room_fixed.tolist(), raw.room_state.tolist()
    cells = [(r, c) for r, row in enumerate(fixed) for c in range(len(row))]
    targets = frozenset(cell for cell in cells if fixed[cell[0]][cell[1]] == 2)
    boxes = frozenset(cell for cell in cells if now[cell[0]][cell[1]] in (3, 4))
    at = (int(raw.player_position[0]), int(raw.player_position[1]))

    def ways(state: tuple[Any, frozenset[Any]]) -> Iterable[tuple[str, tuple[Any, frozenset[Any]]]]:
        (row, column), placed = state
        for move, (down, right) in _STEPS.items():
            ahead, beyond = (row + down, column + right), (row + 2 * down, column + 2 * right)
            if fixed[ahead[0]][ahead[1]] == 0:
                continue
            if ahead not in placed:
                yield move, (ahead, placed)
            elif fixed[beyond[0]][beyond[1]] != 0 and beyond not in placed:
                yield move, (ahead, placed - {ahead} | {beyond})

    return first_step((at, boxes), lambda state: state[1] == targets, ways)


def move_tower(towers: dict[str, list[int]]) -> str:
    """TowerOfHanoi: the first move of the fewest that bring all disks to C."""
    names = sorted(towers)
    size = sum(map(len, towers.values()))
    start = tuple(tuple(towers[name]) for name in names)

    def ways(state: tuple[tuple[int, ...], ...]) -> Iterable[tuple[str, tuple[tuple[int, ...], ...]]]:
        for source, target in product(range(len(names)), repeat=2):
            if state[source] and (not state[target] or state[target][-1] > state[source][-1]):
                following = [list(tower) for tower in copy.copy(state)]
                following[target].append(following[source].pop())
                yield f"[{names[source]} {names[target]}]", tuple(map(tuple, following))

    return first_step(start, lambda state: len(state[-1]) == size, ways)
