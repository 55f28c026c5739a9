"""`agentgym serve ENV`: an environment over the network, on the OpenEnv wire.

The address goes to stdout, or as JSON with --json, once connections are taken; the log goes to stderr.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

import tyro

from agentgym.cli.output import AsJson, note, print_json
from agentgym.errors import ConfigError
from agentgym.registration import spec
from agentgym.remote.server import create_app, serve
from agentgym.remote.settings import Inline, ServerConfig
from agentgym.suite import load_suite

TOKEN_VARIABLE = "AGENTGYM_TOKEN"  # noqa: S105 - the name of a variable


def run(
    env: tyro.conf.Positional[str],
    *,
    suite: str = "",
    host: str = ServerConfig.host,
    port: int = ServerConfig.port,
    uds: str = "",
    token_file: str = "",
    max_sessions: int = ServerConfig.max_sessions,
    step_timeout_s: float = ServerConfig.step_timeout_s,
    inline: Inline = ServerConfig.inline,
    as_json: AsJson = False,
) -> int:
    """Serve an environment until SIGTERM or Ctrl-C; steps that run may end.

    Args:
        env: Id of the environment, such as agentgym/Wordle-v0.
        suite: Make the environment with the options of this suite.
        host: Address to listen at; one that others reach needs a token.
        port: Port to listen at; 0 takes a free one.
        uds: Path of a unix socket to listen at instead.
        token_file: File with the token that clients have to send; by default the variable AGENTGYM_TOKEN.
        max_sessions: Most sessions at once, each with an environment of its own.
        step_timeout_s: Largest wall time of one step; a task may state less.
        inline: Whether steps run on the event loop: auto (where they proved to be quick), always or never.
        as_json: Print the address as JSON for machines.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    config = ServerConfig(
        host=host,
        port=port,
        uds=uds,
        token=read_token(token_file),
        max_sessions=max_sessions,
        step_timeout_s=step_timeout_s,
        inline=inline,
    )
    options = load_suite(suite).env_options if suite else {}
    app = create_app(spec(env).id, config, **options)

    def ready(url: str) -> None:
        if as_json:
            print_json({"env": env, "url": url, "has_token": bool(config.token)})
        else:
            print(url, flush=True)
        note(f"serving {env}; stop with Ctrl-C")

    serve(app, ready)
    note("stopped")
    return 0


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
