"""Tasks on a repository: questions about its commits, branches and files, and changes of what is staged and committed.

Each change is stated as steps of `Repository`, from which both what is right and the oracle's calls follow.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym_tools.mcp.kinds.draft import Call, Draft, Kind, UnsuitableError, answer_rule
from agentgym_tools.mcp.kinds.git_scene import CLEAN, MODIFIED, PEOPLE, STAGED, draw_repository, values_of
from agentgym_tools.mcp.repository.model import Repository

NUM_SCENES = 1_000_000
_MESSAGES = ("Keep", "Enter", "Record", "Note", "Bring in", "File")
_THINGS = ("the new values", "what was counted", "the changes of today", "the corrections", "what Ada found")
_BRANCHES = ("harvest", "night", "repair", "second", "plan", "weekly", "import", "check")


@dataclass(frozen=True)
class Asked:
    """What a kind asks of a repository.

    Attributes:
        text: What is asked, without the name of the folder.
        answer: The right answer's type and value; None for a change.
        steps: The change, as steps of `Repository`.
        reads: Calls that find out what has to be known, without the folder.
    """

    text: str
    answer: tuple[str, Any] | None = None
    steps: Sequence[Sequence[str]] = ()
    reads: Sequence[tuple[str, dict[str, Any]]] = ()


Ask = Callable[[random.Random, Repository], Asked]


def calls_of(steps: Sequence[Sequence[str]], folder: str) -> list[Call]:
    """The calls of the git server that make steps of `Repository`."""
    calls: list[Call] = []
    for name, *arguments in steps:
        match name:
            case "stage":
                calls.append(("git__git_add", {"files": arguments}))
            case "unstage":
                calls.append(("git__git_reset", {}))
            case "commit":
                calls.append(("git__git_commit", {"message": arguments[0]}))
            case "branch":
                base = {"base_branch": arguments[1]} if len(arguments) > 1 else {}
                calls.append(("git__git_create_branch", {"branch_name": arguments[0], **base}))
            case _:
                calls.append(("git__git_checkout", {"branch_name": arguments[0]}))
    return [(tool, {"repo_path": folder, **given}) for tool, given in calls]


def _kind(name: str, mode: str, ask: Ask, is_held_out: bool = False) -> Kind:
    def draw(rng: random.Random) -> Draft:
        number = rng.randrange(NUM_SCENES)
        [(folder, repository)] = draw_repository(number, mode).items()
        asked = ask(rng, repository)
        rules: list[dict[str, Any]] = []
        if asked.answer is not None:
            rules.append(answer_rule(*asked.answer))
        if asked.steps:
            rules.append({"rule": "repository", "path": folder, "after": [list(step) for step in asked.steps]})
        reads: list[Call] = [(f"git__{tool}", {"repo_path": folder, **given}) for tool, given in asked.reads]
        text = f"The folder {folder!r} is a git repository. {asked.text}"
        scene = {"kind": "git", "of": [number, mode]}
        return Draft(text, scene, rules, [*reads, *calls_of(asked.steps, folder)])

    return Kind(name, "git", draw, is_held_out)


_LOG = ("git_log", {"max_count": 100})
_STATUS: tuple[str, dict[str, Any]] = ("git_status", {})


def _message(repository: Repository, commit: str) -> str:
    return repository.commits[commit].message


def _author(repository: Repository, commit: str) -> str:
    content = repository.object(commit).decode()
    return next(name for name in PEOPLE if f"author {name} <" in content)


def _ask_author(rng: random.Random, repository: Repository) -> Asked:
    commit = rng.choice(repository.log("main"))
    text = f"Who made the commit {_message(repository, commit)!r}? Submit the name."
    return Asked(text, ("text", _author(repository, commit)), reads=[_LOG])


def _ask_count(rng: random.Random, repository: Repository) -> Asked:
    authors = [_author(repository, commit) for commit in repository.log("main")]
    name = rng.choice(authors)
    text = f"How many of the commits on the branch main did {name} make? Submit the number."
    return Asked(text, ("number", str(authors.count(name))), reads=[_LOG])


def _ask_old_value(rng: random.Random, repository: Repository) -> Asked:
    commit = rng.choice(repository.log("main")[:-1])
    parent = repository.commits[commit].parents[0]
    path, key = _changed(repository, parent, commit)
    before = values_of(repository.text_of(repository.files_of(parent)[path]))[key]
    message = _message(repository, commit)
    text = f"What was the {key} in {path} just before the commit {message!r}? Submit the number."
    return Asked(text, ("number", str(before)), reads=[_LOG, ("git_show", {"revision": commit})])


def _ask_branch_value(rng: random.Random, repository: Repository) -> Asked:
    side = rng.choice(_sides(repository))
    path, key = _changed(repository, repository.branches["main"], repository.branches[side])
    value = values_of(repository.text_of(repository.files_of(repository.branches[side])[path]))[key]
    text = f"What is the {key} in {path} on the branch {side}? Submit the number."
    return Asked(text, ("number", str(value)), reads=[("git_diff", {"target": side})])


def _ask_tag(rng: random.Random, repository: Repository) -> Asked:
    tag = rng.choice(sorted(repository.tags))
    text = f"What is the message of the commit that the tag {tag} is on? Submit it word by word."
    message = _message(repository, repository.tags[tag])
    return Asked(text, ("text", message), reads=[("git_show", {"revision": tag})])


def _ask_unstaged(rng: random.Random, repository: Repository) -> Asked:
    text = (
        "Which files under version control have changes that are not staged? Submit their paths, with commas between."
    )
    return Asked(text, ("list", _unstaged(repository)), reads=[_STATUS])


def _ask_containing(rng: random.Random, repository: Repository) -> Asked:
    commit = rng.choice(repository.log("main")[:-1])
    branches = sorted(name for name in repository.branches if commit in repository.log(name))
    message = _message(repository, commit)
    text = f"Which branches contain the commit {message!r}? Submit their names, with commas between."
    found = ("git_branch", {"branch_type": "local", "contains": commit})
    return Asked(text, ("list", branches), reads=[_LOG, found])


def _ask_difference(rng: random.Random, repository: Repository) -> Asked:
    tag = rng.choice(sorted(repository.tags))
    path, key = _changed(repository, repository.tags[tag], repository.branches["main"])
    before, now = (
        values_of(repository.text_of(repository.files_of(commit)[path]))[key]
        for commit in (repository.tags[tag], repository.branches["main"])
    )
    text = f"By how much is the {key} in {path} now more than at the tag {tag}? Submit the number, below zero if it is less."
    return Asked(text, ("number", str(now - before)), reads=[("git_diff", {"target": tag})])


def _stage_some(rng: random.Random, repository: Repository) -> Asked:
    paths = sorted(rng.sample(_unstaged(repository), 2))
    steps = [("stage", *paths)]
    return Asked(f"Stage the changes of {' and '.join(paths)}, and nothing else.", steps=steps, reads=[_STATUS])


def _commit_one(rng: random.Random, repository: Repository) -> Asked:
    path, message = rng.choice(_unstaged(repository)), _new_message(rng)
    text = (
        f"Commit the change of {path} alone, with the message {message!r}. All other changes stay in the folder, and "
        "none of them is staged in the end."
    )
    return Asked(text, steps=[("unstage",), ("stage", path), ("commit", message)], reads=[_STATUS])


def _commit_staged(rng: random.Random, repository: Repository) -> Asked:
    message = _new_message(rng)
    text = f"Commit what is staged, and nothing else, with the message {message!r}."
    return Asked(text, steps=[("commit", message)], reads=[_STATUS])


def _commit_all(rng: random.Random, repository: Repository) -> Asked:
    message = _new_message(rng)
    text = f"Commit all that was changed or is new in the folder, in one commit with the message {message!r}."
    return Asked(text, steps=[("stage", *_open(repository)), ("commit", message)], reads=[_STATUS])


def _branch_from(rng: random.Random, repository: Repository) -> Asked:
    name, base = rng.choice(_BRANCHES), rng.choice(_sides(repository))
    text = f"Make a branch {name} that begins where the branch {base} is now. Stay on the branch main."
    return Asked(text, steps=[("branch", name, base)])


def _branch_and_commit(rng: random.Random, repository: Repository) -> Asked:
    name, message, path = rng.choice(_BRANCHES), _new_message(rng), rng.choice(_unstaged(repository))
    text = (
        f"Make a branch {name} from where you are, check it out, and commit the change of {path} there, alone, with the "
        f"message {message!r}. Stay on {name}."
    )
    steps = [("branch", name), ("switch", name), ("stage", path), ("commit", message)]
    return Asked(text, steps=steps, reads=[_STATUS])


def _unstage(rng: random.Random, repository: Repository) -> Asked:
    return Asked("Nothing shall be staged any more; the files keep their changes.", steps=[("unstage",)])


def _switch_to(rng: random.Random, repository: Repository) -> Asked:
    side, *others = rng.sample(_sides(repository), 2)
    message = _message(repository, repository.branches[side])
    if any(_message(repository, commit) == message for name in (*others, "main") for commit in repository.log(name)):
        raise UnsuitableError
    text = f"Check out the branch whose last commit is {message!r}."
    shown: list[tuple[str, dict[str, Any]]] = [("git_show", {"revision": name}) for name in (side, *others)]
    return Asked(text, steps=[("switch", side)], reads=[("git_branch", {"branch_type": "local"}), *shown])


def _two_commits(rng: random.Random, repository: Repository) -> Asked:
    first, second = rng.sample(_unstaged(repository), 2)
    one, two = f"Settle {first}", f"Settle {second}"
    text = (
        f"Make two commits: first the change of {first} with the message {one!r}, then that of {second} with the message "
        f"{two!r}. All other changes stay as they are."
    )
    steps = [("stage", first), ("commit", one), ("stage", second), ("commit", two)]
    return Asked(text, steps=steps, reads=[_STATUS])


def _depending(rng: random.Random, repository: Repository) -> Asked:
    side = rng.choice(_sides(repository))
    paths = sorted({*repository.files_of(repository.branches["main"])})
    path, message, name = rng.choice(paths), _new_message(rng), rng.choice(_BRANCHES)
    text = (
        f"If {path} has a change in the folder, commit it alone with the message {message!r}; else make a branch {name} "
        f"from the branch {side}, and stay on main."
    )
    is_changed = path in _unstaged(repository)
    steps = [("stage", path), ("commit", message)] if is_changed else [("branch", name, side)]
    return Asked(text, steps=steps, reads=[_STATUS])


def _new_message(rng: random.Random) -> str:
    return f"{rng.choice(_MESSAGES)} {rng.choice(_THINGS)} {rng.randint(10, 99)}"


def _sides(repository: Repository) -> list[str]:
    return sorted(name for name in repository.branches if name != "main")


def _unstaged(repository: Repository) -> list[str]:
    """Paths of known files whose content in the folder is not what is staged."""
    now = repository.work_ids()
    return sorted(path for path, blob in repository.index.items() if now[path] != blob)


def _open(repository: Repository) -> list[str]:
    now = repository.work_ids()
    return sorted(path for path, blob in now.items() if repository.index.get(path) != blob)


def _changed(repository: Repository, before: str, after: str) -> tuple[str, str]:
    """A file and a key whose value differs between two commits: the first of each."""
    one, other = repository.files_of(before), repository.files_of(after)
    for path in sorted(one):
        old, new = (values_of(repository.text_of(files[path])) for files in (one, other))
        for key in sorted(old):
            if old[key] != new[key]:
                return path, key
    raise UnsuitableError


KINDS = (
    _kind("git_author", CLEAN, _ask_author),
    _kind("git_count", CLEAN, _ask_count),
    _kind("git_old_value", CLEAN, _ask_old_value),
    _kind("git_branch_value", CLEAN, _ask_branch_value),
    _kind("git_tag", CLEAN, _ask_tag),
    _kind("git_unstaged", STAGED, _ask_unstaged),
    _kind("git_containing", CLEAN, _ask_containing),
    _kind("git_stage_some", MODIFIED, _stage_some),
    _kind("git_commit_one", STAGED, _commit_one),
    _kind("git_commit_staged", STAGED, _commit_staged),
    _kind("git_commit_all", MODIFIED, _commit_all),
    _kind("git_branch_from", CLEAN, _branch_from),
    _kind("git_branch_and_commit", MODIFIED, _branch_and_commit),
    _kind("git_unstage", STAGED, _unstage),
    _kind("git_switch_to", CLEAN, _switch_to),
    _kind("git_difference", CLEAN, _ask_difference, is_held_out=True),
    _kind("git_two_commits", MODIFIED, _two_commits, is_held_out=True),
    _kind("git_depending", MODIFIED, _depending, is_held_out=True),
)
