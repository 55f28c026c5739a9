"""Number theory in small: digits, divisors, primes, remainders, bases, and steps until something happens.

Everything is small enough for the plainest program.
"""

from __future__ import annotations

from random import Random

from agentgym_tools.python.problem import Problem

PROPERTIES = (
    ("prime", "n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))"),
    ("a perfect square", "int(n ** 0.5 + 0.5) ** 2 == n"),
    ("equal to their reversal", "str(n) == str(n)[::-1]"),
    ("divisible by their last digit (which is not 0)", "n % 10 != 0 and n % (n % 10) == 0"),
    ("divisible by the sum of their digits", "n > 0 and n % sum(map(int, str(n))) == 0"),
    ("made of different digits", "len(set(str(n))) == len(str(n))"),
    ("written in binary with an even number of ones", "bin(n).count('1') % 2 == 0"),
    ("written without the digit {m}", "'{m}' not in str(n)"),
    ("one more than a multiple of {m}", "n % {m} == 1"),
)


def _many(rng: Random, low: int, high: int) -> list[list[object]]:
    return [[n] for n in rng.sample(range(low, high), 10)]


def ranges(rng: Random, level: int) -> Problem:
    """Numbers of a range that have a property, or two."""
    m = rng.randint(2, 9)
    chosen = rng.sample(PROPERTIES, min(level, 2))
    words = " and ".join(words.format(m=m) for words, _ in chosen)
    test = " and ".join(f"({test.format(m=m)})" for _, test in chosen)
    wanted, result = rng.choice(
        [
            ("the number of", "return len(ns)"),
            ("the sum of", "return sum(ns)"),
            ("the largest of (None if there are none)", "return max(ns, default=None)"),
            ("the sorted list of", "return ns"),
        ]
    )
    text = f"returns {wanted} the whole numbers n with low <= n <= high (low is at least 1) that are {words}."
    body = f"ns = [n for n in range(low, high + 1) if {test}]\n{result}"
    bounds = [[low, low + rng.randint(5, 60)] for low in rng.sample(range(1, 300), 10)]
    return Problem("ranges", text, body, "in_range", ("low", "high"), bounds)


def divisors(rng: Random, level: int) -> Problem:
    """The divisors of a number."""
    k = rng.randint(2, 6)
    words, test = rng.choice(
        [
            ("that are odd", "d % 2 == 1"),
            (f"that are greater than {k}", f"d > {k}"),
            (f"that are not divisible by {k}", f"d % {k} != 0"),
            ("that are smaller than the number itself", "d < n"),
            (f"that leave the remainder 1 when divided by {k}", f"d % {k} == 1"),
            ("whose square is at most the number", "d * d <= n"),
        ]
    )
    wanted, result = rng.choice(
        [
            ("the number", "return len(ds)"),
            ("the sum", "return sum(ds)"),
            ("the sorted list", "return ds"),
            ("the product (1 if there are none)", "p = 1\nfor d in ds:\n    p *= d\nreturn p"),
            ("the sum of the squares", "return sum(d * d for d in ds)"),
        ]
    )
    text = f"returns {wanted} of the divisors of a whole number n >= 1 {words}."
    body = f"ds = [d for d in range(1, n + 1) if n % d == 0 and {test}]\n{result}"
    return Problem("divisors", text, body, "divisors", ("n",), _many(rng, 2, (60, 200, 2000)[level - 1]))


def steps(rng: Random, level: int) -> Problem:
    """How long a rule takes to reach an end."""
    a, b, m = rng.choice([3, 5, 7]), rng.choice([1, 3, 5]), rng.choice([2, 3])
    limit = rng.choice([50, 80, 120])
    rule, line = rng.choice(
        [
            (f"is divided by {m} if it is divisible by {m}, and else becomes {a} times itself plus {b}",
             f"n = n // {m} if n % {m} == 0 else {a} * n + {b}"),
            (f"loses its last digit if that is even (0 if it has only one), and else grows by {a}",
             f"n = n // 10 if n % 2 == 0 else n + {a}"),
            (f"becomes the sum of the squares of its digits plus {b}", f"n = sum(int(c) ** 2 for c in str(n)) + {b}"),
            (f"becomes {a} times itself plus {b}, of which the last three digits are kept", f"n = ({a} * n + {b}) % 1000"),
        ]
    )  # fmt: skip
    wanted, result = rng.choice(
        [
            ("how many steps it takes until a number comes that was there before", "return len(seen)"),
            ("the largest number that occurs before a number comes that was there before", "return max(seen)"),
            ("the sum of all different numbers that occur", "return sum(set(seen))"),
            (
                "the number after which the first repeated number comes (the last one before the repeat)",
                "return seen[-1]",
            ),
        ]
    )
    text = (
        f"follows a whole number n >= 1 that in each step {rule}, and returns {wanted}; it looks at no more than {limit} "
        "numbers, the start being the first."
    )
    body = f"seen = []\nwhile n not in seen and len(seen) < {limit}:\n    seen.append(n)\n    {line}\n{result}"
    return Problem("steps", text, body, "follow", ("n",), _many(rng, 1, 60 * level))


def digits(rng: Random, level: int) -> Problem:
    """A number written in a base, and something about its digits."""
    base = rng.randint(2, 9)
    wanted, result = rng.choice(
        [
            ("the sum of its digits", "return sum(ds)"),
            ("the list of its digits, the most significant first", "return ds"),
            ("the number of its digits that are 0", "return ds.count(0)"),
            ("the length of the longest run of equal neighbouring digits",
             "best = run = 1\nfor a, b in zip(ds, ds[1:]):\n    run = run + 1 if a == b else 1\n    best = max(best, run)\nreturn best"),
            ("the number that its digits give in reversed order, read in the same base",
             f"value = 0\nfor d in ds[::-1]:\n    value = value * {base} + d\nreturn value"),
            ("the alternating sum of its digits, first digit minus second plus third and so on",
             "return sum(d if i % 2 == 0 else -d for i, d in enumerate(ds))"),
        ]
    )  # fmt: skip
    factor = rng.randint(1, 6) if level > 1 else 1
    what = "n" if factor == 1 else f"{factor} * n"
    text = f"writes {what} in base {base} (n is a whole number >= 1) and returns {wanted}."
    body = f"m, ds = {what}, []\nwhile m:\n    ds.insert(0, m % {base})\n    m //= {base}\n{result}"
    return Problem("digits", text, body, "in_base", ("n",), _many(rng, 3, 2000))


KINDS = (ranges, divisors, steps, digits)
