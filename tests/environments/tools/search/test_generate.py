import pytest

from agentgym.suite import load_suite
from agentgym_tools.search.articles import article_number, write_article
from agentgym_tools.search.drawing import MAX_ITEMS, MIN_ITEMS
from agentgym_tools.search.generate import SIZES
from agentgym_tools.search.world import SEED, World, world_of

SUITES = {"tools/search": 50_000, "tools/search-small": 300}


def starts(world: World, tasks) -> set[str]:
    """Names that stand in the questions."""
    return {name for task in tasks for name in task.instruction.split('"')[1::2]}


@pytest.mark.parametrize("name", SUITES)
def test_splits_have_the_declared_strata_and_sizes(name):
    suite = load_suite(name)
    for split, strata in SIZES[SUITES[name]].items():
        assert list(suite.splits[split]) == list(strata)
        for stratum, count in strata.items():
            assert sum(task.stratum == stratum for task in suite.tasks(split)) == count


@pytest.mark.parametrize("name", SUITES)
def test_no_question_of_a_held_out_split_starts_where_training_does(name):
    suite, world = load_suite(name), world_of(SUITES[name])
    train = starts(world, suite.train_tasks())
    held_out = starts(world, [*suite.tasks("validation"), *suite.tasks("test")])
    assert train
    assert held_out
    assert not train & held_out


@pytest.mark.parametrize("name", SUITES)
def test_strata_hold_what_they_declare(name):
    suite = load_suite(name)
    kinds = {
        stratum: {task.private["kind"] for task in suite.tasks("test") if task.stratum == stratum}
        for stratum in suite.splits["test"]
    }
    assert kinds["unseen_questions"] == {"chain", "comparison", "count", "list"}
    assert kinds["unseen_kind"] == {"count_after_chain"}
    train = suite.train_tasks()
    assert "count_after_chain" not in {task.private["kind"] for task in train}
    chains = [task for task in train if task.private["kind"] == "chain"]
    assert {len(task.private["plan"]) for task in chains} == {2, 3}
    longer = [task for task in suite.tasks("test") if task.stratum == "longer_chains"]
    assert {len(task.private["plan"]) for task in longer} == {4}


def test_answers_are_those_of_the_facts_and_cannot_be_guessed():
    tasks = load_suite("tools/search").train_tasks()
    by_kind: dict[str, list[object]] = {}
    for task in tasks:
        by_kind.setdefault(task.private["kind"], []).append(task.private["answer"])
    assert set(by_kind["unanswerable"]) == {None}
    assert max(by_kind["chain"].count(answer) for answer in by_kind["chain"]) / len(by_kind["chain"]) < 0.02
    first = [task for task in tasks if task.private["kind"] == "comparison"]
    share = sum(task.instruction.split('"')[1] == task.private["answer"] for task in first) / len(first)
    assert 0.4 < share < 0.6
    assert all(MIN_ITEMS <= number <= MAX_ITEMS for number in by_kind["count"])


def test_no_chain_is_answered_by_the_article_it_starts_from():
    world = world_of(300, SEED)
    for task in load_suite("tools/search-small").train_tasks():
        if task.private["kind"] == "chain" and task.private["form"] == "name":
            number = article_number(task.private["evidence"][0], 300)
            assert number is not None
            assert task.private["answer"] not in write_article(world, number).text.split(". ", 1)[1]
