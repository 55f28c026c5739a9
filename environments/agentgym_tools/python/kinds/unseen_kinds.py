"""Kinds that training never shows: numerals, run lengths, brackets, ciphers, calendars, automata, games.

They use the same Python; what is new is what has to be understood.
"""

from __future__ import annotations

from random import Random

from agentgym_tools.python.kinds.strings import WORDS
from agentgym_tools.python.problem import Problem


def numerals(rng: Random, level: int) -> Problem:
    """Numbers written with letters of falling value."""
    letters = rng.sample("ABKLPQTZ", 4)
    values = rng.choice([(50, 10, 5, 1), (64, 16, 4, 1), (81, 27, 9, 1), (100, 25, 5, 1), (36, 12, 6, 1)])
    table = list(zip(letters, values, strict=True))
    said = ", ".join(f"{letter} = {value}" for letter, value in table)
    text = (
        f"writes a whole number n >= 1 in letters with the values {said}: as often as it fits, the largest value is taken "
        "away and its letter written, then the next, until nothing is left."
    )
    body = f"out = ''\nfor letter, value in {table!r}:\n    out += letter * (n // value)\n    n %= value\nreturn out"
    return Problem("numerals", text, body, "numeral", ("n",), [[n] for n in rng.sample(range(2, 240), 10)])


def run_lengths(rng: Random, level: int) -> Problem:
    """Runs of equal letters written with their lengths."""
    mark, least = rng.choice(["*", "#", "^", ":"]), rng.randint(2, 4)
    text = (
        f"shortens a text: each longest run of at least {least} equal neighbouring letters is replaced by the letter, "
        f"{mark!r} and the length of the run; shorter runs stay as they are."
    )
    body = (
        "out, i = '', 0\nwhile i < len(text):\n    j = i\n    while j < len(text) and text[j] == text[i]:\n        j += 1\n"
        f"    out += f'{{text[i]}}{mark}{{j - i}}' if j - i >= {least} else text[i:j]\n    i = j\nreturn out"
    )
    inputs: list[list[object]] = [
        ["".join(rng.choice("abc") * rng.randint(1, 6) for _ in range(rng.randint(2, 6)))] for _ in range(9)
    ]
    return Problem("run_lengths", text, body, "shorten", ("text",), [*inputs, [""]])


def brackets(rng: Random, level: int) -> Problem:
    """Nesting of brackets."""
    opening, closing = rng.choice([("(", ")"), ("[", "]"), ("{", "}"), ("<", ">")])
    wanted, result = rng.choice(
        [
            ("the greatest depth of nesting, or -1 if they are not balanced", "return max(depths) if ok else -1"),
            ("the position (from 0) of the first bracket that makes it impossible to balance, the length of the text if "
             "only closing ones are missing at the end, or -1 if they are balanced",
             "return -1 if ok else (depths[1:].index(-1) if -1 in depths else len(text))"),
            ("how many brackets have to be added at the end so that they are balanced, or None if that cannot help",
             "return None if -1 in depths else depths[-1]"),
        ]
    )  # fmt: skip
    text = f"takes a text of letters and the brackets {opening} and {closing} and returns {wanted}."
    body = (
        f"depths = [0]\nfor c in text:\n    depths.append(depths[-1] + (c == {opening!r}) - (c == {closing!r}))\n"
        f"    if depths[-1] < 0:\n        break\nok = depths[-1] == 0\n{result}"
    )
    inputs: list[list[object]] = []
    for number in range(10):
        made = ""
        depth = 0
        for _ in range(rng.randint(3, 10)):
            if depth and rng.random() < 0.45:
                made, depth = made + closing, depth - 1
            elif rng.random() < 0.6:
                made, depth = made + opening, depth + 1
            else:
                made += rng.choice("xyz")
        made += closing * depth if number % 2 else rng.choice([opening, closing * (depth + 1), "x"])
        inputs.append([made])
    return Problem("brackets", text, body, "nesting", ("text",), inputs)


def ciphers(rng: Random, level: int) -> Problem:
    """Letters shifted by a rule."""
    k, s = rng.randint(2, 9), rng.randint(1, 5)
    words, shift = rng.choice(
        [
            (f"by {k} places plus its position in the text (from 0)", f"{k} + i"),
            (f"by {s} times its position in the text (from 0)", f"{s} * i"),
            (f"by {k} places at even positions (from 0) and {s} places back at odd ones", f"{k} if i % 2 == 0 else -{s}"),
            (f"by {k} places if the letter before it (in the original) is a vowel, else by {s}",
             f"{k} if i and text[i - 1] in 'aeiou' else {s}"),
        ]
    )  # fmt: skip
    text = f"moves every letter of a word in small letters forward in the alphabet {words}; after z comes a again."
    body = f"return ''.join(chr((ord(c) - 97 + ({shift})) % 26 + 97) for i, c in enumerate(text))"
    chosen = rng.sample([word for word in WORDS if word.islower() and len(word) > 2], 10)
    return Problem("ciphers", text, body, "encode", ("text",), [[word] for word in chosen])


def calendars(rng: Random, level: int) -> Problem:
    """Weeks and months of a made-up world."""
    week = rng.sample(("Sun", "Oak", "Sea", "Fire", "Wind", "Salt", "Moon", "Iron"), rng.randint(5, 7))
    month, first = rng.randint(20, 35), rng.randrange(5)
    text = (
        f"works with a calendar of months of {month} days and a week of the days {', '.join(week)}, in this order; day 1 of "
        f"month 1 is {week[first]}. It returns the day's name for a month and a day (both from 1)."
    )
    body = f"days = (month - 1) * {month} + day - 1\nreturn {week!r}[({first} + days) % {len(week)}]"
    inputs: list[list[object]] = [[rng.randint(1, 12), rng.randint(1, month)] for _ in range(10)]
    return Problem("calendars", text, body, "day_name", ("month", "day"), inputs)


def automata(rng: Random, level: int) -> Problem:
    """A row of cells that changes by a rule."""
    rule = rng.choice([30, 54, 60, 90, 102, 110, 126, 150, 182])
    alive = [f"{n:03b}".replace("1", "#").replace("0", ".") for n in range(8) if rule >> n & 1]
    text = (
        "takes a row of cells as a text of '#' and '.' and a number of steps and returns the row after the steps. In each "
        "step every cell looks at its left neighbour, itself and its right neighbour (beyond the ends there are '.'), and "
        f"becomes '#' if these three are one of {', '.join(alive)}, else '.'."
    )
    body = (
        f"for _ in range(steps):\n    p = '.' + row + '.'\n"
        f"    row = ''.join('#' if p[i : i + 3] in {alive!r} else '.' for i in range(len(row)))\nreturn row"
    )
    inputs: list[list[object]] = [
        ["".join(rng.choice("#..") for _ in range(rng.randint(5, 12))) + "#", rng.randint(1, 4)] for _ in range(10)
    ]
    return Problem("automata", text, body, "evolve", ("row", "steps"), inputs)


def marks(rng: Random, level: int) -> Problem:
    """Marks for a guess of a secret word."""
    right, near, none = rng.sample("GYXO+-", 3)
    text = (
        f"compares a guess with a secret of the same length and returns a text with one mark a letter: {right} where the "
        f"letter stands at its place, {near} where it occurs at another place of the secret, {none} where it does not occur "
        "at all; letters are not used up."
    )
    body = (
        f"return ''.join({right!r} if g == s else {near!r} if g in secret else {none!r} for g, s in zip(guess, secret))"
    )
    inputs: list[list[object]] = []
    for _ in range(10):
        length = rng.randint(3, 6)
        inputs.append(["".join(rng.choices("abcde", k=length)), "".join(rng.choices("abcde", k=length))])
    return Problem("marks", text, body, "mark", ("guess", "secret"), inputs)


def spirals(rng: Random, level: int) -> Problem:
    """A grid read in a special order."""
    words, body = rng.choice(
        [
            ("row by row, every second row (the second, the fourth, …) from right to left",
             "return [x for i, row in enumerate(grid) for x in (row[::-1] if i % 2 else row)]"),
            ("column by column, every second column (the second, the fourth, …) from bottom to top",
             "return [x for i, col in enumerate(zip(*grid)) for x in (col[::-1] if i % 2 else col)]"),
            ("along the diagonals on which row plus column is constant, from the smallest sum on, each from top to bottom",
             "n, m = len(grid), len(grid[0])\nreturn [grid[r][s - r] for s in range(n + m - 1) for r in range(n) if 0 <= s - r < m]"),
            ("along the diagonals on which row plus column is constant, from the largest sum on, each from bottom to top",
             "n, m = len(grid), len(grid[0])\nreturn [grid[r][s - r] for s in range(n + m - 2, -1, -1) for r in range(n - 1, -1, -1) if 0 <= s - r < m]"),
            ("in a spiral from the top left field, first to the right, turning clockwise, to the middle",
             "out, rows = [], [list(r) for r in grid]\nwhile rows:\n    out += rows.pop(0)\n    rows = [list(r) for r in zip(*rows)][::-1]\nreturn out"),
            ("in a spiral from the bottom right field, first to the left, turning clockwise, to the middle",
             "out, rows = [], [list(r)[::-1] for r in grid][::-1]\nwhile rows:\n    out += rows.pop(0)\n    rows = [list(r) for r in zip(*rows)][::-1]\nreturn out"),
        ]
    )  # fmt: skip
    k = rng.randint(2, 4)
    wanted, change = rng.choice(
        [("the list of its numbers", ""), (f"the list of every {k}th of its numbers, starting with the first,", f"[::{k}]"),
         (f"the first {k + 2} of its numbers (fewer if there are fewer)", f"[: {k + 2}]")]
    )  # fmt: skip
    head, _, last = body.rpartition("return ")
    text = f"takes a grid (a list of rows of equal length) and returns {wanted} read {words}."
    inputs: list[list[object]] = []
    for _ in range(10):
        rows, columns = rng.randint(1 + (len(inputs) < 2), 4), rng.randint(2, 4)
        inputs.append([[[rng.randint(0, 99) for _ in range(columns)] for _ in range(rows)]])
    return Problem("spirals", text, f"{head}return ({last}){change}", "read_grid", ("grid",), inputs)


KINDS = (numerals, run_lengths, brackets, ciphers, calendars, automata, marks, spirals)
