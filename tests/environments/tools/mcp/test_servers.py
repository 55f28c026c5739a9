"""Files that describe servers, what tools of servers look like, and that the page shows files that are read."""

import json
import re
from pathlib import Path

import pytest

from agentgym.errors import ConfigError, UnknownNameError
from agentgym_tools.mcp.own_tasks import read_tasks
from agentgym_tools.mcp.schemas import shown_tools
from agentgym_tools.mcp.servers import FROM_PYPI, chosen, read_mounts, recorded_tools

PAGE = Path(__file__).parents[4] / "docs" / "environments" / "mcp-tools.md"


def test_the_files_on_the_page_are_read(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    (servers,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tasks,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    (tmp_path / "servers.toml").write_text(servers)
    (tmp_path / "notes").mkdir()
    mounts = read_mounts(tmp_path / "servers.toml")
    assert mounts.servers["notes"].command == ("python3", "{folder}/notes.py")
    assert mounts.servers["notes"].folder == str(tmp_path / "notes")
    assert mounts.servers["notes"].probe == ("list", {})
    lines = tasks.replace("},\n ", "}, ").splitlines()
    (tmp_path / "tasks.jsonl").write_text("\n".join(lines))
    assert [task.config["servers"] for task in read_tasks(tmp_path / "tasks.jsonl", mounts)] == [["notes"]] * 2


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "expected .servers.NAME. tables"),
        ("[servers", "servers.toml"),
        ("[servers.a]\nargs = []", "expected command"),
        ("[servers.a]\ncommand = 'x'\nports = 1", "expected command"),
        ("[servers.a__b]\ncommand = 'x'", "single '_'"),
        ("[servers.a]\ncommand = '{folder}/x'", "has no folder"),
        ("[servers.a]\ncommand = 'x'\ncall_timeout_s = 0", "must be positive"),
        ("[servers.a]\ncommand = 'x'\nprobe = 3", "malformed"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, named: str) -> None:
    (tmp_path / "servers.toml").write_text(text)
    with pytest.raises(ConfigError, match=named):
        read_mounts(tmp_path / "servers.toml")


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownNameError, match="did you mean git"):
        chosen(FROM_PYPI, ["gitt"])


def test_recorded_tools_are_function_schemas_without_references() -> None:
    for name in FROM_PYPI.servers:
        shown = shown_tools(name, recorded_tools(name))
        assert all(tool["function"]["name"].startswith(f"{name}__") for tool in shown.values())
        assert "$ref" not in json.dumps(list(shown.values()))
    branch = shown_tools("git", recorded_tools("git"))["git_branch"]["function"]["parameters"]
    assert branch["properties"]["contains"]["type"] == ["string", "null"]


def test_schemas_lose_references_and_combinators_and_names_what_is_no_name() -> None:
    point = {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}
    loop = {"type": "object", "properties": {"again": {"$ref": "#/$defs/Loop"}}}
    properties = {"at": {"$ref": "#/$defs/Point"}, "loop": {"$ref": "#/$defs/Loop"}, "any": {"not": {}}}
    tool = {"name": "draw.at/point", "inputSchema": {"$defs": {"Point": point, "Loop": loop}, "properties": properties}}
    (schema,) = shown_tools("plotter", [tool]).values()
    assert schema["function"]["name"] == "plotter__draw_at_point"
    parameters = schema["function"]["parameters"]
    assert parameters["properties"]["at"] == point
    assert parameters["properties"]["any"] == {}
    assert len(json.dumps(parameters)) < 2_000
    with pytest.raises(ConfigError, match="would be called 'plotter__a_b'"):
        shown_tools("plotter", [{"name": "a.b"}, {"name": "a/b"}])
