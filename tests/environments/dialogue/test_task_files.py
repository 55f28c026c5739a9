from __future__ import annotations

from functools import partial

import pytest

from agentgym.errors import ConfigError
from agentgym_dialogue.task_files import draw_unseen


def test_what_is_drawn_was_not_there_before():
    draws, seen = iter(["a", "B", "A", "b", "c"]), {"b"}
    drawn = [draw_unseen(partial(next, draws), seen, str.lower) for _ in range(2)]
    assert drawn == ["a", "c"]
    assert seen == {"a", "b", "c"}


def test_generator_that_draws_nothing_new_is_refused():
    with pytest.raises(ConfigError, match="drew nothing new in 10000 draws, with 1 drawn before"):
        draw_unseen(lambda: "a", {"a"}, str)
