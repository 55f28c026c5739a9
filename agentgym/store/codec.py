"""Trajectories to rows and back, exactly.

Columns hold what queries filter by, a JSON record the rest, and one compressed blob all token arrays of an episode.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import ContractError
from agentgym.message import Message
from agentgym.picture import Image, PlacedPicture
from agentgym.reward import RewardEvent
from agentgym.store.images import take_out
from agentgym.trajectory import LAST_MESSAGES, NO_IDS, Trajectory, Turn, TurnTimes

_COMPRESSION = 1
"""zlib level: sampled ids and log-probabilities hardly shrink further, and 1 is several times as fast as 6."""

_COMPRESSED_FROM = 4096
"""Bytes of token arrays from which compression is worth its time: below, it costs a quarter of writing an episode."""

_INT32, _FLOAT32 = np.dtype("<i4"), np.dtype("<f4")

EPISODE_COLUMNS = (
    "id, purpose, iteration, policy, suite, split, stratum, task_id, role, attempt, group_id, outcome, cause, success, "
    "score, reward, num_turns, num_action_tokens, record"
)
_RECORD_FIELDS = ("content_hash", "seed", "is_derived", "parent_id", "parent_turn", "usage", "error", "metadata")


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")


_encode = json.JSONEncoder(separators=(",", ":"), default=_plain).encode
# Escaped to ASCII, so that lone surrogates in a model's output survive SQLite's UTF-8.


def to_json_text(value: Any, what: str) -> str:
    """Compact ASCII JSON of a value.

    Raises:
        ContractError: The value holds something that is not JSON; `what` names it in the message.
    """
    try:
        return _encode(value)
    except (TypeError, ValueError) as error:
        raise ContractError(f"{what} cannot be stored: {error}; use numbers, texts, lists and objects only") from error


class Encoded(NamedTuple):
    """The rows of one episode; `group` is None outside groups, `tokens` where there are none."""

    episode: tuple[Any, ...]
    turns: list[tuple[Any, ...]]
    tokens: bytes | None
    images: list[Image]
    group: tuple[str, str, int | None] | None


def encode(trajectory: Trajectory, iteration: int | None, purpose: str) -> Encoded:
    """All rows of an episode.

    Raises:
        ContractError: The episode has not ended or holds something that is not JSON.
    """
    shots = [*(turn.screenshot for turn in trajectory.turns), trajectory.last_screenshot]
    images = {shot.hash: shot for shot in shots if shot is not None}
    return Encoded(
        episode_row(trajectory, iteration, purpose, images),
        turn_rows(trajectory, images),
        pack_tokens(trajectory.turns),
        list(images.values()),
        (trajectory.group_id, trajectory.task_id, iteration) if trajectory.group_id else None,
    )


def episode_row(
    trajectory: Trajectory, iteration: int | None, purpose: str, images: dict[str, Image]
) -> tuple[Any, ...]:
    """Values of `EPISODE_COLUMNS`; pictures of the last messages are taken out into `images`.

    Raises:
        ContractError: The episode has not ended or holds something that is not JSON.
    """
    outcome = trajectory.outcome
    if outcome is None:
        raise ContractError(f"episode {trajectory.id!r} has no outcome yet; an episode is stored when it ends")
    record: dict[str, Any] = {name: getattr(trajectory, name) for name in _RECORD_FIELDS}
    record["metadata"] = swap_last_pictures(trajectory.metadata, lambda message: take_out(message, images))
    record["events"] = trajectory.events
    record["weights"] = trajectory.weights
    if trajectory.last_screenshot is not None:
        record["last_screenshot"] = trajectory.last_screenshot.hash
    success = trajectory.success
    return (
        trajectory.id,
        purpose,
        iteration,
        trajectory.policy,
        trajectory.suite,
        trajectory.split,
        trajectory.stratum,
        trajectory.task_id,
        trajectory.role,
        trajectory.attempt,
        trajectory.group_id,
        outcome.kind,
        outcome.cause,
        None if success is None else int(success),
        None if trajectory.score is None else float(trajectory.score),
        trajectory.total_reward,
        len(trajectory.turns),
        trajectory.num_action_tokens,
        to_json_text(record, f"episode {trajectory.id!r}"),
    )


def swap_last_pictures(metadata: dict[str, Any], swap: Callable[[Message], Message]) -> dict[str, Any]:
    """Metadata whose last messages, where there are some, have their pictures swapped."""
    last = metadata.get(LAST_MESSAGES)
    if not isinstance(last, list):
        return metadata
    return {**metadata, LAST_MESSAGES: [swap(each) if isinstance(each, dict) else each for each in last]}


def turn_rows(trajectory: Trajectory, images: dict[str, Image]) -> list[tuple[Any, ...]]:
    """One row a turn, without the episode's number in front; pictures are taken out into `images`."""
    rows = []
    for position, turn in enumerate(trajectory.turns):
        messages = [take_out(message, images) for message in turn.messages]
        record: list[Any] = [messages, take_out(turn.reply, images), turn.text, turn.anchor]
        if turn.legal_actions is not None:
            record.append(turn.legal_actions)
        times = turn.times
        rows.append(
            (
                position,
                turn.index,
                to_json_text(record, f"turn {turn.index} of episode {trajectory.id!r}"),
                turn.version,
                turn.opens_segment,
                turn.was_cut,
                turn.was_invalid,
                times.queue_s,
                times.model_s,
                times.env_s,
                times.verify_s,
                turn.progress,
                to_json_text(turn.pictures, "pictures") if turn.pictures else None,
                None if turn.screenshot is None else turn.screenshot.hash,
            )
        )
    return rows


def pack_tokens(turns: Sequence[Turn]) -> bytes | None:
    """All token arrays of an episode as one blob; None where there are none.

    Layout, little-endian 32-bit words before compression: number of turns N; N triples (prompt length, action length,
    log-probability length or -1 for None); then turn by turn prompt ids, action ids, log-probabilities (float32).
    """
    header = [len(turns)]
    arrays: list[bytes] = []
    for turn in turns:
        logprobs = turn.behaviour_logprobs
        header += (len(turn.prompt_ids), len(turn.action_ids), -1 if logprobs is None else len(logprobs))
        arrays += (np.asarray(turn.prompt_ids, _INT32).tobytes(), np.asarray(turn.action_ids, _INT32).tobytes())
        if logprobs is not None:
            arrays.append(np.asarray(logprobs, _FLOAT32).tobytes())
    if sum(header[1:]) == -len(turns):
        return None
    plain = b"".join((np.array(header, _INT32).tobytes(), *arrays))
    return zlib.compress(plain, _COMPRESSION if len(plain) >= _COMPRESSED_FROM else 0)


class TurnTokens(NamedTuple):
    """The token arrays of one turn.

    Attributes:
        prompt_ids: int32[P].
        action_ids: int32[K].
        behaviour_logprobs: float32[K]; None for derived turns.
    """

    prompt_ids: NDArray[np.int32]
    action_ids: NDArray[np.int32]
    behaviour_logprobs: NDArray[np.float32] | None


class PackedTokens:
    """The arrays of `pack_tokens`, cut out turn by turn when asked for.

    What is cut out are views of one buffer of their own, so they may be written.

    Args:
        blob: As stored.

    Raises:
        ValueError, IndexError, zlib.error: The blob is damaged.
    """

    def __init__(self, blob: bytes) -> None:
        self._words = np.frombuffer(bytearray(zlib.decompress(blob)), _INT32)
        num_turns = int(self._words[0])
        self._sizes: list[list[int]] = self._words[1 : 1 + 3 * num_turns].reshape(num_turns, 3).tolist()
        self._starts = []
        at = 1 + 3 * num_turns
        for num_prompt, num_action, num_logprobs in self._sizes:
            self._starts.append(at)
            at += num_prompt + num_action + max(num_logprobs, 0)
        if at != len(self._words):
            raise ValueError(f"{len(self._words)} words of tokens, expected {at}")

    def __len__(self) -> int:
        return len(self._sizes)

    def __getitem__(self, turn: int) -> TurnTokens:
        num_prompt, num_action, num_logprobs = self._sizes[turn]
        start = self._starts[turn]
        middle, end = start + num_prompt, start + num_prompt + num_action
        logprobs = self._words[end : end + num_logprobs].view(_FLOAT32) if num_logprobs >= 0 else None
        return TurnTokens(self._words[start:middle], self._words[middle:end], logprobs)

    def __iter__(self) -> Iterator[TurnTokens]:
        return (self[turn] for turn in range(len(self)))

    def prompt(self, turn: int) -> NDArray[np.int32]:
        """int32[P], the new prompt ids of a turn."""
        start = self._starts[turn]
        return self._words[start : start + self._sizes[turn][0]]

    def prompt_and_action(self, turn: int) -> NDArray[np.int32]:
        """int32[P + K], what a turn adds to its segment."""
        num_prompt, num_action, _ = self._sizes[turn]
        start = self._starts[turn]
        return self._words[start : start + num_prompt + num_action]


def unpack_tokens(blob: bytes, turns: Sequence[Turn]) -> None:
    """Give turns their arrays back.

    Raises:
        ValueError, IndexError, zlib.error: The blob is damaged or belongs to another number of turns.
    """
    arrays = PackedTokens(blob)
    if len(arrays) != len(turns):
        raise ValueError(f"tokens of {len(arrays)} turns, expected {len(turns)}")
    for turn, (prompt_ids, action_ids, logprobs) in zip(turns, arrays, strict=True):
        turn.prompt_ids, turn.action_ids = prompt_ids, action_ids
        if logprobs is not None:
            turn.behaviour_logprobs = logprobs


def read_turn(row: Sequence[Any]) -> Turn:
    """The turn of a row of `turns` (from the column `turn` on), without its token arrays and its screenshot."""
    index, record, version, opens_segment, was_cut, was_invalid, *times, progress, pictures, _ = row
    messages, reply, text, anchor, *legal_actions = json.loads(record)
    return Turn(
        index=index,
        messages=messages,
        reply=reply,
        text=text,
        prompt_ids=NO_IDS,
        action_ids=NO_IDS,
        version=version,
        opens_segment=bool(opens_segment),
        was_cut=bool(was_cut),
        was_invalid=bool(was_invalid),
        anchor=anchor,
        progress=progress,
        legal_actions=tuple(legal_actions[0]) if legal_actions else None,
        times=TurnTimes(*times),
        pictures=tuple(PlacedPicture(*place) for place in json.loads(pictures)) if pictures else (),
    )


def read_events(record: Mapping[str, Any]) -> list[RewardEvent]:
    """The reward events of an episode's record."""
    return [RewardEvent(*fields) for fields in record["events"]]
