"""Functions on text: a choice of words or letters, a change of each, and what is made of them.

Words are separated by single spaces, and there is no punctuation.
"""

from __future__ import annotations

from random import Random

from agentgym_tools.python.problem import Problem

WORDS = (
    "amber", "bird", "cloud", "dune", "ember", "fern", "glade", "harbor", "iris", "jade", "kite", "lantern", "meadow",
    "noon", "opal", "pebble", "quartz", "river", "stone", "thistle", "umbra", "violet", "willow", "yarrow", "zenith",
    "level", "civic", "ant", "oak", "sun", "a", "I", "Otto", "Mira", "Delta", "North", "apple", "orange", "under",
)  # fmt: skip
CHOICES = (
    ("are longer than {k} letters", "len(w) > {k}"),
    ("are at most {k} letters long", "len(w) <= {k}"),
    ("begin with a vowel (a, e, i, o or u in either case)", "w[0].lower() in 'aeiou'"),
    ("contain the letter {c} in either case", "'{c}' in w.lower()"),
    ("do not contain the letter {c} in either case", "'{c}' not in w.lower()"),
    ("end with a consonant (a letter other than a, e, i, o and u in either case)", "w[-1].lower() not in 'aeiou'"),
    ("have an even number of letters", "len(w) % 2 == 0"),
    ("contain at least {v} vowels (a, e, i, o, u in either case)", "sum(c in 'aeiou' for c in w.lower()) >= {v}"),
)
CHANGES = (
    ("in capital letters", "w.upper()"),
    ("reversed", "w[::-1]"),
    ("shortened to their first {k} letters", "w[:{k}]"),
    ("without their vowels (a, e, i, o, u in either case)", "''.join(c for c in w if c.lower() not in 'aeiou')"),
    ("with their first letter moved to the end", "w[1:] + w[0]"),
    ("with every letter doubled", "''.join(c * 2 for c in w)"),
    ("with {c} put before each", "'{c}' + w"),
    ("with the case of every letter swapped", "w.swapcase()"),
)
RESULTS = (
    ("returns them joined by {s!r}", "return {s!r}.join(ws)"),
    ("returns the list of them, sorted by length, and those of equal length in their order", "return sorted(ws, key=len)"),
    ("returns the number of letters that they have together", "return sum(map(len, ws))"),
    ("returns the first of the longest ones, or '' if there are none", "return max(ws, key=len, default='')"),
    ("returns the list of them in reversed order", "return ws[::-1]"),
    ("returns the list of their lengths", "return [len(w) for w in ws]"),
    ("returns the text of their last letters ('' for empty ones)", "return ''.join(w[-1:] for w in ws)"),
    ("returns a dict that maps each of them to how often it occurs", "return {{w: ws.count(w) for w in ws}}"),
    ("returns the list of them, each with its position from 0, as [position, word]",
     "return [[i, w] for i, w in enumerate(ws)]"),
)  # fmt: skip
NAMES = ("tidy", "words_of", "arrange", "shape_text", "pick_words")


def sentence(rng: Random, length: int) -> str:
    """Words with single spaces between them, some of them several times."""
    words = rng.choices(WORDS, k=length)
    return " ".join(words + [rng.choice(words) for _ in range(length // 4)])


def _inputs(rng: Random) -> list[list[object]]:
    lengths = (5, 4, 1, *(rng.randint(2, 9) for _ in range(6)))
    texts: list[object] = [sentence(rng, length) for length in lengths]
    return [[text] for text in [*texts, ""]]


def _filled(rng: Random, parts: tuple[str, str]) -> tuple[str, str]:
    values = {"k": rng.randint(2, 5), "c": rng.choice("aeinorst"), "v": rng.randint(1, 3)}
    separator = rng.choice(["-", ", ", "/", "+", "_", " | "])
    return parts[0].format(s=separator, **values), parts[1].format(s=separator, **values)


def pipeline(rng: Random, level: int) -> Problem:
    """A choice, a change, or both, or two choices and two changes, and a result."""
    steps = {1: [rng.choice(("choose", "change"))], 2: ["choose", "change"], 3: ["choose", "change", "change"]}[level]
    text, lines = "takes a text of words with single spaces between them (maybe none)", ["ws = text.split()"]
    for step in steps:
        words, term = _filled(rng, rng.choice(CHOICES if step == "choose" else CHANGES))
        if step == "choose":
            text += f", keeps the words that {words}"
            lines.append(f"ws = [w for w in ws if {term}]")
        else:
            text += f", takes them {words}"
            lines.append(f"ws = [{term} for w in ws]")
    words, line = _filled(rng, rng.choice(RESULTS))
    body = "\n".join([*lines, line])
    return Problem("pipeline", f"{text}, and {words}.", body, rng.choice(NAMES), ("text",), _inputs(rng))


def letters(rng: Random, level: int) -> Problem:
    """A text changed letter by letter."""
    k, step = rng.randint(2, 5), rng.randint(2, 3 + level)
    c, d = rng.sample("aeinorst", 2)
    words, body = rng.choice(
        [
            (f"returns the text with every {step}th character (positions {step - 1}, {2 * step - 1}, … from 0) in "
             "capital letters", f"return ''.join(c.upper() if i % {step} == {step - 1} else c for i, c in enumerate(text))"),
            (f"returns the text with every {c} replaced by {d} and every {d} by {c}",
             f"return text.translate(str.maketrans('{c}{d}', '{d}{c}'))"),
            (f"returns the list of its pieces of {k} characters, the last one maybe shorter",
             f"return [text[i : i + {k}] for i in range(0, len(text), {k})]"),
            (f"returns the number of different pieces of {k} neighbouring characters in it",
             f"return len({{text[i : i + {k}] for i in range(len(text) - {k} + 1)}})"),
            (f"returns the positions (from 0) of the letters {c} and {d} in it, in either case, as a list",
             f"return [i for i, x in enumerate(text) if x.lower() in '{c}{d}']"),
            (f"returns the text in which each {k} neighbouring characters from the start are reversed in place, the rest "
             "at the end too", f"return ''.join(text[i : i + {k}][::-1] for i in range(0, len(text), {k}))"),
            (f"returns how often {c} is followed by {d}, directly or after one other character",
             f"return sum(x == '{c}' and '{d}' in text[i + 1 : i + 3] for i, x in enumerate(text))"),
        ]
    )  # fmt: skip
    return Problem("letters", f"takes a text and {words}.", body, "letters", ("text",), _inputs(rng))


KINDS = (pipeline, pipeline, letters)
