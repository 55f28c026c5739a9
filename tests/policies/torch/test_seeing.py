"""Models that see, of three families, made from nothing."""

import io
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import ExifTags, Image

from agentgym.errors import ConfigError, ContractError, TemplateError, WrongModelError
from agentgym.picture import data_url, image_file, url_of, with_picture
from agentgym.policies.torch.listed import ListedPolicy
from agentgym.policies.torch.policy import TorchPolicy
from agentgym.policies.torch.sampling import TokenDraws
from agentgym.policies.torch.seeing import pictures_of
from agentgym.policies.torch.sight import Sight, give_sight, sight_of
from agentgym.policy import Request, Sampling
from agentgym.prompting.conversation import Conversation
from agentgym.prompting.renderer import ChatRenderer
from agentgym.prompting.tiny import TEMPLATE
from agentgym.task import Task
from tests.toys.seeing import FAMILIES, seeing_folder

TASK = Task("t", 0)


@pytest.fixture(scope="module", params=FAMILIES)
def policy(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    return TorchPolicy.load(seeing_folder(folder, ["what colour is it"], request.param))


def picture(colour, height=40, width=60):
    pixels = np.full((height, width, 3), colour, np.uint8)
    pixels[: height // 2, : width // 3] = 255 - pixels[0, 0]
    return pixels


def asked(*pictures):
    return with_pictures({"role": "user", "content": "what colour is it"}, pictures)


def with_pictures(message, pictures):
    for each in pictures:
        message = with_picture(message, each)
    return message


def ask(policy, *pictures, talk=None, seed=7, episode="e", turn=0):
    talk = talk or Conversation(ChatRenderer(policy.tokenizer))
    talk.observe([asked(*pictures)])
    prompt = talk.prompt()
    sampling = Sampling(temperature=1.0, max_tokens=6)
    return Request(episode, turn, TASK, talk.messages, [], prompt.ids, seed, sampling, pictures=prompt.pictures)


def recompute(policy, request, ids):
    """Log-probabilities by transformers' own way from ids and pixels, positions included."""
    sight = sight_of(policy.model)
    tokens = torch.tensor([[*request.prompt_ids, *ids]])
    with torch.no_grad():
        logits = policy.model(
            input_ids=tokens,
            attention_mask=torch.ones_like(tokens),
            mm_token_type_ids=(tokens == sight.token).int(),
            **sight.inputs(pictures_of(request), tokens.device),
        ).logits[0, len(request.prompt_ids) - 1 : -1]
    return torch.log_softmax(logits, -1).gather(1, torch.tensor(ids).long()[:, None])[:, 0].numpy()


def test_replies_are_drawn_from_what_the_model_says_of_pictures(policy):
    for pictures in [(picture(10),), (picture(10), picture(200, 100, 30)), ()]:
        request = ask(policy, *pictures)
        [reply] = policy.generate([request])
        assert len(reply.ids) > 0
        np.testing.assert_allclose(reply.logprobs, recompute(policy, request, reply.ids), atol=1e-5)


def test_the_token_of_a_picture_is_repeated_as_often_as_the_model_reads_it(policy):
    request = ask(policy, picture(10, 100, 30), picture(10))
    mark = ChatRenderer(policy.tokenizer).picture_id
    at = [index for index, token in enumerate(request.prompt_ids) if token == mark]
    sizes = [policy.model.agentgym_sight.num_tokens(url) for url in pictures_of(request)]
    assert min(sizes) > 1
    assert len(at) == sum(sizes)
    first, second = request.pictures
    assert (first.token, second.token) == (at[0], at[sizes[0]])


def test_a_reply_depends_on_the_pixels_alone_and_on_no_other_row(policy):
    requests = [ask(policy, picture(colour, *size)) for colour, size in [(0, (40, 60)), (250, (40, 60)), (9, (90, 30))]]
    alone = [policy.generate([each])[0] for each in requests]
    together = policy.generate([*requests, *reversed(requests)])
    for one, many, again in zip(alone, together, reversed(together[3:]), strict=False):
        assert one.ids.tolist() == many.ids.tolist() == again.ids.tolist()
        np.testing.assert_allclose(one.logprobs, many.logprobs, atol=1e-5)
    dark, light = (recompute(policy, each, alone[0].ids) for each in requests[:2])
    assert np.abs(dark - light).max() > 1e-3


def test_prompts_pass_through_the_model_in_parts(policy):
    requests = [ask(policy, picture(colour), seed=colour) for colour in (0, 100, 200)]
    whole = policy.generate(requests)
    policy._decoder._prefill_tokens = 1
    try:
        parts = policy.generate(requests)
    finally:
        policy._decoder._prefill_tokens = policy.limits.prefill_tokens
    assert [each.ids.tolist() for each in parts] == [each.ids.tolist() for each in whole]


def test_a_second_turn_goes_on_with_its_pictures(policy):
    talk = Conversation(ChatRenderer(policy.tokenizer))
    first = ask(policy, picture(10), talk=talk)
    [reply] = policy.generate([first])
    talk.reply(reply.ids.tolist(), reply.text, cut=reply.was_cut)
    second = ask(policy, picture(99, 100, 30), talk=talk, turn=1)
    assert not talk.prompt().opens_segment
    assert second.prompt_ids[: len(first.prompt_ids)] == first.prompt_ids
    assert [place.message for place in second.pictures] == [0, 2]
    assert second.prompt_ids[second.pictures[1].token] == talk.renderer.picture_id
    [reply] = policy.generate([second])
    np.testing.assert_allclose(reply.logprobs, recompute(policy, second, reply.ids), atol=1e-5)


def test_the_pictures_of_a_request_are_those_of_its_prompt(policy):
    request = ask(policy, picture(10), picture(20))
    parts = [part for part in request.messages[0]["content"] if part["type"] == "image_url"]
    assert pictures_of(request) == tuple(map(url_of, parts))


def test_a_template_without_a_token_for_pictures_is_refused(policy):
    kept = policy.tokenizer.chat_template
    policy.tokenizer.chat_template = TEMPLATE
    try:
        with pytest.raises(TemplateError, match="writes 0 tokens for 1 pictures; expected one for each"):
            ask(policy, picture(10))
    finally:
        policy.tokenizer.chat_template = kept


def sampled_mark(policy, second=None):
    """A request whose prompt has a reply in which the policy sampled the token of pictures, and that token's index."""
    renderer = ChatRenderer(policy.tokenizer)
    talk = Conversation(renderer)
    first = ask(policy, picture(10), talk=talk)
    talk.reply([5, renderer.picture_id, 6], "x", cut=True)
    return ask(policy, *second or (), talk=talk, turn=1), len(first.prompt_ids) + 1


@pytest.mark.parametrize("second", [(), (picture(99, 100, 30),)])
def test_a_sampled_token_of_pictures_is_read_as_text(policy, second):
    request, at = sampled_mark(policy, second)
    [reply] = policy.generate([request])
    as_text = policy.tokenizer.convert_tokens_to_ids("<|video_pad|>")
    ids = [*request.prompt_ids[:at], as_text, *request.prompt_ids[at + 1 :]]
    np.testing.assert_allclose(
        reply.logprobs, recompute(policy, replace(request, prompt_ids=ids), reply.ids), atol=1e-5
    )


def test_what_is_sampled_behind_a_token_of_pictures_follows_it_as_text(policy, monkeypatch):
    mark, draw = ChatRenderer(policy.tokenizer).picture_id, TokenDraws.draw

    def draw_mark(draws, logits, step):
        drawn, likely = draw(draws, logits, step)
        return (torch.full_like(drawn, mark), likely) if step == 1 else (drawn, likely)

    monkeypatch.setattr(TokenDraws, "draw", draw_mark)
    request = ask(policy, picture(10), seed=3)
    [reply] = policy.generate([request])
    assert reply.ids[1] == mark
    as_text = np.where(reply.ids == mark, policy.tokenizer.convert_tokens_to_ids("<|video_pad|>"), reply.ids)
    np.testing.assert_allclose(reply.logprobs[2:], recompute(policy, request, as_text)[2:], atol=1e-5)


def test_a_prompt_without_its_pictures_is_refused(policy):
    request = ask(policy, picture(10))
    with pytest.raises(ContractError, match="tokens of the prompt stand for pictures, and the request has none"):
        policy.generate([replace(request, pictures=())])
    moved = tuple(place.moved(1) for place in request.pictures)
    with pytest.raises(ContractError, match="a picture that the model reads as 2 tokens has fewer from token"):
        policy.generate([replace(request, pictures=moved)])


@pytest.mark.parametrize(("height", "width"), [(1, 1), (1, 40), (3, 40), (4, 40), (40, 3), (40, 60), (200, 8000)])
def test_the_pixels_are_those_that_the_processor_makes_of_the_picture(policy, height, width):
    sight = sight_of(policy.model)
    pixels = np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8)
    [url] = map(url_of, with_picture({"role": "user", "content": ""}, pixels)["content"][1:])
    expected = sight._processor(pixels, input_data_format="channels_last", return_tensors="pt")
    assert torch.equal(sight.read(url).patches, expected["pixel_values"])


def test_a_photograph_is_seen_upright(policy):
    sight, turned = sight_of(policy.model), Image.Exif()
    turned[ExifTags.Base.Orientation] = 6
    file = io.BytesIO()
    Image.new("RGB", (60, 120)).save(file, "PNG", exif=turned)
    [_, rows, columns] = sight.read(data_url(image_file("image/png", file.getvalue()))).grid.tolist()
    assert rows < columns


def test_a_picture_that_is_too_narrow_is_refused(policy):
    with pytest.raises(ContractError, match="cannot be read: absolute aspect ratio must be smaller than 200"):
        ask(policy, np.zeros((7, 1407, 3), np.uint8))


def test_threads_share_the_pixels_that_were_read_last(policy, monkeypatch):
    sight = sight_of(policy.model)
    monkeypatch.setattr("agentgym.policies.torch.sight._KEPT_BYTES", 200_000)
    urls = [url_of(asked(picture(colour))["content"][1]) for colour in range(40)]
    alone = [sight.read(url).patches for url in urls]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda at: (at % 40, sight.read(urls[at % 40]).patches), range(1600)))
    finally:
        sys.setswitchinterval(interval)
    assert all(torch.equal(patches, alone[at]) for at, patches in found)
    kept = sum(each.patches.nbytes + len(url) for url, each in sight._kept.items())
    assert kept == sight._num_bytes <= 200_000


def test_a_model_without_positions_in_height_and_width_is_refused(policy):
    with pytest.raises(WrongModelError, match="Linear reads pictures without positions in time, height and width"):
        give_sight(torch.nn.Linear(1, 1), sight_of(policy.model))


def test_a_limit_of_pixels_by_its_older_name_wins(tmp_path):
    folder = seeing_folder(tmp_path, ["what"])
    path = folder / "preprocessor_config.json"
    facts = json.loads(path.read_text())
    [url] = [url_of(part) for part in asked(picture(10, 200, 200))["content"][1:]]
    before = Sight.load(folder).num_tokens(url)
    path.write_text(json.dumps({**facts, "max_pixels": 28 * 28 * 4}))
    assert Sight.load(folder).num_tokens(url) == 4 < before


def test_fingerprint_tells_ways_of_reading_pictures_apart(tmp_path):
    folder = seeing_folder(tmp_path, ["what"])
    before, again = TorchPolicy.load(folder).fingerprint, TorchPolicy.load(folder).fingerprint
    path = folder / "preprocessor_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "max_pixels": 28 * 28 * 4}))
    assert TorchPolicy.load(folder).fingerprint != before == again


def test_a_picture_that_cannot_be_read_is_refused(policy):
    sight = sight_of(policy.model)
    for url, reason in [
        ("data:image/png;base64,AAAA", "of 3 bytes cannot be read"),
        ("https://a.example/b.png", "no data URL"),
    ]:
        with pytest.raises(ContractError, match=reason):
            sight.read(url)


def test_a_model_that_sees_does_not_pick_among_listed_actions(policy):
    with pytest.raises(ConfigError, match="a model that sees cannot pick among listed actions"):
        ListedPolicy(policy.model, policy.tokenizer)


def test_a_model_that_sees_needs_its_image_processor(tmp_path):
    folder = seeing_folder(tmp_path, ["what"])
    (folder / "preprocessor_config.json").unlink()
    with pytest.raises(WrongModelError, match=r"image processor cannot be loaded: .*copy preprocessor_config.json"):
        TorchPolicy.load(folder)
