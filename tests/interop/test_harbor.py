"""Harbor task folders, written by us, as tasks; the ones that run need an engine."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import InfrastructureError, TaskError, UnsupportedSpecError
from agentgym.interop import HarborOptions, load_harbor, load_harbor_tasks, prepare_image
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.sandbox.source import provider_named
from agentgym.sandbox.spec import SandboxSpec
from agentgym.task import Task
from agentgym.testing.episodes import play_script
from agentgym_swe.terminal.env import TerminalEnv
from agentgym_swe.terminal.scripts import SCRIPTS
from tests.sandbox.engine import has_engine

FOLDERS = Path(__file__).parent / "folders"
RELAXED = HarborOptions(relaxed=("storage_mb",))
NAMES = ("count-errors", "repair-script", "sum-of-squares")
needs_engine = [
    pytest.mark.skipif(not has_engine(), reason="no container engine answers"),
    pytest.mark.skipif(os.geteuid() != 0, reason="the engine's sandboxes need root"),
]

Edit = Callable[[str, str], Path]


@pytest.fixture
def edited(tmp_path: Path) -> Edit:
    """A copy of count-errors whose task.toml has text put after a line."""

    def edit(after: str, text: str) -> Path:
        folder = tmp_path / "task"
        shutil.copytree(FOLDERS / "count-errors", folder)
        path = folder / "task.toml"
        toml = path.read_text()
        assert after in toml
        path.write_text(toml.replace(after, f"{after}\n{text}"))
        return folder

    return edit


def test_folder_becomes_a_task() -> None:
    task = load_harbor(FOLDERS / "count-errors")
    assert task.id == "harbor:agentgym/count-errors"
    assert task.instruction.startswith("Write the number of lines")
    assert (task.limits.max_seconds, task.limits.step_timeout_s) == (300.0, 240.0)
    spec = SandboxSpec.from_json(task.config["sandbox"])
    assert (spec.user, spec.work_dir, spec.writable_root) == ("root", "/app", True)
    assert (spec.limits.cpus, spec.limits.memory_mib, spec.network.kind) == (1.0, 256, "none")
    assert spec.image.startswith("agentgym-harbor/count-errors:")
    assert task.private["script"]["is_separate"] is False
    assert Task.from_json(json.loads(json.dumps(task.to_json()))).content_hash == task.content_hash


def test_older_folder_with_user_environment_and_separate_grading() -> None:
    task = load_harbor(FOLDERS / "repair-script")
    spec = SandboxSpec.from_json(task.config["sandbox"])
    assert (task.id, spec.user, spec.env) == ("harbor:repair-script", "agent", {"LANG": "C.UTF-8"})
    script = task.private["script"]
    assert (script["is_separate"], script["user"], script["env"]) == (True, "agent", {"EXPECTED": "hello world"})
    assert task.private["solution"][-1] == "GREETING='hello world' bash /solution/solve.sh"


def test_tests_and_solution_are_no_part_of_what_the_agent_can_see() -> None:
    task = load_harbor(FOLDERS / "sum-of-squares", RELAXED)
    assert "338350" not in json.dumps([task.instruction, task.config])
    assert "tests" not in task.config["dockerfile"]


def test_any_change_of_the_folder_changes_image_and_hash(edited: Edit) -> None:
    folder = edited("[metadata]", "")
    before = load_harbor(folder)
    (folder / "tests" / "test.sh").write_text("echo 1 > /logs/verifier/reward.txt\n")
    after = load_harbor(folder)
    assert before.content_hash != after.content_hash
    assert before.config["sandbox"]["image"] != after.config["sandbox"]["image"]


@pytest.mark.parametrize(
    ("after", "text", "why"),
    [
        ("[environment]", "gpus = 1", "gpus"),
        ("[environment]", 'os = "windows"', "os"),
        ("[environment]", "storage_mb = 1024", "storage_mb"),
        ("[environment]", 'tpu = { type = "v5", topology = "2x2" }', "tpu"),
        ("[environment]", 'mcp_servers = [{ name = "x" }]', "mcp_servers"),
        ("[environment]", 'skills_dir = "skills"', "skills_dir"),
        ("[environment]", 'healthcheck = { command = "true" }', "healthcheck"),
        ("[agent]", 'network_mode = "public"', "network_mode"),
        ("[agent]", 'allowed_hosts = ["example.org"]', r"agent\.allowed_hosts"),
        ("[verifier]", 'user = "nobody"', r"verifier\.user"),
        ("[verifier]", 'collect = ["/out"]', r"verifier\.collect"),
        ('keywords = ["shell"]', '[[steps]]\nname = "one"', "steps"),
        ('keywords = ["shell"]', '[[artifacts]]\nsource = "/x"', "artifacts"),
    ],
)
def test_what_cannot_be_had_is_refused_by_name(edited: Edit, after: str, text: str, why: str) -> None:
    with pytest.raises(UnsupportedSpecError, match=rf"asks for {why}, which cannot be had or enforced"):
        load_harbor(edited(after, text))


def test_refused_settings_may_be_left_out_by_name(edited: Edit) -> None:
    folder = edited("[environment]", "storage_mb = 1024")
    assert load_harbor(folder, RELAXED).config["kind"] == "harbor"


def test_variables_of_the_host_are_not_handed_in(edited: Edit) -> None:
    with pytest.raises(UnsupportedSpecError, match=r"env\.KEY is '\$\{API_KEY\}'"):
        load_harbor(edited("[environment]", 'env = { KEY = "${API_KEY}" }'))


@pytest.mark.parametrize(
    ("after", "text", "why"),
    [
        ("[environment]", "gpu = 1", r"\[environment\] of .* has the unknown keys gpu"),
        ("[task]", 'titel = "x"', r"\[task\] of .* has the unknown keys titel"),
        ("[environment]", 'env = { "A B" = "x" }', "malformed name"),
        ("[verifier]", 'environment_mode = "elsewhere"', "expected shared or separate"),
        ("[agent]", 'network_mode = "wifi"', "expected public, no-network or allowlist"),
        ("[environment]", 'build_timeout_sec = "long"', r"environment\.build_timeout_sec must be a positive number"),
        ("[environment]", "build_timeout_sec = nan", r"environment\.build_timeout_sec must be a positive number"),
        ("[environment]", "env = 5", r"environment\.env must be a table, got 5"),
        ("[environment]", "allowed_hosts = 5", r"environment\.allowed_hosts must be a list of texts"),
        ("[environment]", "workdir = 5", r"environment\.workdir must be text"),
        ("[verifier]", "env = [1]", r"verifier\.env must be a table"),
    ],
)
def test_malformed_settings_are_errors(edited: Edit, after: str, text: str, why: str) -> None:
    with pytest.raises(TaskError, match=why):
        load_harbor(edited(after, text))


def test_unknown_keys_may_be_passed_over(edited: Edit) -> None:
    folder = edited("[environment]", "gpu = 1")
    assert load_harbor(folder, HarborOptions(ignores_unknown=True)).config["kind"] == "harbor"


def test_other_versions_are_refused(edited: Edit) -> None:
    folder = edited("[metadata]", "")
    path = folder / "task.toml"
    path.write_text(path.read_text().replace('"1.4"', '"2.0"'))
    with pytest.raises(TaskError, match=r"schema_version is '2.0'; 1\.x is read"):
        load_harbor(folder)


@pytest.mark.parametrize("missing", ["instruction.md", "tests/test.sh", "environment/Dockerfile", "task.toml"])
def test_missing_file_is_named(edited: Edit, missing: str) -> None:
    folder = edited("[metadata]", "")
    (folder / missing).unlink()
    with pytest.raises(TaskError, match=missing.replace(".", r"\.")):
        load_harbor(folder)


def test_folder_without_tasks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="no Harbor task folder below"):
        load_harbor_tasks(tmp_path)


def test_images_that_a_dockerfile_builds_on_are_brought_and_its_stages_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, brought = tmp_path / "staged", []
    shutil.copytree(FOLDERS / "count-errors", folder)
    (folder / "environment" / "Dockerfile").write_text("FROM --platform=linux/amd64 busybox AS tools\nFROM tools\n")
    monkeypatch.setattr("agentgym.interop.harbor.provide_foreign_image", lambda client, base, _: brought.append(base))
    engine = SimpleNamespace(images=SimpleNamespace(list=lambda name: [], build=lambda **options: None))
    prepare_image(load_harbor(folder), engine)
    assert brought == ["busybox"]


# With an engine.


@pytest.fixture(scope="module")
def env() -> Iterator[TerminalEnv]:
    with SandboxPool(provider_named("docker"), PoolConfig(ready=0)) as pool:
        made = TerminalEnv(sandbox=pool)
        yield made
        made.close()
        assert pool.stats().leased == 0


@pytest.mark.parametrize("name", NAMES)
class TestWithAnEngine:
    pytestmark = needs_engine

    def test_oracle_gets_one_and_nothing_zero(self, env: TerminalEnv, name: str) -> None:
        task = load_harbor(FOLDERS / name, RELAXED)
        prepare_image(task)
        oracle = play_script(env, task, SCRIPTS["oracle"](task, 0))
        assert (oracle.success, oracle.reward) == (True, 1.0)
        for script in ("null", "cheat_reward_files"):
            record = play_script(env, task, SCRIPTS[script](task, 0))
            assert (record.success, record.reward) == (False, 0.0)

    def test_reward_written_beforehand_counts_for_nothing(self, env: TerminalEnv, name: str) -> None:
        task = load_harbor(FOLDERS / name, RELAXED)
        env.reset(options={"task": prepared(task)})
        writes = "mkdir -p /logs/verifier; cd /logs/verifier; echo 1 > reward.txt; echo '{\"reward\": 1}' > reward.json"
        env.step(call_text("shell", command=writes))
        assert env.step(call_text("submit"))[4]["success"] is False

    def test_tests_are_not_there_before_grading(self, env: TerminalEnv, name: str) -> None:
        task = load_harbor(FOLDERS / name, RELAXED)
        env.reset(options={"task": prepared(task)})
        looked = env.step(
            call_text("shell", command="ls -A /tests /solution 2>/dev/null; find / -name test.sh 2>/dev/null")
        )
        assert "test.sh" not in looked[0]["text"]
        assert "solve.sh" not in looked[0]["text"]


def prepared(task: Task) -> Task:
    prepare_image(task)
    return task


class TestVerdicts:
    pytestmark = needs_engine

    @pytest.mark.parametrize(
        ("script", "why"),
        [
            ("true", "neither reward.json nor reward.txt"),
            (": > /logs/verifier/reward.txt", "expected a number"),
            ("echo nan > /logs/verifier/reward.txt", "expected a finite number"),
            ("echo '{}' > /logs/verifier/reward.json", "expected an object of numbers"),
            ("echo '{\"reward\": NaN}' > /logs/verifier/reward.json", "NaN"),
            ("echo 'not json' > /logs/verifier/reward.json", "no verdict"),
            ("sleep 60", "did not end within"),
        ],
    )
    def test_no_verdict_is_infrastructure_and_never_zero(
        self, env: TerminalEnv, tmp_path: Path, script: str, why: str
    ) -> None:
        folder = tmp_path / "task"
        shutil.copytree(FOLDERS / "sum-of-squares", folder)
        (folder / "tests" / "test.sh").write_text(f"#!/bin/bash\n{script}\n")
        with (folder / "task.toml").open("a") as toml:
            toml.write("\n[verifier]\ntimeout_sec = 2\n")
        env.reset(options={"task": prepared(load_harbor(folder, RELAXED))})
        with pytest.raises(InfrastructureError, match=why):
            env.step(call_text("submit"))

    def test_sabotage_of_what_grading_takes_is_no_mistake_of_the_user_s(self, env: TerminalEnv) -> None:
        env.reset(options={"task": prepared(load_harbor(FOLDERS / "sum-of-squares", RELAXED))})
        env.step(call_text("shell", command="rm -f /bin/tar /usr/bin/tar"))
        with pytest.raises(InfrastructureError, match="tar"):
            env.step(call_text("submit"))

    def test_tampering_with_programs_does_not_reach_a_fresh_sandbox(self, env: TerminalEnv) -> None:
        options = HarborOptions(relaxed=("storage_mb",), grade_in="fresh")
        env.reset(options={"task": prepared(load_harbor(FOLDERS / "sum-of-squares", options))})
        fake = "printf '#!/bin/sh\\necho 338350\\n' > /usr/bin/tr; chmod 755 /usr/bin/tr; tr"
        assert "338350" in env.step(call_text("shell", command=fake))[0]["text"]
        assert env.step(call_text("submit"))[4]["success"] is False

    def test_work_of_another_episode_is_gone(self, env: TerminalEnv) -> None:
        task = prepared(load_harbor(FOLDERS / "count-errors"))
        play_script(env, task, SCRIPTS["oracle"](task, 0))
        env.reset(options={"task": task})
        assert env.step(call_text("shell", command="ls"))[0]["text"] == "app.log"

    def test_image_that_cannot_be_built_says_why(self, tmp_path: Path) -> None:
        from agentgym.errors import SandboxStartError

        folder = tmp_path / "broken"
        shutil.copytree(FOLDERS / "count-errors", folder)
        (folder / "environment" / "Dockerfile").write_text("FROM debian:bookworm-slim\nRUN echo so far && false\n")
        with pytest.raises(SandboxStartError, match=r"(?s)could not be built.*so far"):
            prepare_image(load_harbor(folder))
