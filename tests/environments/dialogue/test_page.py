"""The page of the dialogue environments shows what its commands print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentgym.cli.main import main

PAGE = (Path(__file__).parents[3] / "docs/environments/dialogue.md").read_text(encoding="utf-8")
SHOWN = dict(re.findall(r"^`(agentgym play [^`]+)`:\n\n((?:    .*\n)+)", PAGE, re.MULTILINE))


def turns(lines: list[str]) -> list[list[str]]:
    """The words of each message, behind its role, and at the end those of the last line."""
    found: list[list[str]] = []
    for line in lines:
        if not line.startswith(" "):
            found.append([])
        found[-1] += line.split()
    return found


def without_frames(line: str) -> list[str]:
    """A printed line as the page has it; none where it is the foot of a frame or a reward event."""
    if line.startswith("╭"):
        return [line.strip("╭─╮ ")]
    if line.startswith("│"):
        return [f" {line.strip('│')}"]
    return [line] if line.startswith("terminated") else []


@pytest.mark.parametrize("command", SHOWN)
def test_the_page_shows_what_its_command_prints(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()[1:]) == 0
    printed = capsys.readouterr()
    lines = [shown for line in (printed.err + printed.out).splitlines() for shown in without_frames(line)]
    assert turns([line[4:] for line in SHOWN[command].splitlines()]) == turns(lines)


def test_the_page_shows_episodes() -> None:
    assert len(SHOWN) == 3
