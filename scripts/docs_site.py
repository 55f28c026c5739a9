"""What the site adds to the pages: tables and cards of environments, the help of every command, and plain paths.

`mkdocs.yml` names this file as a hook; `make docs` builds the site. The pages stay readable without it.
"""

from __future__ import annotations

import io
import logging
import os
import re
from contextlib import redirect_stdout
from pathlib import Path, PurePosixPath
from typing import Any

from agentgym.cli.main import COMMANDS, main
from agentgym.cli.main import usage as overview
from agentgym.registration.tables import fill_markers

ROOT = Path(__file__).resolve().parent.parent
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(((?:\.\./)+[^)#\s]+)(?:#[^)\s]*)?\)")
_COMMANDS = "<!-- commands -->"
_log = logging.getLogger("mkdocs.hooks.docs_site")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Complete the text of one page; MkDocs calls this for each.

    Args:
        markdown: The page as it lies in `docs/`.
        page: The page of MkDocs, which knows its file.
    """
    if _COMMANDS in markdown:
        markdown = markdown.replace(_COMMANDS, command_help())
    return with_plain_paths(fill_markers(markdown), page.file.src_uri)


def command_help() -> str:
    """What `agentgym --help` and `agentgym COMMAND --help` print, a section for each command."""
    os.environ["COLUMNS"] = "100"
    sections = [_block(overview())]
    for name in COMMANDS:
        printed = io.StringIO()
        with redirect_stdout(printed):
            main([name, "--help"])
        sections.append(f"## {name}\n\n{_block(printed.getvalue())}")
    return "\n\n".join(sections)


def _block(text: str) -> str:
    lines = (line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).strip().splitlines())
    return "```text\n" + "\n".join(lines) + "\n```"


def with_plain_paths(markdown: str, page: str) -> str:
    """The text with links to files outside `docs/` as paths, since the site does not hold these files.

    Args:
        markdown: Text of a page.
        page: Where the page lies below `docs/`, such as algorithms/ppo.md.
    """
    folder = PurePosixPath("docs", page).parent

    def plain(link: re.Match[str]) -> str:
        target = PurePosixPath(os.path.normpath(folder / link[2]))
        if target.is_relative_to("docs"):
            return link[0]
        if not (ROOT / target).exists():
            _log.warning("%s links to %s, which does not exist", page, target)
        return f"{link[1]} (`{target}`)" if link[1].strip("`") != str(target) else f"`{target}`"

    return _LINK.sub(plain, markdown)
