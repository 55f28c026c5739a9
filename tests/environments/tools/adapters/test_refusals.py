"""What the user has to put right: every refusal names what was found and what to do."""

import sys

import pytest

from agentgym.errors import ConfigError, UnknownNameError
from agentgym.registration import make_game


@pytest.mark.parametrize("env_id", ["bfcl/multi_turn", "agentdojo/all", "tau2/retail", "acebench/x", "appworld/train"])
def test_a_missing_interpreter_is_named_with_its_variable_and_how_one_is_made(env_id, monkeypatch):
    name = env_id.partition("/")[0].upper()
    monkeypatch.delenv(f"AGENTGYM_{name}_PYTHON", raising=False)
    with pytest.raises(ConfigError, match=rf"AGENTGYM_{name}_PYTHON: got ''; make one with: .*python3 -m venv"):
        make_game(env_id)
    with pytest.raises(ConfigError, match="got '/nowhere'"):
        make_game(env_id, interpreter="/nowhere")


@pytest.mark.parametrize("env_id", ["tau2/retail", "acebench/agent_multi_step", "appworld/train"])
def test_a_missing_folder_is_named_with_its_variable(env_id, monkeypatch, tmp_path):
    name = env_id.partition("/")[0].upper()
    monkeypatch.delenv(f"AGENTGYM_{name}_FOLDER", raising=False)
    with pytest.raises(ConfigError, match=rf"AGENTGYM_{name}_FOLDER: got ''; the adapter is for"):
        make_game(env_id, interpreter=sys.executable)
    with pytest.raises(ConfigError, match=r"got '.*absent'"):
        make_game(env_id, interpreter=sys.executable, folder=str(tmp_path / "absent"))


@pytest.mark.parametrize(
    ("env_id", "package", "known"),
    [
        ("bfcl/multi_turn", "bfcl-eval", "2026.3.23"),
        ("agentdojo/all", "agentdojo", "0.1.35"),
        ("tau2/lamps", "tau2", "1.0.1"),
        ("appworld/train", "appworld", "0.1.3"),
    ],
)
def test_an_absent_package_and_another_version_are_refused_with_the_command(
    env_id, package, known, interpreter, tmp_path
):
    options = {} if package in ("bfcl-eval", "agentdojo") else {"folder": str(tmp_path)}
    game = make_game(env_id, interpreter=interpreter("none", "1"), **options)
    with pytest.raises(ConfigError, match=f"has no package {package}; make an interpreter with: .*pip install"):
        game.make_task(0)
    game = make_game(env_id, interpreter=interpreter("other", "0.0.1", package), **options)
    with pytest.raises(ConfigError, match=f"has {package} 0.0.1, but the adapter is for {known}; make an interpreter"):
        game.make_task(0)


def test_a_package_without_what_it_needs_is_refused(interpreter):
    game = make_game("bfcl/multi_turn", interpreter=interpreter("bfcl_eval", "2026.3.23", "bfcl-eval"))
    with pytest.raises(ConfigError, match=r"cannot serve bfcl: ModuleNotFoundError.*pip install --no-deps"):
        game.make_task(0)


def test_unknown_weights_and_options_that_mean_nothing_are_refused(interpreter):
    with pytest.raises(ConfigError, match=r"weights names .'wisdom'., which are no components; expected success"):
        make_game("bfcl/multi_turn", interpreter=sys.executable, weights={"wisdom": 1.0})
    game = make_game("agentdojo/mail", interpreter=interpreter("agentdojo", "0.1.35"), solo=True)
    with pytest.raises(ConfigError, match="the option solo means nothing here"):
        game.make_task(0)


def test_an_unknown_benchmark_is_no_environment():
    with pytest.raises(UnknownNameError, match="toolsandbox"):
        make_game("toolsandbox/all")
