"""Episodes as sequences that a tower reads: the tokens of the run, or hashed words where any tower will do.

What is read off them is the work of `estimator`; words need no tokenizer, so they are the same live and from a store.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from agentgym.errors import ConfigError
from agentgym.message import Message
from agentgym.trajectory import Ids, Segment, Trajectory

BUCKETS = 4096
"""Ids of hashed words; 0 is padding."""
_WORD = re.compile(r"\w+|[^\w\s]")
_MAX_WORDS = 200
"""Words of a message; of longer ones the middle is left out."""
_MAX_EPISODE = 6000
"""Words of an episode: where there are many messages each may have fewer."""
_LEAST_WORDS = 8


class Episode(NamedTuple):
    """An episode as a tower reads it."""

    segments: list[Segment]
    """The sampled parts are the agent's turns."""
    target: float
    """What is to be predicted: its return, or 1 for an expert's and 0 for the agent's."""
    num_turns: int
    """Turns, those without anything sampled among them."""


def read_words(trajectory: Trajectory) -> list[Segment]:
    """The messages of an episode as one sequence of hashed words, each turn's reply in the place of sampled tokens."""
    num_messages = sum(1 + len(turn.messages) for turn in trajectory.turns)
    limit = max(_LEAST_WORDS, min(_MAX_WORDS, _MAX_EPISODE // max(1, num_messages)))
    turns = []
    for place, turn in enumerate(trajectory.turns):
        heard = [part for message in turn.messages for part in (_mark(message), *_words(_text(message), limit))]
        turns.append(
            replace(
                turn,
                prompt_ids=_ids([*heard, "<turn>"]),
                action_ids=_ids([*_words(turn.text, limit), "<end>"]),
                opens_segment=place == 0,
                behaviour_logprobs=None,
                version=-1,
            )
        )
    return replace(trajectory, turns=turns).segments()


def read_tokens(trajectory: Trajectory) -> list[Segment]:
    """The recorded tokens of an episode.

    Raises:
        ConfigError: It has none.
    """
    segments = [segment for segment in trajectory.segments() if segment.completion_mask.any()]
    if trajectory.turns and not segments:
        raise ConfigError(
            f"trajectory {trajectory.id!r} has no tokens, which a tower of the policy's kind reads; set fit.tower = "
            '"tiny", which reads words'
        )
    return segments


def episodes_to_tensors(episodes: Sequence[Episode]) -> dict[str, Tensor]:
    """Episodes as a few flat tensors, for checkpoints."""
    segments = [segment for episode in episodes for segment in episode.segments]
    owner = [number for number, episode in enumerate(episodes) for _ in episode.segments]
    joined = {
        "tokens": np.concatenate([np.zeros(0, np.int32), *(segment.tokens for segment in segments)]),
        "mask": np.concatenate([np.zeros(0, np.bool_), *(segment.completion_mask for segment in segments)]),
        "turns": np.concatenate([np.zeros(0, np.int32), *(segment.turn_index for segment in segments)]),
        "lengths": np.array([segment.num_tokens for segment in segments], np.int64),
        "owner": np.array(owner, np.int64),
        "targets": np.array([episode.target for episode in episodes], np.float64),
        "num_turns": np.array([episode.num_turns for episode in episodes], np.int64),
    }
    return {name: torch.from_numpy(array) for name, array in joined.items()}


def episodes_from_tensors(tensors: dict[str, Tensor]) -> list[Episode]:
    """The inverse of `episodes_to_tensors`."""
    arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
    targets = zip(arrays["targets"].tolist(), arrays["num_turns"].tolist(), strict=True)
    episodes = [Episode([], target, num_turns) for target, num_turns in targets]
    ends = np.cumsum(arrays["lengths"])[:-1]
    split = (np.split(arrays[name], ends) for name in ("tokens", "mask", "turns"))
    for owner, tokens, mask, turns in zip(arrays["owner"].tolist(), *split, strict=True):
        nothing = np.full(len(tokens), np.nan, np.float32)
        episodes[owner].segments.append(
            Segment(tokens, mask, turns, nothing, np.full(len(tokens), -1, np.int32), str(owner))
        )
    return episodes


def _mark(message: Message) -> str:
    return f"<{message.get('role', '?')}>"


def _text(message: Message) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))


def _words(text: str, limit: int) -> list[str]:
    words = _WORD.findall(text)
    return words if len(words) <= limit else words[: limit // 2] + words[-(limit // 2) :]


def _ids(words: Sequence[str]) -> Ids:
    return np.array([zlib.crc32(word.encode()) % (BUCKETS - 1) + 1 for word in words], np.int32)
