"""Replies of a policy by request: a rerun gets the same replies and pays for nothing twice.

This is for partners behind endpoints, whose answers nothing else can fix; a policy in this process repeats because of
its seeds.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from io import FileIO
from pathlib import Path
from typing import Any

from agentgym.errors import StoreError
from agentgym.policy import Policy, Reply, Request


class ReplyCache:
    """Replies by the content of their requests; calls may come from several threads.

    Each reply counts in its `usage` as one of cache_hits or cache_misses.

    Args:
        path: File that keeps them, one JSON object per line; created if it is missing. None keeps them in memory.

    Raises:
        StoreError: The file cannot be read or mended, or holds something else.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path, self._lock = path, threading.Lock()
        self._replies: dict[str, dict[str, Any]] = {}
        if path is not None and path.exists():
            self._replies = _read(path)

    def __len__(self) -> int:
        return len(self._replies)

    def replies(
        self, policy: Policy, requests: Sequence[Request], versions: Mapping[str, str] | None = None
    ) -> list[Reply]:
        """A reply for each request: the stored one, or a new one of the policy, which is then stored.

        Args:
            policy: Who is asked.
            requests: What it is asked with.
            versions: By role, a version that replies depend on besides the request.

        Raises:
            InfrastructureError: The policy failed; no reply of this call is stored.
            StoreError: The file cannot be written.
        """
        keys = [_key(policy, request, (versions or {}).get(request.role, "")) for request in requests]
        wanted = {key: request for key, request in zip(keys, requests, strict=True) if key not in self._replies}
        fresh = dict(zip(wanted, policy.generate(list(wanted.values())), strict=True)) if wanted else {}
        for key, reply in fresh.items():
            self._keep(key, {"text": reply.text, "was_cut": reply.was_cut, "message": reply.message})
        return [self._reply(key, fresh.pop(key, None)) for key in keys]

    def _reply(self, key: str, fresh: Reply | None) -> Reply:
        """The stored reply; two requests of the same content at the same time both get the one that came first."""
        usage = {"cache_hits": 1.0} if fresh is None else {**fresh.usage, "cache_misses": 1.0}
        return Reply(**self._replies[key], usage=usage)

    def _keep(self, key: str, fields: dict[str, Any]) -> None:
        with self._lock:
            if key in self._replies:
                return
            self._replies[key] = fields
            if self._path is None:
                return
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                with self._path.open("ab", buffering=0) as file:
                    _append(file, (json.dumps([key, fields]) + "\n").encode())
            except OSError as error:
                raise StoreError(f"cannot keep a partner's reply in {self._path}: {error.strerror}") from error


def _key(policy: Policy, request: Request, version: str) -> str:
    """Digest of all that shapes the reply; greedy replies do not depend on the seed."""
    seed = None if request.sampling.is_greedy else request.seed
    asked = [policy.name, getattr(policy, "fingerprint", ""), seed, asdict(request.sampling)]
    asked += [list(request.messages), list(request.tools), *([version] if version else [])]
    return hashlib.sha256(json.dumps(asked, sort_keys=True, default=str).encode()).hexdigest()


def _append(file: FileIO, line: bytes) -> None:
    """Write a line whole or not at all, such as on a full disk, so that the next line stands alone."""
    size = file.seek(0, os.SEEK_END)
    try:
        while line:
            line = line[file.write(line) :]
    except BaseException:
        file.truncate(size)
        raise


def _read(path: Path) -> dict[str, dict[str, Any]]:
    try:
        content = path.read_bytes()
        *lines, rest = content.split(b"\n")
        kept: dict[str, dict[str, Any]] = {}
        for line in lines:
            key, fields = json.loads(line)
            kept.setdefault(key, fields)  # as it was said first
    except (OSError, ValueError, TypeError) as error:
        raise StoreError(f"{path} does not hold a partner's replies: {error}; remove it to ask anew") from error
    if rest:  # a run that was killed while it wrote: what is not whole goes, so that the next line stands alone
        try:
            os.truncate(path, len(content) - len(rest))
        except OSError as error:
            raise StoreError(f"cannot cut the half written last line of {path} off: {error.strerror}") from error
    return kept
