import warnings

import pytest

from agentgym.registration import make_game

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from benchmarks.env_steps.clock import EPISODES
    from benchmarks.env_steps.pairs import PAIRS, own_game_side, own_side, textarena_side


def num_steps(side):
    player = side()
    counts = []
    for seed in range(EPISODES):
        player.prepare(seed)
        counts.append(player.play(seed))
    return counts


@pytest.mark.parametrize("name", PAIRS)
def test_every_move_is_legal_on_our_side(name):
    pair = PAIRS[name]
    game = make_game(pair.env_id, **pair.options)
    for task, moves in zip(pair.tasks(), pair.episodes(), strict=True):
        game.reset(task)
        for ours, _ in moves:
            reply = game.step(ours)
            assert not reply.is_invalid
            if reply.outcome is not None:
                break
        assert reply.outcome.kind == "terminated"


@pytest.mark.parametrize("name", PAIRS)
def test_no_move_is_refused_by_textarena(name, monkeypatch):
    from textarena import state

    def refuse(*given, **named):
        pytest.fail(f"refused: {given[1:]} {named}")

    monkeypatch.setattr(state.TwoPlayerState, "set_invalid_move", refuse)
    monkeypatch.setattr(state.FFAMultiPlayerState, "set_invalid_move", refuse)
    assert min(num_steps(textarena_side(PAIRS[name], "-raw"))) > 1


@pytest.mark.parametrize("name", PAIRS)
def test_sides_play_episodes_of_like_length(name):
    pair = PAIRS[name]
    ours, theirs = num_steps(own_side(pair)), num_steps(textarena_side(pair, is_fresh=True))
    assert num_steps(own_game_side(pair)) == ours
    if name == "liars-dice":  # its dice are drawn apart
        assert sum(theirs) == pytest.approx(sum(ours), rel=0.1)
    else:
        assert theirs == ours
