"""A git repository in memory: its commits, branches and tags, what is staged, what lies in the folder; and its steps.

It is both where a task starts and what a right solution leaves. How it lies on a disk is in `reading`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from agentgym.errors import ConfigError
from agentgym_tools.mcp.repository.objects import (
    FILE_MODE,
    Commit,
    commit_content,
    index_content,
    object_id,
    packed,
    tree_content,
)

AGENT = "Agent <agent@mail.test>"
HEADS, TAGS = "refs/heads/", "refs/tags/"
CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[gc]\n\tauto = 0\n"


class Repository:
    """A repository with a folder of work.

    Attributes:
        head: The branch that is checked out.
        branches: By name the id of the last commit.
        tags: By name the id of the commit.
        index: By path the id of what is staged.
        work: By path the text that lies in the folder.
        commits: By id what each commit says.
    """

    def __init__(self) -> None:
        self.head = "main"
        self.branches: dict[str, str] = {}
        self.tags: dict[str, str] = {}
        self.index: dict[str, str] = {}
        self.work: dict[str, str] = {}
        self.commits: dict[str, Commit] = {}
        self._objects: dict[str, tuple[str, bytes]] = {}
        self._trees: dict[str, dict[str, str]] = {}

    def copy(self) -> Self:
        """A repository of its own with the same content."""
        twin = type(self)()
        twin.head = self.head
        for name in ("branches", "tags", "index", "work", "commits", "_objects", "_trees"):
            setattr(twin, name, dict(getattr(self, name)))
        return twin

    # What is done.

    def write(self, path: str, text: str) -> None:
        """Write a file into the folder."""
        self.work[path] = text

    def stage(self, *paths: str) -> None:
        """Stage files as they lie in the folder."""
        for path in paths:
            self.index[path] = self._add("blob", self.work[path].encode())

    def unstage(self) -> None:
        """Set what is staged back to the last commit."""
        self.index = dict(self.files_of(self.branches[self.head]))

    def commit(self, message: str, author: str = AGENT, when: int = 0) -> str:
        """Commit what is staged."""
        tree = self._add_tree(self.index)
        parents = (self.branches[self.head],) if self.head in self.branches else ()
        commit = Commit(tree, parents, message)
        made = self._add("commit", commit_content(commit, author, when))
        self.commits[made] = commit
        self._trees[tree] = dict(self.index)
        self.branches[self.head] = made
        return made

    def branch(self, name: str, base: str = "") -> None:
        """Make a branch where another one, or the one checked out, is."""
        self.branches[name] = self.branches[base or self.head]

    def tag(self, name: str) -> None:
        """Put a tag on the last commit."""
        self.tags[name] = self.branches[self.head]

    def switch(self, name: str) -> None:
        """Check out a branch; what is not committed stays, which needs the same commit.

        Raises:
            ConfigError: It would be lost or be in the way.
        """
        if self.branches[name] != self.branches[self.head]:
            if not self.is_clean():
                raise ConfigError(f"branch {name!r} cannot be checked out over changes that are not committed")
            files = self.files_of(self.branches[name])
            self.index = dict(files)
            self.work = {path: self.text_of(blob) for path, blob in files.items()}
        self.head = name

    def apply(self, steps: Sequence[Sequence[str]]) -> None:
        """Carry out steps such as ("stage", "a.txt") or ("commit", "Add a"), which are names of the methods above.

        Raises:
            ConfigError: There is no such step.
        """
        known: dict[str, Callable[..., Any]] = {
            "stage": self.stage,
            "unstage": self.unstage,
            "commit": self.commit,
            "branch": self.branch,
        }
        known |= {"switch": self.switch, "write": self.write, "tag": self.tag}
        for name, *arguments in steps:
            if name not in known:
                raise ConfigError(f"there is no step {name!r} of a repository; expected one of {', '.join(known)}")
            known[name](*arguments)

    # What is there.

    def is_clean(self) -> bool:
        """Whether index and folder are as the last commit."""
        files = self.files_of(self.branches[self.head])
        return files == self.index == self.work_ids()

    def work_ids(self) -> dict[str, str]:
        """By path the id of what lies in the folder."""
        return {path: object_id("blob", text.encode()) for path, text in self.work.items()}

    def files_of(self, commit: str) -> Mapping[str, str]:
        """By path the id of each file of a commit."""
        return self._trees[self.commits[commit].tree]

    def text_of(self, blob: str) -> str:
        """The text of a file by its id."""
        return self._objects[blob][1].decode()

    def object(self, name: str) -> bytes:
        """The content of an object by its id."""
        return self._objects[name][1]

    def log(self, branch: str) -> list[str]:
        """Ids of the commits of a branch, the last one first."""
        found, commit = [], self.branches[branch]
        while True:
            found.append(commit)
            if not self.commits[commit].parents:
                return found
            commit = self.commits[commit].parents[0]

    def to_files(self) -> dict[str, bytes]:
        """The folder with its `.git` as it lies on a disk."""
        files = {path: text.encode() for path, text in self.work.items()}
        files[".git/HEAD"] = f"ref: {HEADS}{self.head}\n".encode()
        files[".git/config"] = CONFIG.encode()
        files[".git/index"] = index_content(self.index)
        for prefix, refs in ((HEADS, self.branches), (TAGS, self.tags)):
            files |= {f".git/{prefix}{name}": f"{commit}\n".encode() for name, commit in refs.items()}
        for name, (kind, content) in self._objects.items():
            files[f".git/objects/{name[:2]}/{name[2:]}"] = packed(kind, content)
        return files

    def _add(self, kind: str, content: bytes) -> str:
        name = object_id(kind, content)
        self._objects[name] = kind, content
        return name

    def _add_tree(self, files: Mapping[str, str]) -> str:
        entries: dict[str, tuple[str, str]] = {}
        inner: dict[str, dict[str, str]] = {}
        for path, blob in files.items():
            folder, slash, rest = path.partition("/")
            if slash:
                inner.setdefault(folder, {})[rest] = blob
            else:
                entries[path] = (FILE_MODE, blob)
        for folder, of_folder in inner.items():
            entries[folder] = ("40000", self._add_tree(of_folder))
        return self._add("tree", tree_content(entries))
