import json
import os
import signal
import subprocess
import sys
import threading

import pytest

from agentgym.cli.main import main
from agentgym.cli.serve import read_token
from agentgym.errors import ConfigError, InfrastructureError
from agentgym.registration import make
from agentgym.remote import RemoteEnv

TOKEN = "a token of the tests"


def start(*args, **variables):
    """A server process, and its address."""
    command = [sys.executable, "-m", "agentgym.cli.main", "serve", *args, "--json"]
    env = {**os.environ, "AGENTGYM_TOKEN": "", **variables}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    printed = ""
    while not printed.endswith("}\n"):
        line = process.stdout.readline()
        if not line:
            process.wait(60)
            raise AssertionError(process.stderr.read())
        printed += line
    return process, json.loads(printed)


def end(process):
    process.send_signal(signal.SIGTERM)
    code = process.wait(60)
    process.stdout.close()
    process.stderr.close()
    return code


def test_serve_plays_and_stops_on_sigterm(tmp_path):
    path = tmp_path / "socket"
    process, said = start("agentgym/GuessNumber-v0", "--uds", str(path))
    try:
        assert said == {"env": "agentgym/GuessNumber-v0", "url": f"unix:{path}", "has_token": False}
        assert oct(path.stat().st_mode & 0o777) == "0o600"
        env, local = RemoteEnv(said["url"]), make("agentgym/GuessNumber-v0")
        assert env.reset(seed=5)[0] == local.reset(seed=5)[0]
        assert env.step("1")[0] == local.step("1")[0]
        env.close()
    finally:
        assert end(process) == 0
    assert not path.exists()


def test_serve_takes_the_options_of_a_suite_and_a_token(tmp_path):
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    process, said = start(
        "agentgym/Lookup-v0", "--suite", "tools/lookup", "--port", "0", "--token-file", str(tmp_path / "token")
    )
    try:
        assert said["has_token"]
        with pytest.raises(ConfigError, match="token"):
            RemoteEnv(said["url"])
        env = RemoteEnv(said["url"], token=TOKEN)
        env.reset(seed=1)
        env.close()
    finally:
        assert end(process) == 0


def step_on(env, message):
    while True:
        env.step(message)


def test_running_step_ends_before_the_server_does(tmp_path):
    (tmp_path / "waiting.py").write_text(
        "import agentgym, os, time\n"
        "from agentgym import AgentEnv, EnvReply, Task\n"
        "class Waiting(AgentEnv):\n"
        "    def make_task(self, seed): return Task('w', seed)\n"
        "    def begin(self, task): return [{'role': 'user', 'content': 'go'}]\n"
        "    def respond(self, action):\n"
        "        print('stepping', flush=True)\n"
        "        while not os.path.exists(action.content): time.sleep(0.01)\n"
        "        return EnvReply([{'role': 'user', 'content': 'waited'}])\n"
        "from agentgym.remote.server.app import create_app, serve\n"
        "from agentgym.remote import ServerConfig\n"
        "import sys\n"
        "serve(create_app(Waiting, ServerConfig(uds=sys.argv[1])), lambda url: print('ready', flush=True))\n"
    )
    path = str(tmp_path / "socket")
    process = subprocess.Popen([sys.executable, str(tmp_path / "waiting.py"), path], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    busy, idle = RemoteEnv(f"unix:{path}"), RemoteEnv(f"unix:{path}")
    for env in (busy, idle):
        env.reset(seed=1)
    told = []
    stepping = threading.Thread(target=lambda: told.append(busy.step(str(tmp_path / "go"))[0]["text"]))
    stepping.start()
    assert process.stdout.readline() == "stepping\n"
    process.send_signal(signal.SIGTERM)
    with pytest.raises(InfrastructureError, match="about to stop"):
        step_on(idle, str(tmp_path))  # until the server has heard the signal
    with pytest.raises(InfrastructureError):
        RemoteEnv(f"unix:{path}")
    (tmp_path / "go").touch()
    stepping.join(60)
    assert told == ["waited"]
    assert process.wait(60) == 0
    process.stdout.close()
    busy.close()
    idle.close()


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["agentgym/Nothing-v0"], "unknown environment"),
        (["agentgym/Lookup-v0", "--host", "0.0.0.0"], "without a token"),
        (["agentgym/Lookup-v0", "--suite", "tools/nothing"], "unknown suite"),
        (["agentgym/Lookup-v0", "--suite", "dialogue/maze"], "belongs to agentgym/Maze-v0, not to agentgym/Lookup-v0"),
        (["agentgym/Lookup-v0", "--port", "80800"], "port must be from 0 to 65535, got 80800"),
        (["agentgym/Lookup-v0", "--token-file", "/nowhere"], "--token-file: there is no file /nowhere; check the path"),
        (["agentgym/Lookup-v0", "--max-sessions", "0"], "max_sessions"),
        (["agentgym/Lookup-v0", "--idle-timeout-s", "0"], "idle_timeout_s must be above 0"),
        (["agentgym/Lookup-v0", "--session-timeout-s", "-1"], "session_timeout_s must be above 0"),
        (["agentgym/Lookup-v0", "--drain-timeout-s", "0"], "drain_timeout_s must be above 0"),
        (["agentgym/Lookup-v0", "--uds", "/nowhere/socket"], "cannot listen"),
    ],
)
def test_wrong_use_exits_with_2_and_says_why(args, why, capsys, monkeypatch):
    monkeypatch.delenv("AGENTGYM_TOKEN", raising=False)
    assert main(["serve", *args]) == 2
    assert why in capsys.readouterr().err


def test_token_comes_from_a_file_or_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("AGENTGYM_TOKEN", TOKEN)
    assert read_token("") == TOKEN
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(ConfigError, match="empty"):
        read_token(str(tmp_path / "empty"))


def test_address_that_is_taken_is_refused(tmp_path, capsys):
    path = str(tmp_path / "socket")
    process, _ = start("agentgym/GuessNumber-v0", "--uds", path)
    try:
        assert main(["serve", "agentgym/GuessNumber-v0", "--uds", path]) == 2
        assert "listens" in capsys.readouterr().err
    finally:
        end(process)
