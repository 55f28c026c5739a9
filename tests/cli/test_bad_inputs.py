"""About 250 bad inputs: each ends with an exit code and an explanation on stderr, without a traceback or a result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gymnasium
import pytest

from agentgym import suite as suite_module
from agentgym.cli.main import main
from agentgym.registration import register, registry
from agentgym.suite import register_suites
from tests.cli.bad_inputs.commands import COMMANDS, EVALUATIONS
from tests.cli.bad_inputs.configs import FILES, OVERRIDES
from tests.cli.bad_inputs.environments import BROKEN, FAULTS, SPEC
from tests.cli.bad_inputs.suites import SUITES, write_good

Capture = pytest.CaptureFixture[str]
RESULT = (
    '{"suite": "a/b", "split": "test", "policy": "p", "attempts": 1, "headline": "h", "sampling": {}, "outcomes": {}, '
    '"costs": {}, "seconds": 1, "num_missing": 0, "num_trained_on": 0, "tasks": %s}'
)
RESULT_TASKS = ("null", "3", "[1]", '["a"]', '[{"id": "x"}]', '[{"score": []}]')
CONFIG = "[run]\nsuite = 'dialogue/guess-number'\niterations = 4\n"


@pytest.fixture(scope="module", autouse=True)
def _nothing_stays_registered() -> Iterator[None]:
    """Other tests look at everything that is registered."""
    roots = list(suite_module._extra_roots)
    yield
    suite_module._extra_roots[:] = roots
    suite_module._folders.cache_clear()
    suite_module.load_suite.cache_clear()
    for spec in (SPEC, *BROKEN):
        registry._specs.pop(spec.id, None)
        gymnasium.registry.pop(spec.id, None)


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A registered folder of damaged suites, and a good one."""
    root = tmp_path_factory.mktemp("suites")
    for name in ("good", *SUITES):
        write_good(root / "bad" / name)
    for name, (damage, _) in SUITES.items():
        damage(root / "bad" / name)
    register_suites(root)
    return root


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refused(args: list[str], expected: str, capsys: Capture) -> None:
    """What happens to every bad input."""
    code = main(args)
    out, err = capsys.readouterr()
    assert code in (1, 2), err
    assert expected in " ".join(err.split()), err
    assert "Traceback" not in err
    assert out == ""


@pytest.mark.parametrize(("args", "expected"), [*COMMANDS, *EVALUATIONS], ids=lambda each: " ".join(each)[:70])
def test_command_lines(args: list[str], expected: str, capsys: Capture, tmp_path: Path) -> None:
    refused(args, expected, capsys)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("overrides", "expected"), OVERRIDES, ids=lambda each: each[:50])
def test_overrides(overrides: str, expected: str, capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(CONFIG)
    given = [overrides] if "[" in overrides else overrides.split(" ")
    refused(["train", "run.toml", "--describe", *given], expected, capsys)


@pytest.mark.parametrize(("text", "expected"), FILES, ids=range(len(FILES)))
def test_configuration_files(text: str, expected: str, capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(text)
    refused(["train", "run.toml", "--describe"], expected, capsys)


RESULTS = ("", "[]", "{}", "3", "[" * 100_000, f"[{'9' * 5000}]", '{"suite": "a"', *map(RESULT.__mod__, RESULT_TASKS))


@pytest.mark.parametrize("text", RESULTS, ids=range(len(RESULTS)))
def test_results(text: str, capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text)
    refused(["compare", "a.json", "a.json"], "a.json", capsys)


@pytest.mark.parametrize("name", SUITES)
def test_suites(name: str, suites: Path, capsys: Capture) -> None:
    refused(["eval", "--suite", f"bad/{name}", "--policy", "null"], SUITES[name][1], capsys)


@pytest.mark.parametrize("fault", FAULTS)
def test_environments(fault: str, capsys: Capture) -> None:
    register(SPEC)
    args = ["eval", "--suite", SPEC.id, "--env-option", f"fault={fault}", "--policy", "oracle"]
    refused(args, FAULTS[fault], capsys)


@pytest.mark.parametrize("spec", BROKEN, ids=lambda spec: spec.id)
def test_specs(spec: object, capsys: Capture) -> None:
    register(spec)  # type: ignore[arg-type]
    refused(["eval", "--suite", spec.id, "--policy", "oracle", "--limit", "1"], "cannot be loaded", capsys)  # type: ignore[attr-defined]


def test_the_good_ones_pass(suites: Path, capsys: Capture, tmp_path: Path) -> None:
    register(SPEC)
    (tmp_path / "run.toml").write_text(CONFIG)
    assert main(["eval", "--suite", "bad/good", "--policy", "null"]) == 0
    assert main(["eval", "--suite", SPEC.id, "--policy", "oracle"]) == 0
    assert main(["train", "run.toml", "--describe"]) == 0
    num_cases = sum(map(len, (COMMANDS, EVALUATIONS, OVERRIDES, FILES, SUITES, FAULTS, BROKEN)))
    assert num_cases >= 230, num_cases
