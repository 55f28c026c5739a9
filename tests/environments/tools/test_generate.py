import itertools

import pytest

from agentgym.authoring.task_files import to_line
from agentgym.suite import Suite, load_suite
from agentgym_tools.lookup.generate import SIZES
from agentgym_tools.lookup.names import full_names
from agentgym_tools.lookup.questions import read_question
from agentgym_tools.lookup.relations import KIND_OF_VALUE, RELATIONS, chains, is_held_out


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite("tools/lookup")


def names_in(suite: Suite, split: str, stratum: str) -> set[str]:
    tasks = [task for task in suite.tasks(split) if task.stratum == stratum]
    return {name for task in tasks for name in read_question(task).base.facts}


def test_splits_have_the_declared_strata_and_sizes(suite: Suite) -> None:
    for split, strata in SIZES.items():
        assert list(suite.splits[split]) == list(strata)
        for stratum, count in strata.items():
            assert sum(task.stratum == stratum for task in suite.tasks(split)) == count


def test_splits_share_no_content(suite: Suite) -> None:
    hashes = [task.content_hash for split in SIZES for task in suite.tasks(split)]
    assert len(set(hashes)) == len(hashes)


def test_tasks_are_small(suite: Suite) -> None:
    assert max(len(to_line(task)) for split in SIZES for task in suite.tasks(split)) < 500


def test_train_and_headline_use_known_names_and_shapes_only(suite: Suite) -> None:
    known = {name for kind in RELATIONS for name in full_names(kind, "known")}
    assert names_in(suite, "train", "train") == known
    assert names_in(suite, "test", "unseen_bases") <= known
    train = {tuple(task.private["chain"]) for task in suite.tasks("train")}
    headline = {tuple(task.private["chain"]) for task in suite.tasks("test") if task.stratum == "unseen_bases"}
    assert {relation for chain in train for relation in chain} == set(KIND_OF_VALUE)
    assert not any(map(is_held_out, train | headline))
    assert {chain for chain in headline if len(chain) < 3} <= train
    assert train >= set(chains(2))


def test_new_combinations_share_no_full_name_with_training_but_all_parts(suite: Suite) -> None:
    train, new = names_in(suite, "train", "train"), names_in(suite, "test", "new_combinations")
    assert new
    assert not new & train
    assert {part for name in new for part in name.split()} <= {part for name in train for part in name.split()}


def test_unseen_shapes_are_never_asked_in_training(suite: Suite) -> None:
    unseen = [task for task in suite.tasks("test") if task.stratum == "unseen_shape"]
    asked = {tuple(task.private["chain"]) for split in ("train", "validation") for task in suite.tasks(split)}
    pairs = {pair for chain in asked for pair in itertools.pairwise(chain)}
    for task in unseen:
        chain = tuple(task.private["chain"])
        assert chain not in asked
        assert any(pair not in pairs for pair in itertools.pairwise(chain))


def test_most_tasks_take_at_least_two_lookups(suite: Suite) -> None:
    for split in SIZES:
        tasks = suite.tasks(split)
        assert sum(task.config["hops"] >= 2 for task in tasks) / len(tasks) > 0.8


def test_answers_are_spread_over_all_names(suite: Suite) -> None:
    tasks = suite.tasks("train")
    counts: dict[str, int] = {}
    for task in tasks:
        counts[task.private["answer"]] = counts.get(task.private["answer"], 0) + 1
    assert max(counts.values()) / len(tasks) < 0.02
