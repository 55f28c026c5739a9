"""Checks of runs to replay: the same suite and tokenizer, no held-out task, and at least one episode.

`index` decides which of their episodes enter, and how long they stay.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from agentgym.errors import HeldOutError, StoreError
from agentgym.evaluation.recording import RECORDING
from agentgym.store import RunStore
from agentgym_rl.replay.index import ReplayIndex
from agentgym_rl.replay.tables import ReplayConfig

TOKENIZER = "tokenizer"
"""Key of a run's meta: the digest of the vocabulary that its token ids are of."""
_CHUNK = 256
"""Episodes whose tokens are looked at at once."""


class Vocabulary(Protocol):
    """The part of a tokenizer that is used here."""

    def get_vocab(self) -> Mapping[str, int]:
        """The id of each token."""
        ...


def tokenizer_digest(tokenizer: Vocabulary) -> str:
    """SHA-256 of the ids of all tokens: with equal digests, equal ids have the same meaning."""
    pairs = sorted(tokenizer.get_vocab().items())
    return hashlib.sha256(json.dumps(pairs).encode()).hexdigest()


def record_tokenizer(store: RunStore, tokenizer: Vocabulary) -> str:
    """Store in a run which tokenizer made its tokens, so that it can be replayed; returns the digest.

    Raises:
        StoreError: The run holds tokens of another tokenizer, or is open read-only.
    """
    digest = tokenizer_digest(tokenizer)
    recorded = store.meta.get(TOKENIZER)
    if recorded is None:
        store.set_meta({TOKENIZER: digest})
    elif recorded != digest:
        raise StoreError(
            f"{store.folder} holds tokens of another tokenizer (digest {recorded[:12]}, got {digest[:12]}); use the "
            "tokenizer that the run was made with, or a new run folder"
        )
    return digest


def open_runs(
    folders: Sequence[Path | str], config: ReplayConfig, *, suite: str, tokenizer: Vocabulary
) -> list[ReplayIndex]:
    """Further runs to replay from, read-only, each with an index of its own.

    Args:
        folders: Their run folders.
        config: Its capacity applies to each; ages and versions of another run mean nothing here and are not bounded.
        suite: The suite that is trained on.
        tokenizer: The tokenizer that is trained with.

    Returns:
        The filled indices. The caller closes their stores.

    Raises:
        StoreError: A folder has no run, or its run is damaged, of another suite or tokenizer, or without a graded
            training episode; nothing stays open.
    """
    unbounded = ReplayConfig(config.capacity, admitted=config.admitted)
    indices: list[ReplayIndex] = []
    try:
        for folder in folders:
            store = RunStore.open(folder, read_only=True)
            index = ReplayIndex(store, unbounded, suite=suite)
            indices.append(index)
            require_same_kind(store, suite=suite, tokenizer=tokenizer)
            index.refresh(iteration=0, version=0)
            if not index.num_turns:
                lacking = " with behaviour log-probabilities" if config.admitted == "sampled" else ""
                raise StoreError(
                    f"{folder} holds no graded episode of training{lacking} to replay; leave this run out, or record "
                    "episodes into it first"
                )
    except BaseException:
        for index in indices:
            index.store.close()
        raise
    return indices


def require_whole(index: ReplayIndex) -> None:
    """Refuse a run with damaged tokens, which would otherwise be found only when they are drawn.

    Raises:
        StoreError: The tokens of an episode cannot be read, or have another number of turns.
    """
    lengths = np.diff(index.starts)
    for at in range(0, len(index.number), _CHUNK):
        numbers = index.number[at : at + _CHUNK].tolist()
        arrays = index.store.token_arrays(numbers)
        for number, expected in zip(numbers, lengths[at : at + _CHUNK], strict=True):
            if number in arrays and len(arrays[number]) != expected:
                raise StoreError(
                    f"{index.store.folder}: episode number {number} has tokens of {len(arrays[number])} turns, "
                    f"expected {expected}; restore the run folder from a copy, or leave this run out"
                )


def require_train_tasks(index: ReplayIndex, held_out: Collection[str]) -> None:
    """Refuse a run with episodes of tasks that are held out by now, though its suite has the same name.

    Args:
        index: Of the run; episodes that did not enter it are not looked at.
        held_out: `Suite.held_out_hashes`.

    Raises:
        HeldOutError: There are such episodes.
        StoreError: The run is damaged.
    """
    for found in index.store.columns(purpose="train"):
        is_in = np.isin(found.number, index.number)
        tasks = {
            task
            for (task, _), key, used in zip(found.task, found.content_hash, is_in, strict=True)
            if used and key in held_out
        }
        if tasks:
            raise HeldOutError(
                f"{index.store.folder} holds episodes of the held-out tasks {sorted(tasks)[:3]}; what is learnt from "
                "must be of the train split: leave this run out"
            )


def require_same_kind(store: RunStore, *, suite: str, tokenizer: Vocabulary) -> None:
    """Refuse a run whose episodes mean nothing here.

    Raises:
        StoreError: The run has another suite or tokenizer, or does not name them.
    """
    meta, digest = store.meta, tokenizer_digest(tokenizer)
    if meta.get("suite") != suite:
        raise StoreError(
            f"{store.folder} is a run of the suite {meta.get('suite')!r}, expected {suite!r}; replay runs of the same "
            "suite only"
        )
    recorded = meta.get(TOKENIZER)
    if recorded is None and meta.get("kind") == RECORDING:
        raise StoreError(
            f"{store.folder} is a recording, which has messages and no tokens; `agentgym train` renders it for offline "
            "presets and for actor-critics that need no behaviour log-probabilities"
        )
    if recorded is None:
        raise StoreError(
            f"{store.folder} does not say which tokenizer its tokens are of; write it down with "
            "agentgym_rl.replay.record_tokenizer, or leave this run out"
        )
    if recorded != digest:
        raise StoreError(
            f"{store.folder} holds tokens of another tokenizer (digest {recorded[:12]}, expected {digest[:12]}); "
            "replay runs of the same tokenizer only, or start this one from that run's model"
        )
