import pytest

from agentgym.authoring.players import call_text
from agentgym_tools.search.questions import QUESTION_KINDS, Wanted, draw_task
from agentgym_tools.search.scripts import SCRIPTS, Demonstrator, answer_of, hint, oracle

CHEATS = sorted(name for name in SCRIPTS if name.startswith("cheat_"))
TASKS = [draw_task(seed, Wanted(articles=300, kind=kind)) for kind in QUESTION_KINDS for seed in range(8)]


def success_rate(play, quality):
    return sum(play(task, Demonstrator(task, i, quality)).info["success"] for i, task in enumerate(TASKS)) / len(TASKS)


@pytest.mark.parametrize("kind", QUESTION_KINDS)
def test_oracle_solves_every_task_by_what_its_searches_list(play, kind):
    for task in (task for task in TASKS if task.private["kind"] == kind):
        episode = play(task, oracle(task, 0))
        assert episode.info["success"] is True
        assert episode.total_reward == pytest.approx(1.0)
        assert episode.sums["milestone"] == pytest.approx(0.0)


@pytest.mark.parametrize("name", [*CHEATS, "null"])
def test_cheat_gets_nothing(play, name):
    for task in TASKS:
        cheat = play(task, SCRIPTS[name](task, 0))
        assert (cheat.info["success"], cheat.info["score"]) == (False, 0.0)
        assert cheat.total_reward <= 1e-9


def test_random_player_makes_only_valid_calls_and_hardly_ever_succeeds(play):
    episodes = [play(task, SCRIPTS["random"](task, seed)) for seed in range(3) for task in TASKS]
    assert all(episode.total_reward >= -1e-9 for episode in episodes)
    assert sum(episode.info["score"] for episode in episodes) / len(episodes) < 0.03


def test_demonstrator_gets_better_with_its_quality(play):
    rates = [success_rate(play, quality) for quality in (0.1, 0.55, 0.85, 1.0)]
    assert rates == sorted(rates)
    assert rates[0] < 0.2 < rates[1] < 0.8
    assert rates[3] == 1.0


def test_hasty_player_goes_on_or_answers_with_a_name_on_the_way(play):
    chains = [task for task in TASKS if task.private["kind"] == "chain"]
    for quality, won in ((0.0, 0), (1.0, len(chains))):
        episodes = [play(task, SCRIPTS["hasty"](task, number, quality)) for number, task in enumerate(chains)]
        assert sum(episode.info["success"] for episode in episodes) == won
    [*_, said, _] = play(chains[0], SCRIPTS["hasty"](chains[0], 0, 0.0)).messages
    assert said["content"] == call_text("answer", value=chains[0].private["plan"][1][0])


def test_hasty_player_asks_for_more_results_only_where_few_do_not_list_what_it_needs(play):
    for task in TASKS:
        said = [one["content"] for one in play(task, SCRIPTS["hasty"](task, 0, 1.0)).messages]
        searched = [line for line in said if '"search"' in line]
        assert len(set(searched)) == len(searched)
        assert '"k": 5' in searched[0]


def test_scripts_repeat_themselves_with_the_same_seed(play):
    for name in ("random", "demo", "hasty"):
        first, again = (play(TASKS[0], SCRIPTS[name](TASKS[0], 5)).messages for _ in range(2))
        assert first == again


@pytest.mark.parametrize("task", TASKS[::8], ids=lambda task: task.private["kind"])
def test_hint_names_the_first_search_and_gives_no_answer_away(task):
    said = hint(task)
    assert said.startswith(f'Plan: search for "{task.private["plan"][0][0]}"; open ')
    assert task.private["kind"] == "comparison" or str(answer_of(task)) not in said
