"""Commands in fenced blocks."""

import pytest

from agentgym.errors import ActionSyntaxError
from agentgym_swe.shell_blocks import parse_block


def command(text: str) -> tuple[str, dict[str, str]]:
    [call] = parse_block(text).tool_calls
    return call.name, call.arguments


@pytest.mark.parametrize("language", ["bash", "sh", "shell", "mswea_bash_command"])
def test_block_is_a_command(language: str) -> None:
    action = parse_block(f"<think>hm</think>Let me look.\n```{language}\nls -l\ncat a\n```\nThen more.")
    assert action.tool_calls[0].arguments == {"command": "ls -l\ncat a"}
    assert (action.reasoning, action.content) == ("hm", "Let me look.\n\n\nThen more.".replace("\n\n\n", "\n\n\n"))


def test_submit_ends_the_work() -> None:
    for said in ("submit", "submit()", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"):
        assert command(f"```bash\n{said}\n```") == ("submit", {})
    assert command("```bash\ngit submit\n```")[0] == "shell"


def test_longer_fence_holds_shorter_ones_and_other_languages_are_text() -> None:
    text = "```python\nx = 1\n```\n````bash\ncat > a.md <<'E'\n```bash\nls\n```\nE\n````"
    assert command(text) == ("shell", {"command": "cat > a.md <<'E'\n```bash\nls\n```\nE"})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("I am done.", "no block"),
        ("```bash\nls\n```\n```bash\nls\n```", "2 blocks"),
        ("```bash\nls", "does not end"),
        ("```bash\n\n```", "empty"),
        ("<think>```bash\nls\n```", "no block"),
    ],
)
def test_other_messages_are_explained(text: str, why: str) -> None:
    with pytest.raises(ActionSyntaxError, match=why):
        parse_block(text)
