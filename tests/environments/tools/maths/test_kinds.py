from __future__ import annotations

import dataclasses
from collections import Counter
from fractions import Fraction
from random import Random

import pytest

from agentgym.errors import TaskError
from agentgym_tools.maths.kinds import HELD_OUT, KINDS, TRAINED
from agentgym_tools.maths.problem import LEVELS, draw_candidate, draw_problem, is_telling, to_task
from agentgym_tools.maths.values import read_value

AGREEING_SEEDS = 4
"""Seeds of each kind and level on which both methods are run; every task of the suites is another such draw."""


def draws(name: str, level: int, count: int) -> list[Random]:
    return [Random(f"{name} {level} {seed}") for seed in range(count)]


@pytest.mark.parametrize("name", KINDS)
def test_two_methods_agree_on_what_is_drawn(name: str) -> None:
    for level in LEVELS:
        for rng in draws(name, level, AGREEING_SEEDS):
            assert draw_problem(KINDS[name], rng, level).answer not in (-1, 0, 1)


@pytest.mark.parametrize("name", KINDS)
def test_methods_that_differ_are_refused(name: str) -> None:
    kind = KINDS[name]
    wrong = dataclasses.replace(kind, second=lambda **values: kind.first(**values) + 1)
    with pytest.raises(TaskError, match=f"'{name}' differ"):
        draw_problem(wrong, Random(0), 1)


@pytest.mark.parametrize("name", KINDS)
def test_no_answer_is_common(name: str) -> None:
    for level in LEVELS:
        answers = Counter(draw_candidate(KINDS[name], rng, level).answer for rng in draws(name, level, 200))
        assert answers.most_common(1)[0][1] < 20, level


@pytest.mark.parametrize("name", KINDS)
def test_programs_print_the_answer(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    kind = KINDS[name]
    for level in LEVELS:
        problem = draw_candidate(kind, Random(level), level)
        tasks = [to_task(problem, seed=1)]
        if kind.short is not None and level == 1:
            tasks.append(to_task(problem, seed=1, is_short=True))
        for task in tasks:
            exec(task.private["program"], {})
            printed = capsys.readouterr().out.strip()
            assert read_value(printed, kind.form) == read_value(task.private["answer"], kind.form)


@pytest.mark.parametrize("name", KINDS)
def test_wordings_vary_and_leave_no_gap(name: str) -> None:
    for level in LEVELS:
        draft = KINDS[name].draw(Random(level), level)
        texts = [text.format(**draft.words) for text in draft.texts]
        assert len(set(texts)) >= 3
        for text in texts:
            assert text[-1] in ".?"
            assert not set("{}") & set(text)
            assert "None" not in text
            assert "  " not in text


def test_problems_grow_with_the_level() -> None:
    """The text, or the largest number of the problem, grows from level 1 to level 3."""
    for kind in KINDS.values():
        sizes = []
        for level in (1, 3):
            found = [draw_candidate(kind, rng, level) for rng in draws(kind.name, level, 30)]
            sizes.append((sum(len(one.text) for one in found), sum(abs(one.answer) for one in found)))
        (text, answer), (longer_text, larger_answer) = sizes
        assert longer_text > 1.05 * text or larger_answer > 3 * answer, kind.name


def test_four_of_twenty_kinds_are_held_out() -> None:
    assert (len(KINDS), len(TRAINED), len(HELD_OUT)) == (20, 16, 4)
    assert not set(TRAINED) & set(HELD_OUT)


@pytest.mark.parametrize(
    ("answer", "text", "is_good"),
    [(7, "6 or 17?", True), (17, "6 or 17?", False), (1, "?", False), (Fraction(3, 7), "3/7?", False)],
)
def test_answers_that_the_question_gives_away_are_not_telling(answer: Fraction, text: str, is_good: bool) -> None:
    assert is_telling(answer, text, "fraction") is is_good


@pytest.mark.parametrize(
    ("name", "values", "answer"),
    [
        ("divisors", {"number": 12, "keep": 2, "drop": 3}, 2 + 4),
        ("powers", {"terms": [(2, 10, 1), (3, 2, 2)], "modulus": 1000}, 24 + 81),
        ("remainders", {"pairs": [(2, 3), (3, 5), (2, 7)], "above": 23}, 128),
        ("multiples", {"limit": 30, "numbers": [2, 3, 5], "exactly": 0}, 8),
        ("committees", {"groups": [3, 2], "size": 2, "least": [1, 0], "most": [1, 2]}, 6),
        ("walks", {"roads": [(0, 1), (1, 2), (0, 2)], "start": 0, "goal": 1, "steps": 2, "via": None}, 1),
        ("coins", {"coins": [1, 2, 5], "amount": 5, "least": [0] * 3, "most": [9] * 3}, 4),
        ("urns", {"counts": [2, 2], "size": 2, "least": [1, 0], "most": [1, 2]}, Fraction(2, 3)),
        ("markov", {"rows": [[10, 10], [5, 15]], "start": 0, "goal": 0, "days": None}, Fraction(1, 3)),
        ("dice", {"sides": [2, 2], "kept": 1}, Fraction(7, 4)),
        ("recurrences", {"start": [0, 1], "factors": [1, 1], "constant": 0, "number": 10, "modulus": 0}, 55),
        ("purchases", {"baskets": [[1, 1], [1, 2]], "totals": [5, 8], "wanted": [2, 3]}, 13),
        ("determinants", {"rows": [[2, 1], [7, 5]]}, 3),
        ("polynomials", {"points": [(0, 1), (1, 2), (2, 5)], "at": 10}, 101),
        ("lattice_paths", {"width": 2, "height": 2, "closed": [(1, 1)]}, 2),
        ("polygons", {"corners": [(0, 0), (4, 0), (4, 4), (0, 4)], "with_border": False}, 9),
        ("loads", {"things": [(3, 0, 4), (2, 0, 3), (2, 0, 2)], "most": (4, 0)}, 5),
        ("piles", {"moves": [1, 2], "sizes": [10]}, 3),
        ("savings", {"amount": 100, "rate": 1000, "periods": 2, "deposit": 0, "is_loan": False}, 121),
        ("calendars", {"first": (2024, 2, 26), "last": (2024, 3, 3), "weekdays": [3], "free": [(2, 29)]}, 0),
    ],
)
def test_worked_examples(name: str, values: dict[str, object], answer: Fraction | int) -> None:
    assert KINDS[name].first(**values) == answer
    assert KINDS[name].second(**values) == answer
