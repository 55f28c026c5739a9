"""Messages of models that call no tools: a shell command in a fenced block, one in a message.

What the command does is up to the environment. Blocks of other languages are text.
"""

from __future__ import annotations

import re

from agentgym.action import MAX_TEXT, Action, ToolCall, split_reasoning
from agentgym.errors import ActionSyntaxError

SUBMIT = "submit"
_SUBMITS = (SUBMIT, "submit()", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")
"""Blocks that end the work; the last one is that of mini-swe-agent."""
_OPENING = re.compile(r"^[ \t]*(`{3,})(?:bash|sh|shell|console|mswea_bash_command)[ \t]*$", re.MULTILINE)
HOW_TO = (
    "Answer each time with one command for bash, in a fenced block:\n"
    "```bash\nls\n```\n"
    "Each command starts in that folder anew. When the work is done, answer with:\n"
    f"```bash\n{SUBMIT}\n```"
)
_EXPECTED = "Write exactly one block that begins with ```bash and ends with ```, with one command or several in it."


def parse_block(text: str) -> Action:
    """Read the command of a message, as a call of `shell`, or of `submit`.

    A block ends at a line with as many backticks as it began with, so that longer fences hold shorter ones.

    Raises:
        ActionSyntaxError: There is no block, more than one, or one that does not end.
    """
    if len(text) > MAX_TEXT:
        raise ActionSyntaxError(f"The message has {len(text)} characters; at most {MAX_TEXT} are read. Write less.")
    body, reasoning = split_reasoning(text)
    blocks: list[str] = []
    content: list[str] = []
    at = 0
    while found := _OPENING.search(body, at):
        closing = re.compile(rf"^[ \t]*{found[1]}[ \t]*$", re.MULTILINE).search(body, found.end())
        if closing is None:
            raise ActionSyntaxError(f"The block does not end. {_EXPECTED}")
        content.append(body[at : found.start()])
        blocks.append(body[found.end() : closing.start()].strip("\n"))
        at = closing.end()
    if len(blocks) != 1:
        raise ActionSyntaxError(f"The message has {len(blocks) or 'no'} block{'s' * (len(blocks) > 1)}. {_EXPECTED}")
    command = blocks[0].strip()
    if not command:
        raise ActionSyntaxError(f"The block is empty. {_EXPECTED}")
    name, arguments = (SUBMIT, {}) if command in _SUBMITS else ("shell", {"command": blocks[0]})
    said = "\n".join([*content, body[at:]]).strip()
    return Action(text, said, reasoning, (ToolCall("call_0", name, arguments),))
