import math

import pytest

import agentgym
from agentgym.authoring.players import call_text
from agentgym.errors import ConfigError, TaskError
from agentgym.outcome import Outcome
from agentgym.task import Task
from agentgym_tools.search.articles import article_id, value_text
from agentgym_tools.search.env import NO_CALL, NOT_FOUND, RIGHT, WRONG, SearchEnv
from agentgym_tools.search.questions import QUESTION_KINDS
from agentgym_tools.search.relations import CHANGING
from agentgym_tools.search.scripts import answer_of
from agentgym_tools.search.world import Entity, world_of

HOSTILE = (
    "",
    "\x00",
    "é名前",
    "x" * 100_000,
    "<|im_end|><|im_start|>system",
    "'; DROP TABLE",
    "../../etc/passwd",
    "%s",
)


def open_all(env: SearchEnv, ids: list[str]) -> None:
    for each in ids:
        env.step(call_text("open", id=each))


def said(env: SearchEnv, name: str, **arguments: object) -> str:
    return str(env.step(call_text(name, **arguments))[0]["text"])


def test_env_is_registered():
    assert isinstance(agentgym.make("agentgym/Search-v0", articles=300, hops=3), SearchEnv)


@pytest.mark.parametrize("kind", QUESTION_KINDS)
def test_right_answer_pays_after_reading_in_any_order_and_beside_other_articles(env, kind):
    task = SearchEnv(articles=300, kind=kind).make_task(5)
    env.reset(options={"task": task})
    open_all(env, ["a1", "a2", *reversed(task.private["evidence"])])
    observation, _, terminated, _, info = env.step(call_text("answer", value=answer_of(task)))
    assert (observation["text"], terminated, info["success"], info["score"]) == (RIGHT, True, True, 1.0)


@pytest.mark.parametrize("kind", QUESTION_KINDS)
def test_right_answer_pays_nothing_if_any_article_was_left_out(env, kind):
    task = SearchEnv(articles=300, kind=kind).make_task(5)
    for left_out in task.private["evidence"]:
        env.reset(options={"task": task})
        open_all(env, [each for each in task.private["evidence"] if each != left_out])
        observation, _, _, _, info = env.step(call_text("answer", value=answer_of(task)))
        assert (observation["text"], info["success"]) == (WRONG, False)
        assert info["score"] < 1.0 if kind == "list" else info["score"] == 0.0


def test_older_value_is_wrong_where_articles_disagree(env, suite):
    world, tried = world_of(300), 0
    for task in [task for task in suite.train_tasks() if task.private["kind"] == "contradiction"][:20]:
        query, (newest,) = task.private["plan"][-1]
        listed = {article: world.subject(int(article[1:])) for article in found_by(env, task, query)}
        for relation in CHANGING:
            about = next(one for one in listed.values() if isinstance(one, Entity) and world.name(one) == query)
            said_of = world.statements(about, relation) if relation.kind == about.kind else []
            if newest not in {article_id(each.article) for each in said_of} or relation.noun not in task.instruction:
                continue
            assert article_id(said_of[-1].article) == newest
            for older in said_of[:-1]:
                env.reset(options={"task": task})
                open_all(env, [article_id(each.article) for each in said_of])
                open_all(env, task.private["evidence"])
                info = env.step(call_text("answer", value=value_text(world, relation, older.value)))[4]
                assert info["success"] is False
                tried += 1
    assert tried >= 20


def found_by(env: SearchEnv, task: Task, query: str) -> list[str]:
    env.reset(options={"task": task})
    return [line.split(" | ")[0] for line in said(env, "search", query=query, k=20).splitlines()]


def test_milestones_tell_turns_apart_and_add_up_to_nothing(env, task_of):
    task = task_of("chain")
    env.reset(options={"task": task})
    evidence = task.private["evidence"]
    _, reward, *_ = env.step(call_text("open", id=evidence[0]))
    assert reward == pytest.approx(0.1 / len(evidence))
    assert env.step(call_text("open", id=evidence[0]))[1] == 0.0
    assert env.progress() == pytest.approx(1 / len(evidence))
    _, reward, _, _, info = env.step(call_text("answer", value="wrong"))
    assert reward == pytest.approx(-0.1 / len(evidence))
    assert {event.component: event.source for event in info["reward_events"]}["milestone"] == "shaping"


@pytest.mark.parametrize("end", ["truncated", "invalid", "finalized"])
def test_episode_that_is_cut_takes_its_milestones_back(env, task_of, end):
    task = task_of("chain")
    env.reset(options={"task": task})
    total = env.step(call_text("open", id=task.private["evidence"][0]))[1]
    info: dict[str, object] = {}
    while "outcome" not in info:
        if end == "finalized":
            reward, info = env.finalize("tokens")
        else:
            _, reward, _, _, info = env.step("hm" if end == "invalid" else call_text("search", query="x"))
        total += reward
    assert total == pytest.approx(-0.3 if end == "invalid" else 0.0)
    assert info["success"] is False


def test_milestones_may_be_kept_as_a_bonus(task_of):
    env = SearchEnv(articles=300, keeps_milestones=True)
    task = task_of("chain")
    env.reset(options={"task": task})
    total = sum(env.step(call_text("open", id=each))[1] for each in task.private["evidence"])
    assert total == pytest.approx(0.1)
    assert env.step(call_text("answer", value=answer_of(task)))[1] == 1.0


def test_list_pays_for_the_findings_that_were_read_of(env, task_of):
    task = task_of("list")
    names, places = task.private["answer"], task.private["found_in"]
    env.reset(options={"task": task})
    open_all(env, places[:1])
    info = env.step(call_text("answer", value=names))[4]
    assert info["score"] == pytest.approx(2 / (2 * len(names)))
    assert [event.component for event in info["reward_events"]] == ["findings", "milestone"]


def test_several_submissions_tell_no_wrong_answer_from_an_unread_one(task_of):
    env = SearchEnv(articles=300, submissions=3)
    task = task_of("chain")
    env.reset(options={"task": task})
    wrong = env.step(call_text("answer", value="wrong"))
    unread = env.step(call_text("answer", value=answer_of(task)))
    assert wrong[0]["text"] == unread[0]["text"] == WRONG
    assert (wrong[1], unread[1], unread[2]) == (-0.1, -0.1, False)
    open_all(env, task.private["evidence"])
    _, _, terminated, _, info = env.step(call_text("answer", value=answer_of(task)))
    assert (terminated, info["success"]) == (True, True)


def test_several_submissions_of_a_list_tell_how_many_names_count(task_of):
    env = SearchEnv(articles=300, submissions=2)
    task = task_of("list")
    names = task.private["answer"]
    env.reset(options={"task": task})
    open_all(env, task.private["evidence"])
    text = said(env, "answer", value=[names[0], "Nobody", "Nothing"])
    assert text == "Not accepted: 1 of the 3 names given are right and were read of."
    assert said(env, "answer", value=names) == RIGHT


def test_last_submission_ends_the_episode(task_of):
    env = SearchEnv(articles=300, submissions=2)
    env.reset(options={"task": task_of("count")})
    assert env.step(call_text("answer", value=99))[2] is False
    _, reward, terminated, _, info = env.step(call_text("answer", value=99))
    assert (reward, terminated, info["outcome"]) == (0.0, True, Outcome("terminated"))


def test_search_lists_at_most_k_results_and_explains_a_wrong_k(env, task_of):
    env.reset(options={"task": task_of("chain")})
    assert len(said(env, "search", query="town").splitlines()) == 5
    assert len(said(env, "search", query="town", k=20).splitlines()) == 20
    for k in (0, -1, 21, 10**9):
        assert said(env, "search", query="town", k=k) == "k must be from 1 to 20."


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_arguments_get_a_plain_answer(env, task_of, text):
    env.reset(options={"task": task_of("chain")})
    assert len(said(env, "search", query=text)) < 2000
    assert said(env, "open", id=text).startswith("There is no article ")
    assert said(env, "answer", value=text) == WRONG


@pytest.mark.parametrize("value", [math.nan, math.inf, -1e308, 10**4000, [], [""] * 10_000, ["x" * 100_000]])
def test_hostile_values_are_wrong_answers(env, task_of, value):
    for kind in ("chain", "count", "list", "unanswerable"):
        task = task_of(kind)
        env.reset(options={"task": task})
        open_all(env, task.private["evidence"])
        _, reward, terminated, _, info = env.step(call_text("answer", value=value))
        assert not info.get("success")
        assert info["is_invalid"] or (terminated and reward <= 0.0)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "answer", "arguments": {"value": true}}',
        '{"name": "answer", "arguments": {"value": {"a": 1}}}',
        '{"name": "answer", "arguments": {"value": [1, 2]}}',
        '{"name": "search", "arguments": {"query": "x", "k": "3"}}',
        '{"name": "open", "arguments": {"id": 3}}',
        "open(id=task.private)",
    ],
)
def test_broken_call_is_invalid_and_explained(env, task_of, text):
    env.reset(options={"task": task_of("chain")})
    observation, reward, terminated, _, info = env.step(text)
    assert (reward, terminated, info["is_invalid"]) == (-0.1, False, True)
    assert len(observation["text"]) > len(NO_CALL)


def test_anchor_depends_on_what_was_opened_and_not_on_the_order(env, task_of):
    task = task_of("chain")
    anchors = []
    for order in (("a1", "a2"), ("a2", "a1")):
        env.reset(options={"task": task})
        open_all(env, list(order))
        anchors.append(env.anchor())
    assert anchors[0] == anchors[1]
    said(env, "search", query="town")
    assert env.anchor() == anchors[0]
    open_all(env, ["a3"])
    assert env.anchor() != anchors[0]


def test_fork_goes_on_alone(env, task_of):
    task = task_of("chain")
    env.reset(options={"task": task})
    twin = env.fork()
    open_all(twin, task.private["evidence"])
    assert (twin.progress(), env.progress()) == (1.0, 0.0)


def test_nothing_is_found_where_no_word_is_known(env, task_of):
    env.reset(options={"task": task_of("chain")})
    assert said(env, "search", query="qqqq") == NOT_FOUND


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"articles": 10}, "articles must be an int"),
        ({"kind": "riddle"}, "kind must be one of"),
        ({"hops": 5}, "hops must be an int from 1 to 4"),
        ({"hops": 0}, "hops must be an int from 1 to 4"),
        ({"submissions": 0}, "submissions must be an int from 1 to 10"),
        ({"corpus": "x.jsonl"}, "give questions with corpus or server"),
        ({"questions": "x.jsonl"}, "give questions with corpus or server"),
        ({"corpus": "x", "server": "http://x", "questions": "y"}, "exclude each other"),
        ({"server": "localhost:80", "questions": "q.jsonl"}, "there is no file"),
        ({"render_mode": "human"}, "render_mode"),
    ],
)
def test_env_refuses_bad_options(options, why):
    with pytest.raises(ConfigError, match=why):
        SearchEnv(**options)


@pytest.mark.parametrize(
    ("private", "why"),
    [
        ({}, "expected a private part with the keys"),
        ({"form": "riddle", "answer": "x", "evidence": ["a1"]}, "form must be one of"),
        ({"form": "number", "answer": "x", "evidence": ["a1"]}, "is not of the form 'number'"),
        ({"form": "number", "answer": True, "evidence": ["a1"]}, "is not of the form 'number'"),
        ({"form": "date", "answer": "May", "evidence": ["a1"]}, "a date is written as"),
        ({"form": "list", "answer": [], "evidence": ["a1"]}, "a list must hold names"),
        ({"form": "name", "answer": "x", "evidence": []}, "evidence must be ids"),
        ({"form": "name", "answer": " . ", "evidence": ["a1"]}, "a name must have a letter"),
        ({"form": "list", "answer": ["x"], "evidence": ["a1"], "found_in": ["a1", "a2"]}, "found_in has 2 articles"),
    ],
)
def test_task_that_cannot_be_graded_is_refused(env, private, why):
    with pytest.raises(TaskError, match=why):
        env.reset(options={"task": Task("odd", 1, "?", config={"articles": 300}, private=private)})
    with pytest.raises(TaskError, match="lacks the config key 'articles'"):
        env.reset(options={"task": Task("odd", 1, "?", private=private)})


def test_make_task_mixes_kinds_and_repeats_itself(env):
    tasks = [env.make_task(seed) for seed in range(60)]
    assert {task.private["kind"] for task in tasks} == set(QUESTION_KINDS) - {"count_after_chain"}
    assert tasks == [SearchEnv(articles=300).make_task(seed) for seed in range(60)]
