"""Every example is one screen long, is listed, and does what it says; one process runs them all."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
SHOWN = {
    "agent_loop": "solved 5 of 5",
    "evaluate_an_endpoint": "all           10     1.000",
    "game_of_your_own": "no more than there are. (reward 0.0)\n> 3\nThe first player wins. (reward 1.0)",
    "learner_of_your_own": "trained: success 0.",
    "one_episode": "turn 4 earned 1.0 for success",
    "pages_of_your_own": 'click("1"): reward 0.0, terminated False\nclick("1"): reward 1.0, terminated True',
    "reward_of_your_own": "'33': reward 0.1\n  brief = 1.0\n'My guess is 34.': reward 0.0",
    "sandbox_of_your_own": "submit(): '', reward 1.0, terminated True",
    "tasks_of_your_own": "all      2      0.500 [0.000, 1.000]",
    "train_from_python": "trained: success 0.",
    "wrap_a_gymnasium_environment": "terminated, success: True, last reward 1.0",
}
"""What each example prints, in part."""
RUN_ALL = """
import contextlib, io, json, runpy, sys
from dataclasses import replace
from agentgym_rl.run import job

def train_shortly(config, folder, train=job.train):
    return train(replace(config, warm_start=replace(config.warm_start, demonstrations=32, epochs=1)), folder)

job.train = train_shortly
printed = {}
for path in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as stdout:
        runpy.run_path(path, run_name="__main__")
    printed[path] = stdout.getvalue()
print(json.dumps(printed))
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each example prints, by its name."""
    paths = os.pathsep.join(str(ROOT / part) for part in (".", "environments", "trainers"))
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN_ALL, *map(str, EXAMPLES)],
        cwd=tmp_path_factory.mktemp("examples"),
        env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    return {Path(path).stem: text for path, text in json.loads(ended.stdout).items()}


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_prints_what_it_promises(path: Path, printed: dict[str, str]) -> None:
    assert SHOWN[path.stem] in printed[path.stem]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_one_screen_and_listed(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 60
    assert f"]({path.name})" in (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
