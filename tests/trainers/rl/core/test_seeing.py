"""Training models that see: they are scored on the pixels that they were shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from agentgym.errors import ConfigError
from agentgym.picture import with_picture
from agentgym.policies.torch.policy import TorchPolicy
from agentgym.policies.torch.steering import save_model
from agentgym.policy import Request, Sampling
from agentgym.prompting.conversation import Conversation
from agentgym.prompting.renderer import ChatRenderer
from agentgym.task import Task
from agentgym.trajectory import Trajectory, Turn
from agentgym_rl.core.cloning import clone
from agentgym_rl.core.config.tables import ModelConfig, PackingConfig, WarmStartConfig
from agentgym_rl.core.models import PolicyModel, apply_options, load_causal_lm
from agentgym_rl.core.packing import pack
from tests.toys.seeing import FAMILIES, seeing_folder

COLOURS = {"red": (250, 20, 20), "blue": (20, 20, 250)}
QUESTION = "what colour is it"


def message(colour: str, size: int) -> dict:
    pixels = np.tile(np.array(COLOURS[colour], np.uint8), (30 + size, 60, 1))
    return with_picture({"role": "user", "content": QUESTION}, pixels)


def episode(policy: TorchPolicy, number: int, colours: list[str], said: str | None = None) -> Trajectory:
    """An episode with a picture a turn; what the policy says, or what it shall have said."""
    talk, turns = Conversation(ChatRenderer(policy.tokenizer)), []
    for index, colour in enumerate(colours):
        shown = message(colour, 30 * index)
        talk.observe([shown])
        prompt = talk.prompt()
        ids, logprobs = policy.tokenizer.encode(f"{said}<|im_end|>"), None
        if said is None:
            sampling = Sampling(temperature=1.0, max_tokens=5)
            request = Request("e", index, Task("t", 0), talk.messages, [], prompt.ids, number, sampling)
            [reply] = policy.generate([replace_pictures(request, prompt)])
            ids, logprobs = reply.ids.tolist(), reply.logprobs
        text = policy.tokenizer.decode(ids)
        talk.reply(ids, text, cut=True)
        turns.append(
            Turn(
                index,
                [shown],
                {"role": "assistant", "content": text},
                text,
                prompt_ids=np.array(prompt.new_ids, np.int32),
                action_ids=np.array(ids, np.int32),
                behaviour_logprobs=logprobs,
                version=0,
                opens_segment=prompt.opens_segment,
                pictures=prompt.new_pictures,
            )
        )
    return Trajectory(f"episode-{number}", f"t-{number}", turns=turns)


def replace_pictures(request: Request, prompt) -> Request:
    return replace(request, pictures=prompt.pictures)


@pytest.fixture(scope="module", params=FAMILIES)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seeing_folder(tmp_path_factory.mktemp(request.param), [QUESTION, *COLOURS], request.param)


def loaded(folder: Path, **options):
    config = ModelConfig(path=str(folder), **options)
    model, tokenizer = load_causal_lm(str(folder), config)
    model = apply_options(model, config)
    return PolicyModel(model), TorchPolicy(model, tokenizer)


@pytest.mark.parametrize("packing", [PackingConfig(256, 512), PackingConfig(256, 256, is_packed=False)])
def test_what_was_sampled_is_as_likely_where_it_is_learned_from(folder: Path, packing: PackingConfig) -> None:
    model, policy = loaded(folder)
    played = [episode(policy, 0, ["red", "blue"]), episode(policy, 1, ["blue"]), episode(policy, 2, ["red"])]
    segments = [segment for each in played for segment in each.segments()]
    for batch in pack(segments, packing):
        assert len(batch.pictures) == sum(len(segments[place.segment].pictures) for place in batch.placements)
        with torch.no_grad():
            logprobs, _, _ = model.score(batch)
        sampled = batch.flatten([segment.behaviour_logprobs for segment in segments])
        np.testing.assert_allclose(logprobs, sampled, atol=1e-5)


def test_a_model_learns_to_name_the_colour_that_it_sees(tmp_path: Path) -> None:
    model, policy = loaded(seeing_folder(tmp_path, [QUESTION, *COLOURS]))
    shown = [episode(policy, index, [colour], said=colour) for index, colour in enumerate([*COLOURS] * 4)]
    config = WarmStartConfig(demonstrations=8, learning_rate=1e-2, batch_episodes=8)
    losses = clone(model, shown, config, PackingConfig(128, 1024), seed=0, num_updates=36)
    assert losses[-1] < 0.1, losses  # without pixels, .35: one of two colours, and the end of the message


def test_what_reads_pictures_stays_as_it_is_unless_it_is_to_learn(folder: Path) -> None:
    for freezes in (True, False):
        model, policy = loaded(folder, freeze_vision=freezes)
        [batch] = pack(episode(policy, 0, ["red"]).segments(), PackingConfig(128, 128))
        model.score(batch)[0].sum().backward()
        moved = {name for name, weight in model.named_parameters() if weight.grad is not None and weight.grad.any()}
        assert any("visual" in name for name in moved) != freezes
        assert any("language_model" in name for name in moved)


def test_adapters_are_put_where_the_model_learns(folder: Path) -> None:
    for freezes in (True, False):
        model, policy = loaded(folder, freeze_vision=freezes, lora_rank=2)
        names = [name for name, weight in model.named_parameters() if weight.requires_grad]
        assert any("visual" in name for name in names) != freezes
        assert all("lora" in name for name in names)
        [batch] = pack(episode(policy, 0, ["red"]).segments(), PackingConfig(128, 128))
        assert model.score(batch)[0].isfinite().all()


def test_pictures_are_not_left_out_in_silence(folder: Path) -> None:
    model, policy = loaded(folder)
    [batch] = pack(episode(policy, 0, ["red"]).segments(), PackingConfig(128, 128))
    with pytest.raises(
        ConfigError, match="pictures stand in what the model reads, and what reads it here has no pixels"
    ):
        model.score(replace(batch, pictures=()))


def test_an_exported_model_sees_as_before(folder: Path, tmp_path: Path) -> None:
    _, policy = loaded(folder)
    save_model(policy.model, tmp_path)
    policy.tokenizer.save_pretrained(tmp_path)
    again = TorchPolicy.load(tmp_path)
    one, other = (episode(each, 0, ["red", "blue"]) for each in (policy, again))
    assert [turn.action_ids.tolist() for turn in one.turns] == [turn.action_ids.tolist() for turn in other.turns]
