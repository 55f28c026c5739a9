import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import ConfigError
from agentgym_tools.search.env import SearchEnv
from agentgym_tools.search.own_questions import read_questions
from agentgym_tools.search.scripts import answer_of, oracle


def test_forms_follow_from_the_answers(questions_file):
    assert [task.private["form"] for task in read_questions(questions_file)] == [
        "name",
        "date",
        "number",
        "none",
        "list",
    ]


def test_own_questions_are_the_tasks_in_turn_and_can_be_solved(play, corpus_file, questions_file):
    env = SearchEnv(corpus=str(corpus_file), questions=str(questions_file))
    assert env.num_tasks == 5
    assert env.make_task(7) == env.make_task(2)
    for seed in range(env.num_tasks):
        task = env.make_task(seed)
        assert play(task, oracle(task, 0), env).info["success"] is True
        env.reset(options={"task": task})
        assert env.step(call_text("answer", value=answer_of(task)))[4]["score"] == 0.0


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "it is not JSON"),
        ("3", "it is of type int"),
        ('{"question": "Q", "answer": "x"}', "the key 'evidence' is missing"),
        ('{"question": "Q", "answer": "x", "evidence": ["7"], "froms": "name"}', "unknown key 'froms'"),
        ('{"question": "Q", "answer": "x", "evidence": "7"}', "evidence a list of ids"),
        ('{"question": "Q", "answer": "x", "evidence": []}', "evidence must be ids"),
        ('{"question": "Q", "answer": "x", "evidence": [7]}', "evidence must be ids"),
        ('{"question": "Q", "answer": NaN, "evidence": ["7"]}', "the answer must be a finite number, got nan"),
        ('{"question": "Q", "answer": 1e999, "evidence": ["7"]}', "the answer must be a finite number, got inf"),
        ('{"question": "Q", "answer": true, "evidence": ["7"]}', "a list of names or null: got True"),
        ('{"question": " ", "answer": "x", "evidence": ["7"]}', "question must be a text"),
        (
            '{"question": "Q", "answer": "x", "form": "number", "evidence": ["7"]}',
            "is not of the form 'number', which is a number",
        ),
    ],
)
def test_wrong_line_is_refused_with_its_number(tmp_path, line, why):
    path = tmp_path / "questions.jsonl"
    path.write_text(f'{{"question": "Q", "answer": "x", "evidence": ["7"]}}\n{line}\n')
    with pytest.raises(ConfigError, match=f"questions.jsonl:2: .*{why}"):
        read_questions(path)


@pytest.mark.parametrize("choice", [{"kind": "chain"}, {"hops": 2}])
def test_what_chooses_generated_questions_is_refused_beside_ones_own(corpus_file, questions_file, choice):
    with pytest.raises(ConfigError, match="kind and hops choose generated questions"):
        SearchEnv(corpus=str(corpus_file), questions=str(questions_file), **choice)


def test_file_without_questions_is_refused(tmp_path):
    path = tmp_path / "questions.jsonl"
    path.write_text("\n")
    with pytest.raises(ConfigError, match="holds no question"):
        read_questions(path)


def test_evidence_that_the_corpus_lacks_is_refused_with_its_line(tmp_path, corpus_file):
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(f'{{"question": "Q", "answer": "x", "evidence": ["7", "{one}"]}}' for one in (8, 99)))
    assert len(read_questions(path)) == 2
    with pytest.raises(ConfigError, match=r"questions.jsonl:2: the corpus has no article '99'"):
        SearchEnv(corpus=str(corpus_file), questions=str(path))
