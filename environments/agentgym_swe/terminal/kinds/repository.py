"""Small work on a git repository: branches, commits, tags, restoring, merging, looking into history."""

from __future__ import annotations

from random import Random

from agentgym_swe.terminal.draft import WORDS, Draft, prose

_INIT = ("git init -q -b main",)


def _history(rng: Random, count: int) -> tuple[list[str], dict[str, str], list[str]]:
    """Commands that make commits on main, the files then, and the subjects, oldest first."""
    commands, files, subjects = list(_INIT), {}, []
    for number in range(count):
        name = f"{WORDS[number * 3 + rng.randrange(3)]}.txt"
        files[name] = prose(rng, 2)
        subjects.append(f"Add {name.removesuffix('.txt')}")
        commands += [_write(name, files[name]), f"git add {name}", f"git commit -q -m '{subjects[-1]}'"]
    return commands, files, subjects


def _write(name: str, text: str) -> str:
    return f"printf '%s' '{text}' > {name}"


def commit_on_branch(rng: Random) -> Draft:
    """A change committed on a new branch."""
    setup, files, subjects = _history(rng, 3)
    changed, branch = rng.choice(sorted(files)), f"topic-{rng.choice(WORDS)}"
    line, message = " ".join(rng.choices(WORDS, k=3)), f"Extend {changed.removesuffix('.txt')} with {rng.choice(WORDS)}"
    return Draft(
        "commit_on_branch",
        f"In the git repository here, make a branch {branch} from main, append the line `{line}` to {changed} on it, and "
        f"commit that with the subject `{message}`. Leave {branch} checked out and main as it is.",
        {},
        [
            {"branch": branch},
            {"of": branch, "subjects": [message, *subjects[::-1]]},
            {"of": branch, "blob": changed, "content": f"{files[changed]}{line}\n"},
            {"of": "main", "subjects": subjects[::-1]},
            {"clean": True},
        ],
        [f"git checkout -q -b {branch}", f"echo '{line}' >> {changed}", f"git commit -q -am '{message}'"],
        setup,
    )


def restore(rng: Random) -> Draft:
    """A file brought back from history."""
    setup, files, subjects = _history(rng, 4)
    lost = rng.choice(sorted(files))
    setup += [f"git rm -q {lost}", f"git commit -q -m 'Remove {lost.removesuffix('.txt')}'"]
    message = f"Restore {lost.removesuffix('.txt')}"
    return Draft(
        "restore",
        f"{lost} was deleted from the git repository here in its last commit. Bring it back as it was and commit that on main "
        f"with the subject `{message}`.",
        {},
        [
            {"path": lost, "content": files[lost]},
            {"of": "main", "blob": lost, "content": files[lost]},
            {"of": "main", "subjects": [message, f"Remove {lost.removesuffix('.txt')}", *subjects[::-1]]},
            {"clean": True},
        ],
        [f"git checkout -q HEAD~1 -- {lost}", f"git commit -q -m '{message}'"],
        setup,
    )


def tag_commit(rng: Random) -> Draft:
    """A tag on a commit found by its subject."""
    setup, _, subjects = _history(rng, 5)
    wanted, tag = rng.choice(subjects[:-1]), f"v{rng.randint(1, 4)}.{rng.randint(0, 9)}"
    return Draft(
        "tag_commit",
        f"Put the tag {tag} on the commit of the git repository here whose subject is `{wanted}`.",
        {},
        [{"tag": tag, "subject": wanted}, {"of": "main", "subjects": subjects[::-1]}, {"branch": "main"}],
        [f"git tag {tag} $(git log --format=%h --grep='^{wanted}$')"],
        setup,
    )


def merge_branch(rng: Random) -> Draft:
    """A branch taken over and deleted."""
    setup, _, subjects = _history(rng, 3)
    branch, name = f"feature-{rng.choice(WORDS)}", f"{rng.choice(WORDS)}-new.txt"
    text, message = prose(rng, 2), f"Add {name.removesuffix('.txt')}"
    setup += [f"git checkout -q -b {branch}", _write(name, text), f"git add {name}", f"git commit -q -m '{message}'"]
    setup += ["git checkout -q main"]
    return Draft(
        "merge_branch",
        f"Take the commit of the branch {branch} of the git repository here over into main by a fast-forward (without a merge "
        f"commit), then delete {branch}. Leave main checked out.",
        {},
        [
            {"branch": "main"},
            {"no_branch": branch},
            {"of": "main", "subjects": [message, *subjects[::-1]]},
            {"of": "main", "blob": name, "content": text},
            {"path": name, "content": text},
        ],
        [f"git merge -q --ff-only {branch}", f"git branch -q -d {branch}"],
        setup,
    )


def who_added(rng: Random) -> Draft:
    """The commit that brought a line."""
    setup, files, subjects = _history(rng, 3)
    name = sorted(files)[0]
    lines = []
    for _ in range(4):
        line, subject = " ".join(rng.choices(WORDS, k=4)), f"Note {rng.choice(WORDS)} {rng.randint(10, 99)}"
        lines.append((line, subject))
        setup += [f"echo '{line}' >> {name}", f"git commit -q -am '{subject}'"]
    line, subject = rng.choice(lines)
    if len({text for text, _ in lines}) < 4 or len({s for _, s in lines}) < 4:
        return who_added(rng)
    every = [*subjects, *(s for _, s in lines)]
    return Draft(
        "who_added",
        f"Which commit of the git repository here added the line `{line}` to {name}? Write its subject to answer.txt; do not "
        "commit anything.",
        {},
        [{"path": "answer.txt", "content": subject}, {"of": "main", "subjects": every[::-1]}],
        [f"git log -S'{line}' --format=%s -- {name} > answer.txt"],
        setup,
    )


KINDS = (commit_on_branch, restore, tag_commit, merge_branch, who_added)
