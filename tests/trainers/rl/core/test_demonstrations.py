from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.errors import HeldOutError
from agentgym.policies.cast import Cast
from agentgym.prompting.renderer import ChatRenderer
from agentgym.prompting.tiny import build_tokenizer
from agentgym.suite import Suite, load_suite
from agentgym.trajectory import FINAL_PROMPT, LAST_MESSAGES, Trajectory
from agentgym_rl.core import demonstrations
from agentgym_rl.core.demonstrations import collect_demonstrations, with_tokens
from agentgym_rl.core.roles import tools_of
from tests.trainers.rl import vocabulary
from tests.trainers.rl.planted import noticed, parametrised, swapped
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


def test_tool_calls_are_rendered_as_in_the_whole_conversation() -> None:
    """Replies are rendered behind a short prompt; behind the long one they are the same."""
    suite = load_suite("tools/lookup")
    tools = tools_of(Cast.of(suite.env, options=suite.env_options))
    renderer = ChatRenderer(build_tokenizer(["name value"], tools))
    found = [one for script in ("demo", "random") for one in collect_demonstrations(suite, script, 6, 0)]
    assert any(turn.reply.get("tool_calls") for one in found for turn in one.turns)
    for shown, made in zip(found, with_tokens(found, renderer, tools), strict=True):
        [segment] = made.segments()
        whole = renderer.render(list(shown.transcript()), tools, add_generation_prompt=False)
        assert segment.tokens.tolist() == whole[: segment.num_tokens]
        said = sum(len(turn.action_ids) for turn in made.turns)
        assert segment.completion_mask.sum() == said > 0


def in_the_end(sequence: Sequence[int], renderer: ChatRenderer) -> bool:
    return len(sequence) > 0 and sequence[-1] in renderer.stop_ids


def forced_ends(trajectory: Trajectory, talk: Any, render_reply: Any, stop_ids: Any) -> Trajectory:
    """D-3: the end of a message that a limit cut is trained on, as if the policy had said it."""
    turns = [replace(turn, was_cut=False) for turn in trajectory.turns]
    return OWN(replace(trajectory, turns=turns), talk, render_reply, stop_ids)


OWN = demonstrations._tokenised


@parametrised(OWN, forced_ends)
def test_a_message_that_a_limit_cut_has_no_end(implementation: Any, is_bug: bool, suite: Suite) -> None:
    """Trap D-3: nobody learns to stop where a limit did."""
    renderer = ChatRenderer(build_tokenizer(vocabulary.texts()))
    shown = collect_demonstrations(suite, "demo", 1, 0)[0]
    shown.turns[1] = replace(shown.turns[1], was_cut=True)
    with noticed(is_bug), swapped(demonstrations, "_tokenised", implementation):
        [made] = with_tokens([shown], renderer, [])
        assert [in_the_end(turn.action_ids, renderer) for turn in made.turns] == [
            place != 1 for place in range(len(made.turns))
        ]
        [segment] = made.segments()
        whole = renderer.render(list(shown.transcript()), [], add_generation_prompt=False)
        assert segment.tokens.tolist() == whole[: segment.num_tokens]


def test_a_truncated_episode_keeps_its_final_observation(tmp_path: Path) -> None:
    suite = install(tmp_path, "key-door", 4, max_turns=2)
    renderer = ChatRenderer(build_tokenizer(vocabulary.texts()))
    found = collect_demonstrations(suite, "demo", 4, 0)
    assert {one.outcome.kind for one in found if one.outcome is not None} == {"truncated"}
    found[0].metadata[FINAL_PROMPT] = [1, 2, 3]  # of the recorded model's tokenizer
    for shown, made in zip(found, with_tokens(found, renderer, []), strict=True):
        messages = [*shown.transcript(), *shown.metadata[LAST_MESSAGES]]
        assert made.metadata[FINAL_PROMPT] == renderer.render(messages)
    assert found[0].metadata[FINAL_PROMPT] == [1, 2, 3]


def test_an_episode_that_ended_has_no_final_observation(suite: Suite) -> None:
    renderer = ChatRenderer(build_tokenizer(vocabulary.texts()))
    found = [one for one in collect_demonstrations(suite, "demo", 8, 0) if one.success]
    assert found
    assert all(FINAL_PROMPT not in one.metadata for one in with_tokens(found, renderer, []))


def test_prompts_leave_out_the_turns_that_rollouts_leave_out(suite: Suite) -> None:
    renderer = ChatRenderer(build_tokenizer(vocabulary.texts()))
    found = collect_demonstrations(suite, "demo", 4, 0)
    whole, short = with_tokens(found, renderer, []), with_tokens(found, renderer, [], "last:1")
    for full, cut in zip(whole, short, strict=True):
        assert [turn.action_ids.tolist() for turn in full.turns] == [turn.action_ids.tolist() for turn in cut.turns]
        assert len(cut.segments()) == len(cut.turns) - 1 > 1
