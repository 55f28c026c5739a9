from __future__ import annotations

import dataclasses
from collections import Counter

import pytest

from agentgym.prompting.tiny import build_tokenizer
from agentgym.suite import load_suite
from agentgym_tools.maths import vocabulary
from agentgym_tools.maths.env import MathsEnv
from agentgym_tools.maths.generate import SIZES, SIZES_OF_SMALL, SMALL_KINDS
from agentgym_tools.maths.kinds import HELD_OUT, TRAINED
from tests.testing.contracts import require_contract

SUITES = {"tools/maths": SIZES, "tools/maths-small": SIZES_OF_SMALL}


@pytest.mark.parametrize("name", SUITES)
def test_splits_have_the_declared_strata_and_sizes(name: str) -> None:
    suite = load_suite(name)
    for split, strata in SUITES[name].items():
        assert Counter(task.stratum for task in suite.tasks(split)) == Counter(strata)


def test_kinds_and_levels_are_spread_evenly_and_four_are_unseen() -> None:
    suite = load_suite("tools/maths")
    test = Counter((task.stratum, task.config["kind"], task.config["level"]) for task in suite.tasks("test"))
    assert set(test.values()) == {4, 10}
    train = Counter((task.config["kind"], task.config["level"]) for task in suite.tasks("train"))
    assert set(train.values()) == {30}
    assert {kind for kind, _ in train} == set(TRAINED)
    assert {kind for stratum, kind, _ in test if stratum == "unseen_kinds"} == set(HELD_OUT)


def test_no_problem_occurs_twice_in_either_suite() -> None:
    """A program holds the numbers of its problem, so equal programs are the same problem in other words."""
    for name, sizes in SUITES.items():
        programs = Counter(task.private["program"] for split in sizes for task in load_suite(name).tasks(split))
        assert max(programs.values()) == 1
    questions = [{task.instruction for split in SIZES for task in load_suite(name).tasks(split)} for name in SUITES]
    assert not questions[0] & questions[1]


def test_small_suite_spells_no_word_of_its_questions_in_bytes() -> None:
    tokenizer = build_tokenizer(vocabulary.texts(), MathsEnv.tools, numbers=vocabulary.NUMBERS)
    tasks = load_suite("tools/maths-small").tasks("test")
    assert {task.config["kind"] for task in tasks} == set(SMALL_KINDS)
    for task in tasks[:40]:
        for text in (task.instruction, task.private["program"]):
            pieces = tokenizer.tokenize(text)
            single = {piece for piece in pieces if len(piece) == 1 and piece.isalpha() and piece.isascii()}
            assert single <= set("Adxnr"), text  # words of one letter


@pytest.mark.parametrize("name", SUITES)
def test_suites_keep_their_contract(name: str) -> None:
    suite = dataclasses.replace(load_suite(name), env_options={"sandbox": "process"})
    require_contract(suite, 40)
