"""Number theory: divisors, remainders of powers, simultaneous remainders, and multiples counted by inclusion-exclusion."""

from __future__ import annotations

import math
from itertools import combinations
from random import Random

from agentgym_tools.maths.problem import Draft, Kind, listed
from agentgym_tools.python.kinds.arithmetic import PEOPLE, THINGS

_PRIMES = (2, 3, 5, 7)


def draw_divisors(rng: Random, level: int) -> Draft:
    """The sum of the divisors of a number; then of those not divisible by a prime; then also divisible by another."""
    low, high = ((40, 600), (600, 9_000), (9_000, 90_000))[level - 1]
    keep, drop = 1, 0
    if level > 1:
        drop, other = rng.sample(_PRIMES, 2)
        keep = other if level == 3 else 1
    step = max(drop, 1) * keep
    number = step * rng.randint(low // step, high // step)
    condition = ("", " that are not divisible by {drop}", " that are divisible by {keep} but not by {drop}")[level - 1]
    texts = (
        "What is the sum of all positive divisors of {number}" + condition + "?",
        "Consider the positive divisors of {number}" + condition + ". What do they add up to?",
        "{person} writes down all positive divisors of {number}"
        + condition
        + ", each once. What is the sum of the list?",
    )
    words = {"number": number, "keep": keep, "drop": drop, "person": rng.choice(PEOPLE)}
    return Draft(texts, words, {"number": number, "keep": keep, "drop": drop})


def sum_by_factors(number: int, keep: int, drop: int) -> int:
    """A product with one factor for each prime: the sum of its powers that are allowed."""
    total, prime = 1, 2
    while number > 1:
        if prime * prime > number:
            prime = number
        powers = [1]
        while number % prime == 0:
            number //= prime
            powers.append(powers[-1] * prime)
        if prime == drop:
            powers = [1]
        total *= sum(powers[1:] if prime == keep else powers)
        prime += 1
    return total


def sum_by_trying(number: int, keep: int, drop: int) -> int:
    """Try every number."""
    divisors = [d for d in range(1, number + 1) if number % d == 0]
    return sum(d for d in divisors if d % keep == 0 and (drop == 0 or d % drop != 0))


def divisors_in_short(number: int, keep: int, drop: int) -> str:
    """An expression for the sum of all divisors."""
    return f"sum(d for d in range(1, {number} + 1) if {number} % d == 0)"


def draw_powers(rng: Random, level: int) -> Draft:
    """The remainder of a power; of a sum of two larger ones; of a power whose exponent is a power, plus another."""
    modulus = rng.randint(101, 997)
    shapes = ([(15, 40, 1)], [(200, 900, 1)] * 2, [(3, 9, 30), (3, 9, 40)])[level - 1]
    terms = []
    for low, high, tower in shapes:
        height = rng.randint(tower // 2, tower) if tower > 1 else 1
        terms.append((rng.randint(3, 60), rng.randint(low, high), height))
    powers = [f"{a}^({b}^{c})" if c > 1 else f"{a}^{b}" for a, b, c in terms]
    words = {"sum": " + ".join(powers), "modulus": modulus}
    texts = (
        "What remainder does {sum} leave when it is divided by {modulus}? Here ^ means to the power of.",
        "Divide the number {sum} by {modulus}, where ^ means to the power of. What is the remainder?",
        "Writing ^ for to the power of: what is {sum} modulo {modulus}?",
    )
    return Draft(texts, words, {"terms": terms, "modulus": modulus})


def power_by_squaring(terms: list[tuple[int, int, int]], modulus: int) -> int:
    """Each whole exponent at once, by repeated squaring."""
    return sum(pow(base, exponent**height, modulus) for base, exponent, height in terms) % modulus


def power_by_steps(terms: list[tuple[int, int, int]], modulus: int) -> int:
    """Multiply step by step."""
    total = 0
    for base, exponent, height in terms:
        value = base
        for _ in range(height):
            power = 1
            for _ in range(exponent):
                power = power * value % modulus
            value = power
        total += value
    return total % modulus


def powers_in_short(terms: list[tuple[int, int, int]], modulus: int) -> str:
    """An expression for one power."""
    return f"pow({terms[0][0]}, {terms[0][1]}, {modulus})"


def draw_remainders(rng: Random, level: int) -> Draft:
    """The smallest number with two remainders; with three; with three whose moduli share factors, above a bound."""
    moduli = _draw_coprime(rng, 2, 11, 40) if level == 1 else _draw_coprime(rng, 3, 7, 30)
    above = 0
    if level == 3:
        moduli = rng.sample((12, 15, 18, 20, 21, 24, 28, 30, 35, 36, 40, 42, 45), 3)
        above = rng.randint(1_000, 90_000)
    secret = rng.randrange(math.lcm(*moduli))
    remainders = [secret % modulus for modulus in moduli]
    pairs = list(zip(remainders, moduli, strict=True))
    words = {
        "above": above,
        "person": rng.choice(PEOPLE),
        "things": rng.choice(THINGS),
        "left": listed([f"the remainder {r} when divided by {m}" for r, m in pairs]),
        "boxes": listed([f"{r} are left over when they are packed in boxes of {m}" for r, m in pairs]),
        "equal": listed([f"x - {r} is divisible by {m}" for r, m in pairs]),
    }
    texts = (
        "What is the smallest whole number greater than {above} that leaves {left}?",
        "{person} has more than {above} {things}: {boxes}. What is the smallest possible number of {things}?",
        "Find the smallest whole number x > {above} such that {equal}.",
    )
    return Draft(texts, words, {"pairs": pairs, "above": above})


def _draw_coprime(rng: Random, count: int, low: int, high: int) -> list[int]:
    """Numbers of a range of which no two share a factor."""
    while True:
        numbers = rng.sample(range(low, high), count)
        if math.lcm(*numbers) == math.prod(numbers):
            return numbers


def smallest_by_merging(pairs: list[tuple[int, int]], above: int) -> int:
    """Merge one congruence after another by the inverse of a modulus (Chinese remainder theorem)."""
    value, modulus = 0, 1
    for remainder, other in pairs:
        shared = math.gcd(modulus, other)
        steps = (remainder - value) // shared * pow(modulus // shared, -1, other // shared) % (other // shared)
        value, modulus = value + modulus * steps, modulus * other // shared
    return value + modulus * ((above - value) // modulus + 1)


def smallest_by_trying(pairs: list[tuple[int, int]], above: int) -> int:
    """Try one number after another."""
    x = above + 1
    while any(x % modulus != remainder for remainder, modulus in pairs):
        x += 1
    return x


def draw_multiples(rng: Random, level: int) -> Draft:
    """How many numbers are divisible by none of two; by none of three; by exactly one or two of four."""
    limit = rng.randint(*((100, 900), (1_000, 5_000), (5_000, 20_000))[level - 1])
    numbers = sorted(rng.sample(range(2, (13, 20, 40)[level - 1]), level + 1))
    exactly = rng.randint(1, 2) if level == 3 else 0
    many = ("none", "exactly one", "exactly two")[exactly]
    words = {"limit": limit, "numbers": listed(numbers), "many": many, "person": rng.choice(PEOPLE)}
    texts = (
        "How many whole numbers from 1 to {limit} are divisible by {many} of the numbers {numbers}?",
        "Count the whole numbers n with 1 <= n <= {limit} that are multiples of {many} of {numbers}. How many are there?",
        "{person} writes down the whole numbers from 1 to {limit} and keeps each one that is divisible by {many} of "
        "{numbers}. How many does {person} keep?",
    )
    return Draft(texts, words, {"limit": limit, "numbers": numbers, "exactly": exactly})


def multiples_by_inclusion(limit: int, numbers: list[int], exactly: int) -> int:
    """Inclusion and exclusion over the least common multiples of the chosen numbers."""
    total = 0
    for size in range(exactly, len(numbers) + 1):
        common = sum(limit // math.lcm(*chosen) for chosen in combinations(numbers, size))
        total += (-1) ** (size - exactly) * math.comb(size, exactly) * common
    return total


def multiples_by_counting(limit: int, numbers: list[int], exactly: int) -> int:
    """Look at every number."""
    return sum(sum(n % number == 0 for number in numbers) == exactly for n in range(1, limit + 1))


def multiples_in_short(limit: int, numbers: list[int], exactly: int) -> str:
    """An expression that counts the multiples of none."""
    condition = " and ".join(f"x % {number} > 0" for number in numbers)
    return f"sum({condition} for x in range(1, {limit} + 1))"


KINDS = (
    Kind("divisors", "integer", draw_divisors, sum_by_factors, sum_by_trying, divisors_in_short),
    Kind("powers", "integer", draw_powers, power_by_squaring, power_by_steps, powers_in_short),
    Kind("remainders", "integer", draw_remainders, smallest_by_merging, smallest_by_trying),
    Kind("multiples", "integer", draw_multiples, multiples_by_inclusion, multiples_by_counting, multiples_in_short),
)
