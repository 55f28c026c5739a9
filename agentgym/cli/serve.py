"""`agentgym serve ENV`: serves an environment over the network, on the OpenEnv wire.

The address goes to stdout as soon as the server accepts connections. The log goes to stderr.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from agentgym.cli.options import KeyValues, with_options
from agentgym.cli.output import AsJson, note, print_json, read_options
from agentgym.errors import ConfigError, unreadable
from agentgym.registration import spec
from agentgym.remote.server.app import create_app, serve
from agentgym.remote.server.requests import read_reset
from agentgym.remote.server.stdio import serve_stdio
from agentgym.remote.settings import Inline, ServerConfig
from agentgym.suite import load_suite

TOKEN_VARIABLE = "AGENTGYM_TOKEN"  # noqa: S105 - the name of a variable


@with_options
@dataclass(frozen=True)
class ServeOptions:
    """The options of `agentgym serve`."""

    suite: str = ""
    """Create the environment with the options of this suite."""
    env_option: KeyValues = ()
    """Options of the environment, beyond those of the suite."""
    host: Annotated[str, tyro.conf.arg(metavar="ADDRESS")] = ServerConfig.host
    """The address to listen at. An address that other machines can reach needs a token."""
    port: int = ServerConfig.port
    """The port to listen at; 0 picks a free one."""
    uds: Annotated[str, tyro.conf.arg(metavar="PATH")] = ""
    """The path of a unix socket to listen at instead."""
    token_file: Annotated[str, tyro.conf.arg(metavar="PATH")] = ""
    """A file with the token that clients must send. The default is the environment variable AGENTGYM_TOKEN."""
    max_sessions: int = ServerConfig.max_sessions
    """The largest number of sessions at once. Each session has its own environment."""
    step_timeout_s: float = ServerConfig.step_timeout_s
    """The time limit of one step. A task may set a shorter one."""
    idle_timeout_s: float = ServerConfig.idle_timeout_s
    """A session ends after this time without a message."""
    session_timeout_s: float = ServerConfig.session_timeout_s
    """A session ends after this time in any case."""
    drain_timeout_s: float = ServerConfig.drain_timeout_s
    """How long running steps may take to finish when the server stops."""
    inline: Inline = ServerConfig.inline
    """Whether steps run on the event loop: always, never, or auto (only kinds of steps that proved quick)."""
    results: Annotated[str, tyro.conf.arg(metavar="PATH")] = ""
    """A file to which each episode of an MCP client adds a line of JSON: task, outcome, success, score."""
    stdio: bool = False
    """Serve one MCP client over standard input and output, and listen nowhere."""
    seed: int | None = None
    """The seed of the episode with --stdio. Over HTTP the address has it: /mcp?seed=3."""
    task: Annotated[str, tyro.conf.arg(metavar="ID")] = ""
    """The task of the episode with --stdio. Over HTTP the address has it: /mcp?task=ID."""
    as_json: AsJson = False
    """Print the address as JSON."""

    def __post_init__(self) -> None:
        if not self.stdio and (self.task or self.seed is not None):
            raise ConfigError("--seed and --task go with --stdio; an MCP client over HTTP names them in its address")

    @property
    def config(self) -> ServerConfig:
        """The server's limits."""
        return ServerConfig(
            host=self.host,
            port=self.port,
            uds=self.uds,
            token=read_token(self.token_file),
            max_sessions=self.max_sessions,
            step_timeout_s=self.step_timeout_s,
            idle_timeout_s=self.idle_timeout_s,
            session_timeout_s=self.session_timeout_s,
            drain_timeout_s=self.drain_timeout_s,
            results=self.results,
            inline=self.inline,
        )


@with_options
def run(
    env: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ENV")],
    options: Annotated[ServeOptions, tyro.conf.arg(name=""), tyro.conf.OmitArgPrefixes],
) -> int:
    """Serve an environment until SIGTERM or Ctrl-C. Running steps may finish.

    MCP clients play it at /mcp, or over standard input and output with --stdio.

    Args:
        env: The id of the environment, such as agentgym/Wordle-v0.
        options: Where and how to serve it.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    config = options.config
    env_id = spec(env).id
    of_suite = _options_of(options.suite, env_id) if options.suite else {}
    made_with = {**of_suite, **read_options(options.env_option, "--env-option")}
    app = create_app(env_id, config, **made_with)

    if options.stdio:
        start = read_reset({"seed": options.seed, "task": options.task or None})
        serve_stdio(app.table, dict(start))
        return 0

    def ready(url: str) -> None:
        if options.as_json:
            print_json({"env": env, "url": url, "has_token": bool(config.token)})
        else:
            print(url, flush=True)
        note(f"serving {env}; stop with Ctrl-C")

    serve(app, ready)
    note("stopped")
    return 0


def _options_of(suite_name: str, env_id: str) -> Mapping[str, Any]:
    """The options that a suite makes its environment with; a suite of another environment is refused."""
    suite = load_suite(suite_name)
    if suite.env != env_id:
        raise ConfigError(
            f"suite {suite.name!r} belongs to {suite.env}, not to {env_id}; serve {suite.env}, or leave out --suite"
        )
    return suite.env_options


def read_token(path: str) -> str:
    """The token from a file, or from the environment; "" where there is none.

    Raises:
        ConfigError: The file cannot be read or is empty.
    """
    if not path:
        return os.environ.get(TOKEN_VARIABLE, "")
    try:
        token = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"--token-file: {unreadable(path, error)}") from error
    if not token:
        raise ConfigError(f"{path} is empty; write a token into it, for example with: openssl rand -hex 24 > {path}")
    return token
