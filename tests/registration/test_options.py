from __future__ import annotations

import pytest

import agentgym
from agentgym.errors import ConfigError
from agentgym.registration import make_game
from agentgym.registration.options import require_option_types
from agentgym.suite import load_suite, suite_names


def factory(size: int = 3, share: float = 0.5, name: str = "", is_hard: bool = False, limit: int | None = None, x=1):
    """Takes what environments take."""


@pytest.mark.parametrize(
    "options",
    [{"size": 3, "share": 1}, {"share": 0.2, "name": "a"}, {"is_hard": True, "limit": None}, {"limit": 4, "x": "any"}],
)
def test_options_of_the_declared_types_pass(options):
    require_option_types(factory, options, "it")


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ({"size": 3.0}, "'size' of 'it' must be a whole number, got 3.0"),
        ({"size": True}, "'size' of 'it' must be a whole number, got True"),
        ({"share": "half"}, "'share' of 'it' must be a number, got 'half'"),
        ({"share": False}, "must be a number"),
        ({"name": 3}, "must be a text"),
        ({"is_hard": 1}, "must be true or false"),
        ({"limit": "none"}, "must be a whole number or none"),
    ],
)
def test_options_of_other_types_are_refused(option, expected):
    with pytest.raises(ConfigError, match=expected):
        require_option_types(factory, option, "it")


@pytest.mark.parametrize(("env", "option"), [("Maze", {"size": 7.0}), ("Wordle", {"num_tries": 2.5})])
def test_an_environment_is_not_made_with_options_of_another_type(env, option):
    with pytest.raises(ConfigError, match="must be a whole number"):
        agentgym.make(f"agentgym/{env}-v0", **option)


def test_a_game_is_not_made_with_options_of_another_type():
    with pytest.raises(ConfigError, match="'num_tries' of 'agentgym/Taboo-v0' must be a whole number, got True"):
        make_game("agentgym/Taboo-v0", num_tries=True)
    with pytest.raises(ConfigError, match="must be a whole number"):
        agentgym.make("agentgym/Taboo-v0", num_tries=1.5)


def test_every_suite_keeps_to_the_types_of_its_environment():
    for name in suite_names():
        suite = load_suite(name)
        if not agentgym.spec(suite.env).adapts:
            agentgym.make(suite.env, **suite.env_options).close()
