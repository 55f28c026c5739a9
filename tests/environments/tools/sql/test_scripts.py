import pytest

from agentgym.authoring.players import Saying, call_text
from agentgym_tools.sql.problem import read_problem
from agentgym_tools.sql.scripts import SCRIPTS, Demonstrator
from agentgym_tools.sql.templates import TEMPLATES

CHEATS = sorted(name for name in SCRIPTS if name.startswith("cheat_"))


def some(suite_tasks, step):
    return [task for tasks in suite_tasks.values() for task in tasks[::step]]


def test_oracle_solves_tasks_of_every_stratum_and_template(play, suite_tasks):
    one_of_each = {task.config["template"]: task for task in some(suite_tasks, 1)}
    assert set(one_of_each) == set(TEMPLATES)
    tasks = [*one_of_each.values(), *(tasks[-1] for tasks in suite_tasks.values())]
    for task in tasks:
        episode = play(task, SCRIPTS["oracle"](task, 0))
        assert episode.info["success"] is True, task
        assert episode.total_reward == pytest.approx(1.0)


@pytest.mark.parametrize("name", [*CHEATS, "null", "random"])
def test_player_without_a_clue_gets_nothing(play, suite_tasks, name):
    for number, task in enumerate(some(suite_tasks, 25)):
        episode = play(task, SCRIPTS[name](task, number))
        assert episode.info["success"] is False, task
        assert episode.total_reward <= 1e-9


def test_near_misses_fail(play, suite_tasks):
    for task in some(suite_tasks, 20):
        problem = read_problem(task)
        for sql in problem.wrong:
            end = [call_text("answer", sql=sql)]
            if problem.job == "change":
                end = [call_text("execute", sql=sql), call_text("submit")]
            assert play(task, Saying(*end)).info["success"] is False, task


def test_who_does_not_ask_and_guesses_fails(play, suite_tasks):
    for task in suite_tasks["unseen_ambiguous"][::3]:
        for sql in task.private["wrong"]:
            end = [call_text("answer", sql=sql)]
            if task.config["job"] == "change":
                end = [call_text("execute", sql=sql), call_text("submit")]
            assert play(task, Saying(*end)).info["success"] is False


def test_demonstrator_gets_better_with_its_quality(play, suite_tasks):
    tasks = suite_tasks["unseen_instances"][:24]
    rates = [
        sum(play(task, Demonstrator(task, number, quality)).info["success"] for number, task in enumerate(tasks))
        for quality in (0.0, 0.5, 1.0)
    ]
    assert rates[0] == 0 < rates[1] < rates[2] == 24


def test_hasty_player_answers_after_the_tables_with_the_right_statement_or_a_near_miss(play, suite_tasks):
    tasks = suite_tasks["unseen_instances"][:30]
    for quality, won in ((0.0, 0), (1.0, 30)):
        episodes = [play(task, SCRIPTS["hasty"](task, number, quality)) for number, task in enumerate(tasks)]
        assert sum(episode.info["success"] for episode in episodes) == won
    said = {SCRIPTS["hasty"](tasks[0], seed).act([]) for seed in range(5)}
    assert said == {SCRIPTS["oracle"](tasks[0], 0).act([])}
