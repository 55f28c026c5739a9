import pytest

from benchmarks.env_steps.family import figures, goals, own_games

GAMES = {game.id: game for game in own_games()}


def test_rows_are_those_of_our_own_games():
    assert {"agentgym/Wordle-v0", "agentgym/Taboo-v0", "agentgym/Chess-v0"} <= GAMES.keys()
    assert not any(game.adapts for game in GAMES.values())


@pytest.mark.parametrize("name", ["agentgym/GuessNumber-v0", "agentgym/Taboo-v0"])
def test_figures_are_of_whole_episodes(name):
    found = figures(GAMES[name], is_quick=True)
    assert found["steps"] >= found["episodes"] >= 1
    assert 0 < found["step_ms_median"] <= found["step_ms_p95"]
    assert 0 < found["reset_ms_median"] <= found["reset_ms_p95"]


def test_games_of_an_engine_have_a_bound_of_their_own():
    found = {"step_ms_p95": 2.0, "reset_ms_p95": 1.0}
    assert [goal.is_met for goal in goals(GAMES["agentgym/Chess-v0"], found)] == [True, True]
    assert [goal.is_met for goal in goals(GAMES["agentgym/Wordle-v0"], found)] == [False, True]
