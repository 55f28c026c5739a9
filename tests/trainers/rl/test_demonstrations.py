from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agentgym.errors import HeldOutError
from agentgym.prompting.renderer import ChatRenderer
from agentgym.prompting.tiny import build_tokenizer
from agentgym.suite import Suite
from agentgym_rl.demonstrations import collect_demonstrations, with_tokens
from tests.trainers.rl import vocabulary
from tests.trainers.rl.toys import install


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return install(tmp_path, "questions", 16)


def test_demonstrations_depend_on_the_seed_alone(suite: Suite) -> None:
    def story(seed: int) -> list:
        found = collect_demonstrations(suite, "demo", 24, seed)
        return [(each.id, each.task_id, [turn.text for turn in each.turns]) for each in found]

    assert story(0) == story(0)
    assert story(0) != story(1)
    assert len(story(0)) == 24


def test_demonstrations_play_train_tasks_and_are_reported(suite: Suite) -> None:
    seen = []
    found = collect_demonstrations(suite, "demo", 20, 0, on_finish=seen.extend)
    assert {each.split for each in found} == {"train"}
    assert {each.task_id for each in found[:16]} == {task.id for task in suite.train_tasks()}
    assert sorted(each.id for each in seen) == sorted(each.id for each in found)


class LeakySuite(Suite):
    def train_tasks(self):
        return self.tasks("validation")


def test_held_out_tasks_are_not_demonstrated(suite: Suite) -> None:
    leaky = LeakySuite(**{name: getattr(suite, name) for name in Suite.__dataclass_fields__})
    with pytest.raises(HeldOutError):
        collect_demonstrations(leaky, "demo", 4, 0)


def test_derived_tokens_are_what_sampling_would_have_seen(suite: Suite) -> None:
    tokenizer = build_tokenizer(vocabulary.texts())
    renderer = ChatRenderer(tokenizer)
    found = collect_demonstrations(suite, "demo", 8, 0)
    for shown, made in zip(found, with_tokens(found, renderer, []), strict=True):
        assert made.is_derived
        assert made is not shown
        [segment] = made.segments()
        whole = renderer.render(list(shown.transcript()), [], add_generation_prompt=False)
        assert segment.tokens.tolist() == whole[: segment.num_tokens]
        assert np.isnan(segment.behaviour_logprobs).all()
        for turn in made.turns:
            assert turn.action_ids[-1] in renderer.stop_ids
            assert tokenizer.decode(turn.action_ids[:-1]).strip() == turn.text
            assert turn.version == -1
        assert all(len(turn.action_ids) == 0 for turn in shown.turns)
