import subprocess
import sys

import pytest

from agentgym.errors import ConfigError, UnknownNameError
from agentgym.policies.by_name import load
from agentgym.policies.endpoint import EndpointPolicy
from agentgym.policies.human import HumanPolicy
from agentgym.policies.torch.policy import TorchPolicy
from agentgym.policy import Request, Sampling
from agentgym.suite import load_suite

SUITE, ENV = "dialogue/guess-number", "agentgym/GuessNumber-v0"


@pytest.mark.parametrize("player_of", [SUITE, ENV])
def test_oracle_of_a_suite_or_environment_is_loaded(player_of):
    policy = load("oracle", player_of)
    task = load_suite(SUITE).tasks("test")[0]
    reply = policy.generate([Request("e", 0, task, [], [], None, 0, Sampling())])[0]
    assert (policy.name, reply.text) == ("oracle", str(task.private["secret"]))


def test_an_environment_without_players_says_so(monkeypatch):
    monkeypatch.setattr("agentgym.registration.EnvSpec.load_scripts", lambda spec, role="": {})
    with pytest.raises(
        UnknownNameError, match=rf"has no policy 'random'\n{ENV} has no scripted players yet: .*:SCRIPTS is empty"
    ):
        load("random", ENV)


def test_options_reach_the_script():
    task = load_suite(SUITE).tasks("test")[0]
    policy = load("demo", SUITE, quality=1.0)
    reply = policy.generate([Request("e", 0, task, [{"content": ""}], [], None, 0, Sampling())])[0]
    assert reply.text == str((task.config["low"] + task.config["high"]) // 2)


def test_unknown_names_get_suggestions():
    with pytest.raises(UnknownNameError, match=rf"^'{SUITE}' has no policy 'orcale'; did you mean oracle\?$"):
        load("orcale", SUITE)
    with pytest.raises(UnknownNameError, match=r"known: .*torch:PATH"):
        load("torhc:model", SUITE)
    with pytest.raises(UnknownNameError, match="guess-number"):
        load("oracle", "dialogue/guess-nubmer")


OWN = """
import helper

class Opening:
    def __init__(self, task, seed, word="50"):
        self.word = word + helper.END

    def act(self, messages):
        return self.word

class Whole:
    name, fingerprint = "whole", ""
    def generate(self, requests): ...
"""


@pytest.fixture
def own(tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    (tmp_path / "helper.py").write_text("END = '!'")
    return tmp_path / "mine.py"


def test_a_class_of_a_file_is_a_policy(own):
    task = load_suite(SUITE).tasks("test")[0]
    request = Request("e", 0, task, [{"content": ""}], [], None, 0, Sampling())
    policy = load(f"python:{own}:Opening", SUITE)
    assert (policy.name, policy.generate([request])[0].text) == ("python:mine.py:Opening", "50!")
    other = load(f"python:{own}:Opening", SUITE, word="7")
    assert other.generate([request])[0].text == "7!"
    assert other.fingerprint != policy.fingerprint
    own.write_text(OWN + "# changed")
    assert load(f"python:{own}:Opening", SUITE).fingerprint != policy.fingerprint
    assert load(f"python:{own}:Whole").name == "whole"


def test_own_files_that_do_not_do_are_refused(own):
    with pytest.raises(UnknownNameError, match=r"mine\.py has no policy 'Openin'; did you mean Opening\?"):
        load(f"python:{own}:Openin")
    with pytest.raises(ConfigError, match=r"'python:mine' is incomplete: expected python:FILE\.py:CLASS"):
        load("python:mine")
    with pytest.raises(ConfigError, match=r"there is no file none\.py; the path starts at"):
        load("python:none.py:Opening")
    own.write_text("1 / 0")
    with pytest.raises(ConfigError, match=r"mine\.py cannot be imported: ZeroDivisionError: division by zero"):
        load(f"python:{own}:Opening")
    with pytest.raises(UnknownNameError, match=r"(?s)'mine:Clicker'.*A policy of your own is named python:FILE\.py"):
        load("mine:Clicker", SUITE)
    own.write_text(OWN)
    with pytest.raises(ConfigError, match="has no option 'wrod'"):
        load(f"python:{own}:Opening", wrod="x")


@pytest.mark.parametrize("name", ["torch:", "torch", "endpoint:", "endpoint:http://localhost", "oracle"])
def test_incomplete_names_say_what_is_expected(name):
    with pytest.raises(ConfigError, match=r"expected|suite or environment"):
        load(name)


def test_options_that_do_not_apply_are_refused():
    with pytest.raises(ConfigError, match="policy 'human' takes no options, got 'quality'"):
        load("human", quality=1)
    with pytest.raises(ConfigError, match="policy 'endpoint:http://localhost#m' has no option 'quality'; known: "):
        load("endpoint:http://localhost#m", quality=1)
    with pytest.raises(ConfigError, match=r"has no option 'max_retrys'; did you mean max_retries"):
        load("endpoint:http://localhost#m", max_retrys=1)


def test_options_of_a_script_are_named_and_must_be_numbers_where_it_counts_with_them():
    with pytest.raises(ConfigError, match=r"policy 'demo' has no option 'qualty'; did you mean quality\?"):
        load("demo", SUITE, qualty=1)
    with pytest.raises(ConfigError, match="'quality' of policy 'demo' must be a number, got 'high'"):
        load("demo", SUITE, quality="high")
    with pytest.raises(ConfigError, match="'quality' of policy 'demo' is a share from 0 to 1, got 3"):
        load("demo", SUITE, quality=3)


def test_each_kind_is_loaded(tmp_path, make_model, tokenizer, capsys):
    assert isinstance(load("human"), HumanPolicy)
    endpoint = load("endpoint:http://localhost:1/v1#some/model", max_retries=2, send_seed=False)
    assert isinstance(endpoint, EndpointPolicy)
    assert endpoint.settings.transport.max_retries == 2
    make_model("llama").save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    capsys.readouterr()
    assert isinstance(load(f"torch:{tmp_path}"), TorchPolicy)
    assert capsys.readouterr().err == ""


def test_run_in_place_of_a_model_names_the_models_in_it(tmp_path):
    for folder in (tmp_path, tmp_path / "models" / "trained"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"name one of the run's models: .*models/trained"):
        load(f"torch:{tmp_path}")


@pytest.mark.parametrize(("name", "said"), [("human", ""), ("torch:/nowhere", "'/nowhere' holds no model")])
def test_torch_is_imported_for_models_that_are_there_alone(name, said):
    code = "import sys, agentgym.policies.by_name as b\ntry: b.load(sys.argv[1])\nexcept b.ConfigError as e: print(e)\n"
    code += "print('torch' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code, name], capture_output=True, text=True, check=True)
    assert shown.stdout.startswith(said)
    assert shown.stdout.endswith("False\n")
