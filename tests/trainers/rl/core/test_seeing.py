"""Training models that see: they are scored on the pixels that they were shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from agentgym.attribution.learned.predicted import FitConfig
from agentgym.errors import ConfigError, ContractError
from agentgym.outcome import Outcome
from agentgym.picture import url_of, with_picture
from agentgym.policies.torch.policy import TorchPolicy
from agentgym.policies.torch.sampling import TokenDraws
from agentgym.policies.torch.sight import vision_of
from agentgym.policies.torch.steering import save_model
from agentgym.policy import Request, Sampling
from agentgym.prompting.conversation import Conversation
from agentgym.prompting.renderer import ChatRenderer
from agentgym.task import Task
from agentgym.trajectory import LAST_MESSAGES, Trajectory, Turn
from agentgym_rl.core.batch import TrainBatch
from agentgym_rl.core.cloning import clone
from agentgym_rl.core.config.tables import ModelConfig, PackingConfig, WarmStartConfig
from agentgym_rl.core.demonstrations import with_tokens
from agentgym_rl.core.models import PolicyModel, apply_options, load_causal_lm
from agentgym_rl.core.packing import pack
from agentgym_rl.core.scoring import fill_scores
from agentgym_rl.learned_attribution.towers import make_network
from agentgym_rl.run.job import _without_adapters
from tests.toys.seeing import FAMILIES, seeing_folder

COLOURS = {"red": (250, 20, 20), "blue": (20, 20, 250)}
QUESTION = "what colour is it"


def message(colour: str, size: int) -> dict:
    pixels = np.tile(np.array(COLOURS[colour], np.uint8), (30 + size, 60, 1))
    return with_picture({"role": "user", "content": QUESTION}, pixels)


def episode(policy: TorchPolicy, number: int, colours: list[str | None], said: str | None = None) -> Trajectory:
    """An episode with a picture a turn, or none; what the policy says, or what it shall have said."""
    talk, turns = Conversation(ChatRenderer(policy.tokenizer)), []
    for index, colour in enumerate(colours):
        shown = message(colour, 30 * index) if colour else {"role": "user", "content": QUESTION}
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


@pytest.mark.parametrize("options", [{}, {"lora_rank": 2}])
def test_no_gradient_passes_through_what_is_frozen(folder: Path, options: dict) -> None:
    model, policy = loaded(folder, gradient_checkpointing=True, **options)
    [batch] = pack(episode(policy, 0, ["red"]).segments(), PackingConfig(128, 128))
    runs: list[bool] = []
    vision_of(model.causal_lm).blocks[0].register_forward_hook(lambda *call: runs.append(call[-1].requires_grad))
    model.train().score(batch)[0].sum().backward()
    assert runs == [False]  # checkpointing would run it again, to pass backwards through it
    assert any(weight.grad is not None for weight in model.parameters())


@pytest.mark.parametrize("colours", [["red", "blue"], ["red", None], [None, None]])
def test_a_sampled_token_of_pictures_is_learned_from_as_text(
    folder: Path, colours: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, policy = loaded(folder)
    draw, mark = TokenDraws.draw, ChatRenderer(policy.tokenizer).picture_id

    def draw_mark(draws: TokenDraws, logits: torch.Tensor, step: int) -> tuple[torch.Tensor, torch.Tensor]:
        drawn, likely = draw(draws, logits, step)
        if step != 1:
            return drawn, likely
        return torch.full_like(drawn, mark), torch.log_softmax(logits, -1)[:, mark]

    monkeypatch.setattr(TokenDraws, "draw", draw_mark)
    played = [episode(policy, number, colours) for number in range(2)]
    segments = [segment for each in played for segment in each.segments()]
    assert any((segment.tokens[segment.completion_mask] == mark).any() for segment in segments)
    [batch] = pack(segments, PackingConfig(256, 512))
    with torch.no_grad():
        logprobs, _, _ = model.score(batch)
    sampled = batch.flatten([segment.behaviour_logprobs for segment in segments])
    np.testing.assert_allclose(logprobs, sampled, atol=1e-5)


@pytest.mark.parametrize("row_length", [512, 30])
def test_a_truncated_episode_is_valued_at_the_pictures_of_its_final_observation(folder: Path, row_length: int) -> None:
    model, policy = loaded(folder)
    model.value_head = torch.nn.Linear(32, 1)
    played = episode(policy, 0, ["red"])
    played.outcome = Outcome("truncated", "turns")
    talk = Conversation(ChatRenderer(policy.tokenizer))
    talk.observe(played.turns[0].messages)
    talk.prompt()
    talk.reply(played.turns[0].action_ids.tolist(), "x", cut=True)
    last = message("blue", 30)
    talk.observe([last])
    prompt = talk.prompt()
    played.record_final_prompt(prompt.ids, prompt.pictures)
    played.metadata[LAST_MESSAGES] = [last]
    shown, urls = prompt.ids, [url_of(each["content"][1]) for each in (played.turns[0].messages[0], last)]
    assert (len(shown) >= row_length) == (row_length == 30)
    if row_length == 30:  # it has no room
        shown, urls = played.segments()[0].tokens.tolist(), urls[:1]
    batch = TrainBatch.of_trajectories([played])
    fill_scores(batch, model, None, PackingConfig(row_length, 512), 1.0, recompute_prox=False)
    ids = torch.tensor([shown])
    inputs = model.sight.inputs(urls, ids.device)
    with torch.no_grad():
        states = model.causal_lm.model(
            input_ids=ids, mm_token_type_ids=(ids == model.sight.token).int(), **inputs
        ).last_hidden_state
        expected = float(model.value_head(states[0, -1]))
    assert batch.final_values == pytest.approx([expected], abs=1e-5)


def test_demonstrations_keep_the_pictures_of_their_final_observation(folder: Path) -> None:
    _, policy = loaded(folder)
    played = episode(policy, 0, ["red"], said="red")
    played.outcome, played.metadata[LAST_MESSAGES] = Outcome("truncated", "turns"), [message("blue", 30)]
    [made] = with_tokens([played], ChatRenderer(policy.tokenizer), [])
    final = made.final_prompt()
    assert len(final.pictures) == len(final.picture_urls) == 2
    mark = ChatRenderer(policy.tokenizer).picture_id
    assert all(final.tokens[each.token] == mark != final.tokens[each.token - 1] for each in final.pictures)


def test_a_picture_of_another_size_than_its_tokens_is_refused(folder: Path) -> None:
    model, policy = loaded(folder)
    [batch] = pack(episode(policy, 0, ["red"]).segments(), PackingConfig(128, 128))
    [shown] = batch.pictures
    larger = url_of(message("red", 90)["content"][1])
    with pytest.raises(ContractError, match=r"a picture that the model reads as \d+ tokens has fewer from token"):
        model.score(replace(batch, pictures=(replace(shown, url=larger),)))


def test_towers_that_see_are_refused(folder: Path) -> None:
    _, policy = loaded(folder)
    with pytest.raises(ConfigError, match="the tower 'policy' is a model that sees, and towers read no pictures"):
        make_network(FitConfig(tower="policy"), policy.model)


def test_pictures_are_not_left_out_in_silence(folder: Path) -> None:
    model, policy = loaded(folder)
    [batch] = pack(episode(policy, 0, ["red"]).segments(), PackingConfig(128, 128))
    with pytest.raises(
        ConfigError, match="pictures stand in what the model reads, and what reads it here has no pixels"
    ):
        model.score(replace(batch, pictures=()))


@pytest.mark.parametrize("options", [{}, {"lora_rank": 2}])
def test_an_exported_model_sees_as_before(folder: Path, tmp_path: Path, options: dict) -> None:
    _, policy = loaded(folder, **options)
    with torch.no_grad():
        for name, weight in policy.model.named_parameters():
            if "lora_B" in name:
                weight.normal_(0, 0.1)
    policy.load_weights(policy.model, 1)
    before = policy.fingerprint
    save_model(_without_adapters(policy.model), tmp_path)
    assert policy.fingerprint == before
    policy.tokenizer.save_pretrained(tmp_path)
    again = TorchPolicy.load(tmp_path)
    one, other = (episode(each, 0, ["red", "blue"]) for each in (policy, again))
    assert [turn.action_ids.tolist() for turn in one.turns] == [turn.action_ids.tolist() for turn in other.turns]
