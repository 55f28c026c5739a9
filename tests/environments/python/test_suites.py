import ast
import copy
import dataclasses
import json
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from agentgym.prompting.tiny import build_tokenizer
from agentgym.suite import Suite, load_suite
from agentgym.testing.episodes import play_script
from agentgym_tools.python import generate, vocabulary
from agentgym_tools.python.env import PythonEnv
from agentgym_tools.python.judging import is_same
from agentgym_tools.python.problem import Problem, draw_problem, is_telling
from agentgym_tools.python.scripts import SCRIPTS, Demonstrator, broken
from tests.testing.contracts import require_contract

SUITES = {"tools/python": generate.SIZES, "tools/python-arithmetic": generate.WORDS_SIZES}


def on_process(name: str) -> Suite:
    """The suite, played without isolation."""
    return dataclasses.replace(load_suite(name), env_options={"sandbox": "process"})


@pytest.mark.parametrize("name", SUITES)
def test_splits_have_the_declared_strata_and_sizes(name: str) -> None:
    suite = load_suite(name)
    for split, strata in SUITES[name].items():
        assert Counter(task.stratum for task in suite.tasks(split)) == Counter(strata)


def test_no_reference_solution_occurs_in_two_places() -> None:
    solutions = Counter(
        task.private["solution"] for split in generate.SIZES for task in load_suite("tools/python").tasks(split)
    )
    assert max(solutions.values()) == 1
    assert len(solutions) >= 300


def test_unseen_kinds_occur_in_the_test_split_alone() -> None:
    suite = load_suite("tools/python")
    seen = {
        (task.config["family"], task.config["kind"]) for split in ("train", "validation") for task in suite.tasks(split)
    }
    unseen = {(t.config["family"], t.config["kind"]) for t in suite.tasks("test") if t.stratum == "unseen_kinds"}
    assert len(unseen) == 8
    assert not unseen & seen
    assert {family for family, _ in seen} == set(generate.FAMILIES)


def test_questions_of_the_two_suites_differ() -> None:
    one, two = ({t.instruction for s in generate.SIZES for t in load_suite(name).tasks(s)} for name in SUITES)
    assert not one & two


def test_hidden_tests_refuse_most_slips() -> None:
    """Some slips change nothing that a function may be asked for; the others are found."""
    tasks = [task for task in load_suite("tools/python").tasks("train") if task.config["form"] == "function"]
    refused = [
        not passes(broken(task.private["solution"], Random(task.seed)), task.config["function"], task.private["hidden"])
        for task in tasks
    ]
    assert len(refused) == 360
    assert sum(refused) / len(refused) > 0.85


def passes(program: str, name: str, tests: list[list[object]]) -> bool:
    namespace: dict[str, Callable[..., object]] = {}
    exec(program, namespace)
    for arguments, expected in tests:
        try:
            got = json.loads(json.dumps(namespace[name](*copy.deepcopy(arguments))))  # type: ignore[misc]
        except Exception:  # noqa: BLE001 - whatever a slip leads to
            return False
        if not is_same(expected, got):
            return False
    return True


def test_every_family_gives_telling_problems_at_every_level() -> None:
    for family in (*generate.FAMILIES, "unseen_kinds"):
        for level in (1, 2, 3):
            for seed in range(8):
                problem, expected = draw_problem(generate.kinds_of(family), Random(f"{seed}"), level)
                ast.parse(problem.solution)
                assert is_telling(problem, expected)
                assert len(problem.inputs) in (0, 10)


def test_tests_that_a_constant_passes_are_not_telling() -> None:
    inputs = [[number] for number in range(10)]
    problem = Problem("toy", "does nothing", "return x > 100", "f", ("x",), inputs)
    assert not is_telling(problem, problem.expected())
    assert not is_telling(dataclasses.replace(problem, body="return x", inputs=[[1]] * 10), [1] * 10)
    assert is_telling(dataclasses.replace(problem, body="return x"), list(range(10)))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "scored"), [("tools/python", 12), ("tools/python-arithmetic", 40)])
def test_suites_keep_their_contract(name: str, scored: int) -> None:
    require_contract(on_process(name), scored, played=1)


def test_arithmetic_spells_no_word_or_number_in_bytes() -> None:
    tokenizer = build_tokenizer(vocabulary.texts(), PythonEnv.tools, numbers=vocabulary.NUMBERS)
    env = PythonEnv(sandbox="process")
    for task in load_suite("tools/python-arithmetic").tasks("test")[::15]:
        record = play_script(env, task, SCRIPTS["oracle"](task, 0))
        for text in (record.first.text, *(step.text for step in record.steps), *record.actions):
            pieces = tokenizer.tokenize(text)
            assert not [piece for piece in pieces if len(piece) == 1 and piece.isalpha() and piece.isascii()], pieces
    env.close()


def test_numbers_of_arithmetic_are_within_the_vocabulary() -> None:
    for split in ("train", "test"):
        for task in load_suite("tools/python-arithmetic").tasks(split):
            assert 0 <= int(task.private["answer"]) <= generate.MAX_NUMBER


def test_demonstrator_gets_better_with_its_quality() -> None:
    env = PythonEnv(sandbox="process")
    tasks = load_suite("tools/python-arithmetic").tasks("train")[:24]
    rates = [
        sum(play_script(env, task, Demonstrator(task, i, quality)).success for i, task in enumerate(tasks))
        for quality in (0.1, 0.6, 1.0)
    ]
    env.close()
    assert rates[0] < rates[1] < rates[2] == 24
