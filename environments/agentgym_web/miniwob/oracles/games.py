"""Oracles of pages that answer back: numbers to guess or draw, sliders, spinners, suggestions, tic-tac-toe."""

from __future__ import annotations

import functools
import re
from typing import Any

from agentgym_web.miniwob.oracles.fields import fill, submit
from agentgym_web.miniwob.oracles.player import NOTHING, click, do, lines, quoted, solves
from agentgym_web.reading import Node, Reading

_MAX_CALLS = 8


@solves("guess-number")
def guess_number(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Halve the numbers that are left."""
    low, high = memory.get("range", (0, 9))
    said = " ".join(node.name for node in seen.all("text"))
    if found := re.search(r"The number is (lower|higher) than (\d+)", said):
        told = int(found[2])
        low, high = (low, told - 1) if found[1] == "lower" else (told + 1, high)
    memory["range"] = low, high
    return lines(fill(seen.find("spinbutton"), str((low + high) // 2)), submit(seen))


@solves("generate-number")
def generate_number(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Draw until the number fits."""
    shown = seen.all("text")[0].name
    fits = shown.isdigit() and _fits(int(shown), instruction)
    return click(seen.find("button", "Submit" if fits else "Generate"))


def _fits(number: int, instruction: str) -> bool:
    if found := re.search(r"(less|greater) than (\d+)", instruction):
        return number < int(found[2]) if found[1] == "less" else number > int(found[2])
    return number % 2 == ("odd" in instruction)


@solves("use-spinner")
def use_spinner(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Click the arrows until the number is there."""
    wanted = int(re.search(r"Select (-?\d+)", instruction)[1])  # type: ignore[index]
    now = int(seen.all("spinbutton")[0].value or 0)
    arrow = seen.all("button")[0 if wanted > now else 1]
    if wanted == now:
        return submit(seen)
    return lines(*[click(arrow)] * min(abs(wanted - now), _MAX_CALLS))


@solves("use-slider")
def use_slider(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Move a slider's handle with the keyboard, then Submit."""
    wanted = int(re.search(r"Select (-?\d+)", instruction)[1])  # type: ignore[index]
    return slide(seen, memory, wanted) or submit(seen)


@solves("form-sequence")
def slide_and_tick(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Move a slider, tick a box, submit."""
    wanted, nth = map(int, re.search(r"Select (-?\d+) .* the (\d)", instruction).groups())  # type: ignore[union-attr]
    if keys := slide(seen, memory, wanted):
        return keys
    return lines(click(seen.find("checkbox", nth=nth - 1)), submit(seen))


def slide(seen: Reading, memory: dict[str, Any], wanted: int) -> str:
    """The keys that bring the handle of a slider nearer to a value; "" when it is there.

    A page up or down is a fifth of the range, which is learned from both ends.
    """
    handle = next(node for node in seen.nodes if "ui-slider-handle" in node.properties.get("class", ""))
    now = next(int(node.name) for node in seen.after(handle) if re.fullmatch(r"-?\d+", node.name))
    if now == wanted:
        return ""
    if abs(wanted - now) <= _MAX_CALLS:
        return lines(*[do("press", handle.id, "ArrowRight" if wanted > now else "ArrowLeft")] * abs(wanted - now))
    ends = memory.setdefault("ends", [])
    if len(ends) < 2:
        ends.append(now) if memory.get("is_at_end") else memory.update(is_at_end=True)
        if len(ends) < 2:
            return do("press", handle.id, ("Home", "End")[len(ends)])
    page = max(1, (ends[1] - ends[0]) // 5)
    pages = min(max(1, round(abs(wanted - now) / page)), _MAX_CALLS)
    if abs(wanted - now) < page / 2:
        return lines(*[do("press", handle.id, "ArrowRight" if wanted > now else "ArrowLeft")] * _MAX_CALLS)
    return lines(*[do("press", handle.id, "PageUp" if wanted > now else "PageDown")] * pages)


@solves("form-sequence-2")
def choose_and_write(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A radio button and a field, both by their numbers."""
    radio, field = (int(number) - 1 for number in re.findall(r"the (\d)(?:st|nd|rd)", instruction))
    return lines(
        click(seen.find("radio", nth=radio)),
        fill(seen.find("textbox", nth=field), quoted(instruction)[0]),
        submit(seen),
    )


@solves("form-sequence-3")
def choose_and_press(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """An option of a list that opens by a click, then a button."""
    option = re.search(r"Choose (.*) from the dropdown", instruction)[1]  # type: ignore[index]
    name = quoted(instruction)[0]
    entry = seen.find("listitem", option)
    chosen = seen.find("combobox")
    if chosen is not None and chosen.value == option:
        return click(seen.find("button", name))
    opener = next((node for node in seen.nodes if node.properties.get("class") == "selectric"), None)
    return click(entry or opener)


@solves("use-autocomplete", "use-autocomplete-nodelay")
def complete(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Type the beginning, then take the suggestion that ends as it should."""
    start, *end = quoted(instruction)
    field = seen.all("textbox")[0]
    if field.value.startswith(start) and field.value.endswith(end[0] if end else "") and len(field.value) > len(start):
        return submit(seen)
    fitting = [
        node
        for node in seen.after(field)
        if node.id
        and node.role != "button"
        and node.name.startswith(start)
        and node.name.endswith(end[0] if end else "")
    ]
    if fitting:
        return click(fitting[0])
    return NOTHING if field.value == start else f"fill({field.id!r}, {start!r}, True)"


_ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@solves("tic-tac-toe")
def play_tic_tac_toe(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The move that wins most often against someone who sees a threat in less than half of the cases."""
    squares = [node for node in seen.all() if node.size[0] > 30]
    board = "".join(_sign(square) for square in squares)
    best = max((place for place in range(9) if board[place] == "."), key=lambda place: _worth(_put(board, place, "X")))
    return click(squares[best])


def _sign(square: Node) -> str:
    kind = square.properties.get("class", "")
    return "X" if "mark-x" in kind else "O" if "mark-o" in kind else "."


def _put(board: str, place: int, sign: str) -> str:
    return board[:place] + sign + board[place + 1 :]


def _has_won(board: str, sign: str) -> bool:
    return any(all(board[place] == sign for place in row) for row in _ROWS)


_RANDOM = 0.55
"""Share of the opponent's moves that are made blindly; with the others it wins or blocks where it can."""


@functools.cache
def _worth(board: str) -> float:
    """The chance to win with X from a board on which O moves."""
    if _has_won(board, "X"):
        return 1.0
    free = [place for place in range(9) if board[place] == "."]
    if not free:
        return 0.0
    blind = sum(_best(_put(board, place, "O")) for place in free) / len(free)
    wins = [place for place in free if _has_won(_put(board, place, "O"), "O")]
    blocks = [place for place in free if _has_won(_put(board, place, "X"), "X")]
    seeing = wins or blocks or free
    return _RANDOM * blind + (1 - _RANDOM) * sum(_best(_put(board, place, "O")) for place in seeing) / len(seeing)


def _best(board: str) -> float:
    """The chance to win with X from a board on which X moves."""
    free = [place for place in range(9) if board[place] == "."]
    if _has_won(board, "O") or not free:
        return 0.0
    return max(_worth(_put(board, place, "X")) for place in free)
