"""`agentgym serve ENV`: an environment over the network, on the OpenEnv wire.

The address goes to stdout, or as JSON with --json, once connections are taken; the log goes to stderr.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from agentgym.cli.output import AsJson, note, print_json, read_options
from agentgym.errors import ConfigError
from agentgym.registration import spec
from agentgym.remote.server import create_app, serve
from agentgym.remote.settings import Inline, ServerConfig
from agentgym.suite import load_suite

TOKEN_VARIABLE = "AGENTGYM_TOKEN"  # noqa: S105 - the name of a variable


@dataclass(frozen=True)
class ServeOptions:
    """What `agentgym serve` is told."""

    suite: str = ""
    """Make the environment with the options of this suite."""
    option: tuple[str, ...] = ()
    """Further options of the environment, as key=value."""
    host: str = ServerConfig.host
    """Address to listen at; one that others reach needs a token."""
    port: int = ServerConfig.port
    """Port to listen at; 0 takes a free one."""
    uds: str = ""
    """Path of a unix socket to listen at instead."""
    token_file: str = ""
    """File with the token that clients have to send; by default the variable AGENTGYM_TOKEN."""
    max_sessions: int = ServerConfig.max_sessions
    """Most sessions at once, each with an environment of its own."""
    step_timeout_s: float = ServerConfig.step_timeout_s
    """Largest wall time of one step; a task may state less."""
    idle_timeout_s: float = ServerConfig.idle_timeout_s
    """Time without a message after which a session ends."""
    session_timeout_s: float = ServerConfig.session_timeout_s
    """Time after which a session ends in any case."""
    drain_timeout_s: float = ServerConfig.drain_timeout_s
    """Time that running steps get to end when the server is told to stop."""
    inline: Inline = ServerConfig.inline
    """Whether steps run on the event loop: auto (where they proved to be quick), always or never."""
    as_json: AsJson = False
    """Print the address as JSON for machines."""

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
            inline=self.inline,
        )


def run(
    env: tyro.conf.Positional[str],
    options: Annotated[ServeOptions, tyro.conf.arg(name=""), tyro.conf.OmitArgPrefixes],
) -> int:
    """Serve an environment until SIGTERM or Ctrl-C; steps that run may end.

    Args:
        env: Id of the environment, such as agentgym/Wordle-v0.
        options: Where and how.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    config = options.config
    env_id = spec(env).id
    made_with = {**(_options_of(options.suite, env_id) if options.suite else {}), **read_options(options.option)}
    app = create_app(env_id, config, **made_with)

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
            f"suite {suite.name!r} is of {suite.env}, not of {env_id}: serve {suite.env}, or leave out --suite"
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
        raise ConfigError(f"cannot read the token from {path}: {error}") from error
    if not token:
        raise ConfigError(f"{path} is empty; write the token into it, such as with: openssl rand -hex 24 > {path}")
    return token
