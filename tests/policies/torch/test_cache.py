import numpy as np
import pytest
import torch

from agentgym.policies.torch.cache import EpisodeStore, Layout, Window

LAYOUT = Layout(2, 1, 2, torch.float32, torch.device("cpu"))


@pytest.fixture
def window():
    made = Window(LAYOUT)
    made.open(np.array([3, 5, 4]), 4)
    return made


def states(*values):
    return torch.tensor(values, dtype=torch.float32)[:, None, None, None].expand(-1, 1, 1, 2)


def test_rows_end_at_the_same_column_and_padding_is_not_written(window):
    window.focus(slice(0, 3), 0, 5, 5, (torch.arange(5) >= torch.tensor([2, 0, 1])[:, None])[:, None, :, None])
    keys, _ = window.update(torch.ones(3, 1, 5, 2), torch.ones(3, 1, 5, 2), 1)
    assert keys[..., 0].sum(-1).flatten().tolist() == [3, 5, 4]
    window.focus(slice(0, 3), 0, 6, 1)
    keys, values = window.update(states(7, 8, 9), -states(7, 8, 9), 1)
    assert keys[:, 0, 5, 0].tolist() == [7, 8, 9]
    assert values[:, 0, 5, 0].tolist() == [-7, -8, -9]
    assert window.tokens_of(0, 3, 4)[2, 0, 0, 0] == 7


def test_kept_rows_move_into_the_places_of_others(window):
    window.focus(slice(0, 3), 0, 5, 5)
    window.update(states(1, 2, 3).expand(3, 1, 5, 2), states(1, 2, 3).expand(3, 1, 5, 2), 0)
    window.keep_rows(np.array([2, 1]), 5)
    assert window.starts.tolist() == [1, 0]
    assert window.tokens_of(0, 0, 4)[0, 0, :, 0].tolist() == [3, 3, 3, 3]
    assert window.tokens_of(1, 0, 5)[0, 0, :, 0].tolist() == [2, 2, 2, 2, 2]


def test_known_tokens_are_the_common_prefix_less_the_last(window):
    store = EpisodeStore(100)
    store.save("e", np.array([1, 2, 3, 4]), window, 1, 0)
    assert store.known("e", np.array([1, 2, 3, 4, 5, 6])) == 4
    assert store.known("e", np.array([1, 2, 9, 4, 5])) == 2
    assert store.known("e", np.array([1, 2, 3, 4])) == 3
    assert store.known("e", np.array([9])) == 0
    assert store.known("other", np.array([1, 2])) == 0


def test_saved_tokens_are_loaded_and_extended(window):
    store = EpisodeStore(100)
    window.tokens_of(1, 0, 5).copy_(torch.arange(5.0)[:, None].expand(4, 1, 5, 2))
    store.save("e", np.arange(3), window, 1, 0)
    store.save("e", np.arange(5), window, 1, 3)
    other = Window(LAYOUT)
    other.open(np.array([6]), 1)
    store.load("e", 5, other, 0)
    assert other.tokens_of(0, 0, 5)[3, 0, :, 1].tolist() == [0, 1, 2, 3, 4]


def test_budget_is_kept_by_dropping_what_was_unused_longest(window):
    store = EpisodeStore(10)
    for episode in ("a", "b"):
        store.save(episode, np.arange(4), window, 1, 0)
    store.load("a", 2, window, 1)
    store.save("c", np.arange(4), window, 1, 0)
    assert store.known("b", np.arange(5)) == 0
    assert store.known("a", np.arange(5)) == 4
    assert store.num_tokens <= 10
    store.save("a", np.arange(11), window, 1, 4)
    assert store.known("a", np.arange(5)) == 0
    store.forget("c")
    assert (len(store), store.num_tokens) == (0, 0)
    store.clear()


def test_a_window_gives_its_memory_back_and_opens_again_empty(window):
    window.focus(slice(0, 3), 0, 5, 5)
    keys, _ = window.update(torch.ones(3, 1, 5, 2), torch.ones(3, 1, 5, 2), 0)
    assert keys.sum() == 30
    window.drop()
    assert window.get_seq_length() == 0
    assert window.open(np.array([5]), 4) == 5
    assert not window.tokens_of(0, 0, 5).any()
