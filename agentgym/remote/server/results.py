"""What episodes that MCP clients played came to, for whoever runs the server: a line of JSON an episode.

Answers to MCP clients hold no verdicts, because the agent reads them.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentgym.errors import ConfigError

_LOG = logging.getLogger(__name__)


class Results:
    """A file to which each episode of an MCP client adds a line when it ends.

    A line has `episode_id`, `task`, `seed`, `turns`, `outcome` with kind and cause, `success`, `score`, and `return`,
    the sum of the weighted rewards. An episode that its client left is cancelled; its success and score are null.

    Args:
        path: The file; lines are added to one that exists.

    Raises:
        ConfigError: It cannot be written.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        try:
            with self._path.open("a", encoding="utf-8"):
                pass
        except OSError as error:
            raise ConfigError(
                f"results cannot be written to {path}: {error.strerror or error}; choose another path"
            ) from error

    def add(self, fields: Mapping[str, Any]) -> None:
        """Add a line; one that cannot be written goes to the server's log, and the server goes on."""
        try:
            line = json.dumps(fields) + "\n"
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line)
        except (OSError, TypeError, ValueError) as error:
            _LOG.error("a line of results cannot be written to %s (%s); it was: %r", self._path, error, fields)
