"""Repositories compared with what is right: branches, tags, commits, what is staged, and what lies in the folder.

Who made a commit and when does not count; everything else does, so that whatever was done beyond the task is seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from agentgym_tools.mcp.repository.model import CONFIG, HEADS, TAGS, Repository
from agentgym_tools.mcp.repository.objects import DamagedError
from agentgym_tools.mcp.repository.reading import Found, read_repository

MAX_NEW_COMMITS = 20


def difference(folder: Path, start: Repository, expected: Repository) -> str:
    """How a repository that an agent changed differs from what is expected; "" where it does not.

    Args:
        folder: A copy of it.
        start: As it was.
        expected: As it should be.
    """
    try:
        found = read_repository(folder)
        return _difference(found, start, expected)
    except (DamagedError, OSError) as error:
        return f"the repository cannot be read: {error}"


def has_changes(folder: Path, start: Repository, expected: Repository) -> bool:
    """Whether a repository that an agent changed has what differs between two others; see `are_made`."""
    try:
        found = read_repository(folder)
    except (DamagedError, OSError):
        return False
    return are_made(found.refs, found.index, start, expected)


def are_made(refs: Mapping[str, str], index: Mapping[str, str], start: Repository, expected: Repository) -> bool:
    """Whether branches and staged files by which another repository differs from the start are there.

    Args:
        refs: By name the commit of each branch, such as refs/heads/main.
        index: By path the id of what is staged.
        start: As it was.
        expected: As it was made from the start without commits.
    """
    branches = {f"{HEADS}{name}": each for name, each in expected.branches.items() if start.branches.get(name) != each}
    staged = {path: blob for path, blob in expected.index.items() if start.index.get(path) != blob}
    return bool(branches or staged) and branches.items() <= refs.items() and staged.items() <= index.items()


def _difference(found: Found, start: Repository, expected: Repository) -> str:
    if found.head != f"{HEADS}{expected.head}":
        return f"{found.head[:80]} is checked out, not {expected.head}"
    wanted = {f"{HEADS}{name}": commit for name, commit in expected.branches.items()}
    wanted |= {f"{TAGS}{name}": commit for name, commit in expected.tags.items()}
    if found.refs.keys() != wanted.keys():
        names = sorted(found.refs.keys() ^ wanted.keys())
        return f"these branches or tags are missing or too many: {', '.join(names)[:200]}"
    for name, commit in wanted.items():
        why = _commit_difference(found, start, expected, found.refs[name], commit)
        if why:
            return f"{name}: {why}"
    if found.index != expected.index:
        return f"what is staged differs: {_paths(found.index, expected.index)}"
    if found.work != expected.work_ids():
        return f"files in the folder differ: {_paths(found.work, expected.work_ids())}"
    if found.more != {".git/config": CONFIG.encode()}:
        return f"settings of the repository differ: {', '.join(sorted(found.more))[:200]}"
    return ""


def _commit_difference(found: Found, start: Repository, expected: Repository, here: str, there: str) -> str:
    """How the commits from `here` back differ from those from `there` back, to one that was there at the start."""
    for _ in range(MAX_NEW_COMMITS):
        if there in start.commits:
            return "" if here == there else "it is at another commit than expected"
        if here in start.commits:
            return "a commit is missing"
        one, other = found.commit(here), expected.commits[there]
        if one.message != other.message.strip():
            return f"a commit says {one.message[:80]!r}, not {other.message[:80]!r}"
        if one.tree != other.tree:
            return f"the commit {other.message[:80]!r} holds other files than expected"
        if len(one.parents) != 1 or len(other.parents) != 1:
            return "a commit has another number of parents"
        here, there = one.parents[0], other.parents[0]
    return "there are too many new commits"


def _paths(one: dict[str, str], other: dict[str, str]) -> str:
    return ", ".join(sorted(path for path in {**one, **other} if one.get(path) != other.get(path)))[:200]
