import warnings

import gymnasium
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from benchmarks.env_steps.__main__ import games, gem_side, own_side, textarena_side
    from benchmarks.env_steps.clock import EPISODES

GAMES = games()


def num_steps(side):
    player = side()
    counts = []
    for seed in range(EPISODES):
        player.prepare(seed)
        counts.append(player.play(seed))
    return counts


@pytest.mark.parametrize("name", GAMES)
def test_our_side_plays_valid_guesses_to_the_end(name, monkeypatch):
    invalid = []
    make = gymnasium.make

    def recording(*args, **kwargs):
        env = make(*args, **kwargs)
        step = env.unwrapped.step

        def noted(action):
            result = step(action)
            invalid.append(result[4]["is_invalid"])
            return result

        env.unwrapped.step = noted
        return env

    monkeypatch.setattr(gymnasium, "make", recording)
    counts = num_steps(own_side(GAMES[name]))
    assert len(invalid) == sum(counts)
    assert not any(invalid)
    assert max(counts) == GAMES[name].tries


@pytest.mark.parametrize("name", GAMES)
def test_sides_play_episodes_of_like_length(name):
    game = GAMES[name]
    ours, theirs = num_steps(own_side(game)), num_steps(gem_side(game))
    assert max(theirs) == max(ours)
    assert sum(theirs) == pytest.approx(sum(ours), rel=0.2)
    if game.textarena_id:
        fresh = num_steps(textarena_side(game, is_fresh=True))
        assert sum(fresh) == pytest.approx(sum(ours), rel=0.25)
