from __future__ import annotations

import re
from collections import Counter

from agentgym.prompting.tiny import build_tokenizer
from agentgym.suite import load_suite
from agentgym_swe.patch_line import vocabulary
from agentgym_swe.patch_line.env import PatchLineEnv
from agentgym_swe.patch_line.generate import SIZES, held_out
from agentgym_swe.patch_line.language import linked, marked, numbered
from agentgym_swe.patch_line.mistakes import TRAINED, UNSEEN
from tests.testing.contracts import require_contract

NAME = "swe/patch-line"


def test_splits_have_the_declared_sizes() -> None:
    suite = load_suite(NAME)
    for split, strata in SIZES.items():
        assert Counter(task.stratum for task in suite.tasks(split)) == Counter(strata)


def test_kinds_of_mistakes_are_held_out_and_programs_have_5_to_20_lines() -> None:
    suite = load_suite(NAME)
    tasks = [task for split in SIZES for task in suite.tasks(split)]
    assert {len(task.config["lines"]) for task in tasks} >= set(range(5, 20))
    assert all(5 <= len(task.config["lines"]) <= 20 for task in tasks)
    for stratum in {task.stratum for task in tasks}:
        kinds = {kind for task in tasks if task.stratum == stratum for kind in task.private["kinds"]}
        assert kinds == set(UNSEEN if stratum == "unseen_mistakes" else TRAINED)


def test_a_fifth_of_the_combinations_is_held_out() -> None:
    assert len(held_out()) == 72


def test_statements_and_programs_are_whole_words() -> None:
    tokenizer = build_tokenizer(
        vocabulary.texts(), PatchLineEnv.tools, numbers=vocabulary.NUMBERS, phrases=vocabulary.PHRASES
    )
    for task in load_suite(NAME).tasks("test")[::5]:
        text = f"{task.instruction}\n{numbered(task.config['lines'])}"
        pieces = tokenizer.tokenize(text)
        single = {piece for piece in pieces if len(piece) == 1 and piece.isalpha() and piece.isascii()}
        assert single <= set("anxypqrf"), text
        assert len(pieces) < 600


def test_places_are_single_tokens() -> None:
    """The longest programs have the most."""
    tokenizer = build_tokenizer(
        vocabulary.texts(), PatchLineEnv.tools, numbers=vocabulary.NUMBERS, phrases=vocabulary.PHRASES
    )
    suite = load_suite(NAME)
    tasks = [task for split in SIZES for task in suite.tasks(split) if len(task.config["lines"]) >= 18]
    assert tasks
    for task in tasks:
        text = f"{linked(task.instruction, task.config['lines'])}\n{numbered(marked(task.config['lines']))}"
        pieces = [piece.removeprefix("Ġ") for piece in tokenizer.tokenize(text)]
        assert [piece for piece in pieces if piece[0] in "@#"] == re.findall(r"[@#]\d+", text), text


def test_suite_keeps_its_contract() -> None:
    require_contract(NAME, 40)
