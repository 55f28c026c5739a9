"""The servers' options and loads by name, and the configuration that a load starts from."""

from __future__ import annotations

from collections.abc import Mapping

from agentgym_swe.tuning.servers import (
    loads_nginx,
    loads_postgres,
    loads_redis,
    options_nginx,
    options_postgres,
    options_redis,
)
from agentgym_swe.tuning.servers.load import Load
from agentgym_swe.tuning.servers.option import Config, Option, Server

OPTIONS: Mapping[Server, Mapping[str, Option]] = {
    "redis": {option.name: option for option in options_redis.OPTIONS},
    "nginx": {option.name: option for option in options_nginx.OPTIONS},
    "postgres": {option.name: option for option in options_postgres.OPTIONS},
}
LOADS: Mapping[str, Load] = {
    load.name: load for load in (*loads_redis.LOADS, *loads_nginx.LOADS, *loads_postgres.LOADS)
}


def start_config(load: Load) -> Config:
    """What the server runs with before it is tuned: its built-in defaults, and what the load's operator had set."""
    defaults = {name: option.default for name, option in OPTIONS[load.server].items()}
    return {**defaults, **load.start}
