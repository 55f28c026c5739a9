"""What environments of repositories share: the tools of an agent in one, by calls or by fenced shell blocks.

What the repository is, and what the work in it is worth, is up to the subclass.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Literal, get_args

from agentgym.action import Action
from agentgym.env import EnvReply
from agentgym.errors import ConfigError
from agentgym.message import user
from agentgym.reward import BLAME, RewardEvent
from agentgym.sandbox.base import SandboxProvider
from agentgym.sandbox.pool import SandboxPool
from agentgym.sandbox.sandbox_env import SandboxEnv
from agentgym.tools import tool
from agentgym_swe.repair import looking
from agentgym_swe.repair.editing import MAX_TEXT, Editor, RefusedEditError
from agentgym_swe.repair.trying import shown
from agentgym_swe.shell_blocks import SUBMIT, parse_block

MAX_COMMAND = 20_000
Tools = Literal["all", "shell", "blocks"]
"""all: every tool. shell: `shell` and `submit` alone. blocks: the same, as fenced blocks of text instead of calls."""


class WorkshopEnv(SandboxEnv):
    """An environment whose agent works on a repository in a sandbox, with a shell and an editor.

    Args:
        use: Which tools there are; see `Tools`.
        sandbox: As in `SandboxEnv`.
        relaxed: As in `SandboxEnv`.
        render_mode: As in Gymnasium.
    """

    command_limit_s: float = 30.0
    prelude: str = ""
    """What bash runs before each command of the agent's."""

    def __init__(
        self,
        use: Tools = "all",
        sandbox: str | SandboxProvider | SandboxPool | None = None,
        relaxed: Sequence[str] = (),
        render_mode: str | None = None,
    ) -> None:
        super().__init__(sandbox, relaxed, render_mode)
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode must be None or 'ansi': got {render_mode!r}")
        if use not in get_args(Tools):
            raise ConfigError(f"use must be one of {', '.join(get_args(Tools))}: got {use!r}")
        self._use = use
        self._editor = Editor()
        self.offer_tools()

    @abstractmethod
    def submitted(self) -> EnvReply:
        """The verdict on the work, which ends the episode."""

    def offer_tools(self) -> None:
        """Offer the tools that were asked for; those of an object are its own methods."""
        if self._use == "shell":
            self.tools = [self.shell, self.submit]
        elif self._use == "blocks":
            self.tools = ()

    # Blocks.

    def parse(self, text: str) -> Action:
        """Tool calls, or a fenced block with a command."""
        return parse_block(text) if self._use == "blocks" else super().parse(text)

    def respond(self, action: Action) -> EnvReply:
        """Carry out the calls, or the command of a block, which is answered by a plain message."""
        if self._use != "blocks":
            return super().respond(action)
        self.check_interrupt()
        call = action.tool_calls[0]
        return self.submitted() if call.name == SUBMIT else EnvReply([user(self.run_command(**call.arguments))])

    # Tools.

    @tool
    def shell(self, command: str) -> str:
        """Run a command with bash, in the folder of the package. What it leaves running is ended.

        Args:
            command: The command, or several.
        """
        return self.run_command(command)

    @tool
    def view(self, path: str, start: int = 1, end: int = 0) -> str:
        """Show a file with line numbers, or what a folder holds.

        Args:
            path: The file or folder, from the folder of the package.
            start: First line.
            end: Last line; 0 is the last one of the file.
        """
        try:
            return looking.view(self.sandbox, path, start, end)
        except RefusedEditError as refusal:
            return str(refusal)

    @tool
    def edit(
        self,
        command: Literal["create", "replace", "insert", "undo"],
        path: str = "",
        old: str = "",
        new: str = "",
        line: int = 0,
    ) -> str:
        """Change a file, exactly and at one place; or take the last change back.

        Args:
            command: create: a new file with the text `new`. replace: `old`, which must be there exactly once, by
                `new`. insert: `new` behind a line. undo: take the last change back.
            path: The file, from the folder of the package.
            old: The text that is replaced.
            new: The text that is put in.
            line: The line behind which it is put in; 0 is the top.
        """
        if len(old) > MAX_TEXT or len(new) > MAX_TEXT:
            return f"Nothing was changed: a text of an edit has at most {MAX_TEXT} characters."
        if command != "undo" and not path:
            return "Nothing was changed: name the file in path."
        try:
            if command == "create":
                return self._editor.create(self.sandbox, path, new)
            if command == "replace":
                return self._editor.replace(self.sandbox, path, old, new)
            if command == "insert":
                return self._editor.insert(self.sandbox, path, line, new)
            return self._editor.undo(self.sandbox)
        except RefusedEditError as refusal:
            return str(refusal)

    @tool
    def search(self, pattern: str, path: str = ".") -> str:
        """Find lines that match a regular expression, in a file or below a folder.

        Args:
            pattern: The expression, as grep -E takes it.
            path: The file or folder, from the folder of the package.
        """
        return looking.search(self.sandbox, pattern, path)

    @tool
    def submit(self) -> EnvReply:
        """Say that the work is finished."""
        return self.submitted()

    # What a subclass may use.

    def run_command(self, command: str) -> str:
        """Run a command of the agent's; what it wrote, as the agent reads it."""
        if len(command) > MAX_COMMAND or "\0" in command:
            return f"The command was not run: at most {MAX_COMMAND} characters, and no NUL."
        limit_s = self.command_limit_s
        ran = self.sandbox.exec(
            ["bash", "-c", f"exec 2>&1\n{self.prelude}\n{command}"], timeout_s=limit_s, max_output_bytes=1 << 18
        )
        return shown(ran, limit_s)

    def blame(self, kind: str, evidence: str) -> RewardEvent:
        """The event that says how the agent failed.

        Args:
            kind: In a word.
            evidence: What shows it.
        """
        is_unfinished = kind == "unchanged"  # a limit that cuts an episode before any change is the policy's
        detail = {"who": "agent", "why": kind, "turn": self.turn, "evidence": evidence[:200]}
        return self.event(BLAME, 1.0, source="verifier", detail={**detail, "is_unfinished": is_unfinished})
