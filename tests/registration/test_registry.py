from __future__ import annotations

import sys

import gymnasium
import pytest

import agentgym
from agentgym.errors import ConfigError, ContractError, UnknownNameError
from agentgym.registration import EnvSpec, make, register, script_names, spec, specs
from agentgym.registration import registry as registry_module
from tests.toys.env import ToyEnv
from tests.toys.game import SPEC as GAME
from tests.toys.game import Nim

OWN = [each.id for each in specs() if each.id.startswith("agentgym/") and not each.adapts]
LOCAL = [env_id for env_id in OWN if "local" in spec(env_id).runtimes]
TOY = EnvSpec("test/Toy-v0", "tests.toys.env:ToyEnv", "tests.toys.env:SCRIPTS", "test")


@pytest.fixture
def registry(monkeypatch):
    """Puts both registries back after a test."""
    monkeypatch.setattr(registry_module, "_specs", dict(registry_module._specs))
    known = set(gymnasium.registry)
    yield
    for env_id in set(gymnasium.registry) - known:
        del gymnasium.registry[env_id]


@pytest.mark.parametrize("env_id", LOCAL)
def test_own_environments_are_made_by_both_forms_of_gymnasium(env_id):
    for form in (env_id, f"agentgym:{env_id}"):
        env = gymnasium.make(form)
        assert isinstance(env.unwrapped, agentgym.AgentEnv)
        assert env.reset(seed=0)[0] in env.observation_space
        env.close()


def test_specs_are_listed_in_order_and_by_family():
    assert [each.id for each in specs()] == sorted(each.id for each in specs())
    assert {"agentgym/GuessNumber-v0", "agentgym/Lookup-v0"} <= set(LOCAL) < set(OWN)
    assert {each.family for each in specs("dialogue")} == {"dialogue"}


@pytest.mark.parametrize("env_id", OWN)
def test_spec_names_scripts_and_suites_that_exist(env_id):
    found = spec(env_id)
    for role in found.roles or ("",):
        names = set(found.load_scripts(role))
        assert {"null", "random"} <= names
        assert found.why_no_oracle or {"oracle", "demo"} <= names
        assert any(name.startswith("cheat_") for name in names)
        assert role in {"", *found.load_partners()}
    assert set(script_names(env_id)) == set(found.load_scripts())
    for name in found.suites:
        assert agentgym.load_suite(name).env == env_id


def test_unknown_id_suggests_the_closest():
    with pytest.raises(UnknownNameError, match="did you mean agentgym/Wordle-v0"):
        make("agentgym/Wordl-v0")
    with pytest.raises(UnknownNameError, match=r"agentgym/….*; agentgym list shows all environments and suites"):
        make("nosuch/thing")


def test_an_id_of_a_package_that_is_not_installed_says_so():
    with pytest.raises(UnknownNameError, match="no installed package registers nowhere/") as raised:
        make("nowhere/Wordle-v0")
    assert "pip install" in str(raised.value)
    with pytest.raises(UnknownNameError) as other:
        make("agentgym/Nothing-v0")
    assert "no installed package" not in str(other.value)


def test_options_reach_the_environment():
    assert make("agentgym/Wordle-v0", vocabulary_size=200).vocabulary_size == 200


def test_only_sandboxes_that_can_hold_an_environment_are_offered():
    with pytest.raises(ConfigError, match="Repair-v0' needs a sandbox; choose the runtime docker or bubblew") as raised:
        make("agentgym/Repair-v0", runtime="local")
    assert "process" not in str(raised.value)
    with pytest.raises(ConfigError, match="Repair-v0' works in sandboxes of docker or bubblewrap, not in 'process'"):
        make("agentgym/Repair-v0", runtime="process")
    with pytest.raises(ConfigError, match="choose the runtime docker or bubblewrap or process"):
        make("agentgym/Python-v0", runtime="local")


def test_unknown_options_are_refused():
    with pytest.raises(UnknownNameError, match="has no option 'vocabulary_sise'; did you mean vocabulary_"):
        make("agentgym/Wordle-v0", vocabulary_sise=200)


def test_register_makes_an_environment_known_everywhere(registry):
    register(TOY)
    register(TOY)
    assert isinstance(make("test/Toy-v0"), ToyEnv)
    assert "test/Toy-v0" in [each.id for each in specs("test")]


def test_register_refuses_a_taken_id(registry):
    register(TOY)
    other = EnvSpec("test/Toy-v0", "elsewhere:Env", "elsewhere:SCRIPTS", "test")
    with pytest.raises(ConfigError, match=r"'test/Toy-v0' belongs to 'tests.toys.env:ToyEnv'"):
        register(other)


def test_make_refuses_what_is_no_agent_env(registry):
    register(EnvSpec("test/Cart-v0", "gymnasium.envs.classic_control:CartPoleEnv", "x:SCRIPTS", "test"))
    with pytest.raises(ConfigError, match=r"made a CartPoleEnv, expected an agentgym.AgentEnv"):
        make("test/Cart-v0")


def test_game_is_made_as_the_view_of_a_role_or_whole(registry):
    register(GAME)
    view = make("test/Nim-v0")
    assert (view.role, view.observation_space.keys()) == ("first", {"text"})
    view = gymnasium.make("test/Nim-v0", role="second", partners={"first": "scripted:oracle"}).unwrapped
    assert isinstance(view, agentgym.RoleView)
    assert view.role == "second"
    assert isinstance(agentgym.make_game("test/Nim-v0"), Nim)
    assert spec("test/Nim-v0").load_scripts("second").keys() - spec("test/Nim-v0").load_scripts().keys() == {"clumsy"}


def test_game_refuses_unknown_roles_and_options(registry):
    register(GAME)
    with pytest.raises(UnknownNameError, match="'test/Nim-v0' has no role 'secnd'; did you mean second"):
        make("test/Nim-v0", role="secnd")
    for maker in (make, agentgym.make_game):
        with pytest.raises(UnknownNameError, match="'test/Nim-v0' has no option 'size'; known: "):
            maker("test/Nim-v0", size=3)
    with pytest.raises(ConfigError, match="not a game of several roles"):
        agentgym.make_game("agentgym/Wordle-v0")


def test_make_game_refuses_what_is_no_game(registry):
    register(EnvSpec("test/Toy-v1", "tests.toys.env:ToyEnv", "x:SCRIPTS", "test", roles=("agent",)))
    with pytest.raises(ConfigError, match=r"made a ToyEnv, expected an agentgym.GameEnv"):
        agentgym.make_game("test/Toy-v1")


def test_options_at_a_level_turn_every_knob():
    wordle = spec("agentgym/Wordle-v0")
    assert wordle.options_at(0) == {"vocabulary_size": 10, "num_tries": 8}
    assert wordle.options_at(0.5) == {"vocabulary_size": 300, "num_tries": 6}
    assert wordle.options_at(1.0) == {"vocabulary_size": 2000, "num_tries": 4}


@pytest.mark.parametrize("level", [-0.1, 1.1, float("nan")])
def test_options_at_no_level_are_refused(level):
    with pytest.raises(ConfigError, match="from 0 to 1"):
        spec("agentgym/Wordle-v0").options_at(level)
    with pytest.raises(ConfigError, match="has no levels of difficulty"):
        TOY.options_at(0.5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class Env(:", r"importing 'broken_env' fails: SyntaxError: invalid syntax \(.*broken_env.py, line 1\)"),
        ("import nonexistent", r"ModuleNotFoundError: No module named 'nonexistent' \(.*broken_env.py, line 1, in"),
        ("x = 1\ny = x.z", r"AttributeError: 'int' object has no attribute 'z' \(.*broken_env.py, line 2, in"),
        ("class Envv: ...", r"in .*broken_env.py: unknown name 'Env'; did you mean Envv\?"),
    ],
)
def test_what_cannot_be_loaded_is_named_with_its_line(text, expected, registry, tmp_path, monkeypatch):
    (tmp_path / "broken_env.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken_env", raising=False)
    register(EnvSpec("test/Broken-v0", "broken_env:Env", "broken_env:Env", "test"))
    for load, key in (
        (lambda: make("test/Broken-v0"), "entry_point"),
        (spec("test/Broken-v0").load_scripts, "scripts"),
    ):
        with pytest.raises(ContractError, match=f"its {key} is 'broken_env:Env'; .*{expected}"):
            load()


def test_a_refused_runtime_says_which_are_taken():
    with pytest.raises(ConfigError, match=r"\('local'\) or in a container \('docker'\), not in 'process'"):
        make("agentgym/GuessNumber-v0", runtime="process")
