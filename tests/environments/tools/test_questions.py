import dataclasses

import pytest

from agentgym.errors import ConfigError, TaskError
from agentgym_tools.lookup.questions import MAX_DISTRACTORS, Difficulty, draw_task, read_question


@pytest.mark.parametrize("hops", [1, 2, 3, 4])
@pytest.mark.parametrize("distractors", [0, 3, MAX_DISTRACTORS])
def test_draw_task_gives_an_answer_that_takes_all_hops(hops: int, distractors: int) -> None:
    for seed in range(60):
        question = read_question(draw_task(seed, Difficulty(hops=hops, distractors=distractors)))
        way = list(question.base.walk(question.start, question.chain))
        assert way[-1] == question.answer
        assert len({question.start, *way}) == hops + 1
        assert (question.answer in question.base.facts[question.start].values()) == (hops == 1)


def test_draw_task_leaves_enough_distractors_of_the_answers_kind() -> None:
    for seed in range(100):
        question = read_question(draw_task(seed, Difficulty(hops=3, distractors=4)))
        way = {question.start, *question.base.walk(question.start, question.chain)}
        same_kind = next(names for names in question.base.entities.values() if question.answer in names)
        assert len(set(same_kind) - way) >= 4


def test_question_by_part_can_be_resolved_by_one_search() -> None:
    for seed in range(100):
        task = draw_task(seed, Difficulty(naming="part"))
        question = read_question(task)
        part = task.instruction.split('"')[1]
        assert " " not in part
        assert question.start not in task.instruction
        assert question.base.search(part) == [question.start]
        assert not question.is_start_named


def test_question_names_neither_the_answer_nor_the_way() -> None:
    for seed in range(100):
        task = draw_task(seed, Difficulty(hops=3))
        question = read_question(task)
        for name in question.base.walk(question.start, question.chain):
            assert name not in task.instruction


def test_public_config_holds_no_name_and_no_relation() -> None:
    task = draw_task(0, Difficulty(hops=3))
    assert set(task.config) == {"hops", "distractors", "naming", "names"}


def test_tasks_that_differ_by_the_seed_alone_differ_in_content() -> None:
    task = draw_task(1, Difficulty())
    assert dataclasses.replace(task, seed=2).content_hash != task.content_hash


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hops": 0}, "hops must be an int from 1 to 4"),
        ({"hops": True}, "hops must be an int"),
        ({"distractors": MAX_DISTRACTORS + 1}, "distractors must be an int from 0"),
        ({"naming": "half"}, "naming must be one of full, part"),
        ({"hops": 1, "shapes": "held_out"}, "at least 2 hops"),
    ],
)
def test_difficulty_refuses_bad_values(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Difficulty(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("private", [{}, {"start": "Nobody", "chain": ["team"], "answer": "x"}])
def test_read_question_refuses_a_task_of_something_else(private: dict[str, object]) -> None:
    task = dataclasses.replace(draw_task(1, Difficulty()), private=private)
    with pytest.raises(TaskError, match="cannot be played by Lookup"):
        read_question(task)


def test_read_question_refuses_an_empty_chain() -> None:
    task = draw_task(1, Difficulty())
    with pytest.raises(TaskError, match="cannot be played by Lookup"):
        read_question(dataclasses.replace(task, private={**task.private, "chain": []}))


def test_read_question_refuses_an_answer_that_its_base_contradicts() -> None:
    task = draw_task(1, Difficulty())
    wrong = dataclasses.replace(task, private={**task.private, "answer": task.private["start"]})
    with pytest.raises(TaskError, match="but its base says"):
        read_question(wrong)
