import io
import json
import re
import signal
import subprocess
import sys

import httpx
import pytest

from agentgym.cli.main import main
from agentgym.data_folder import data_folder

PAPERS = str(data_folder("tasks") / "web/papers/papers.warc.gz")


def test_replay_shows_a_page_and_carries_out_actions(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO('click("2")\nnonsense\n'))
    assert main(["web", "replay", PAPERS]) == 0
    shown = capsys.readouterr()
    assert "300 papers by 64 authors" in shown.out
    _, _, after = shown.out.partition('\n--- click("2")\n')
    assert 'heading "Years" level=1' in after
    assert 'Answer with an action, such as click("12").' in shown.err
    assert "<tool_call>" not in shown.err


def test_replay_lists_the_pages(capsys):
    assert main(["web", "replay", PAPERS, "--list-pages"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (len(lines), lines[0]) == (437, "https://papers.test/")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["record", "http://localhost:1/"], "name the archive to write"),
        (["replay", "/nowhere.warc"], "there is no archive"),
        (["replay", PAPERS, "--json"], "add --list-pages"),
        (["replay", PAPERS, "two.html"], "an address begins with http:// or https://"),
        (
            ["replay", PAPERS, "https://papers.test/none"],
            f"its pages are shown by: agentgym web replay {PAPERS} --list",
        ),
        (["serve", "shop", "wiki"], "Unrecognized options: wiki"),
        (["serve", "shop", "--port", "80000"], "the port must be from 0 to 65535: got 80000; 0 takes a free one"),
        (["serve", "shop", "--port", "-1"], "the port must be from 0 to 65535: got -1"),
        (["serve", "shpo"], "did you mean shop?"),
        (["recrod", "http://localhost:1/", "--out", "a.warc"], "did you mean record?"),
    ],
)
def test_wrong_usage_says_the_next_move(arguments, said, capsys):
    assert main(["web", *arguments]) == 2
    printed = capsys.readouterr()
    assert said in printed.out + printed.err


@pytest.mark.parametrize(
    ("action", "own"),
    [
        ("record", {"--out", "--pages", "--host", "--browser"}),
        ("replay", {"--list-pages", "--browser"}),
        ("serve", {"--port", "--user"}),
    ],
)
def test_help_of_an_action_shows_its_own_options(action, own, capsys):
    assert main(["web", action, "--help"]) == 0
    assert set(re.findall(r"--[a-z][a-z-]+", capsys.readouterr().out)) == own | {"--help", "--json"}


@pytest.mark.parametrize("user", ["", "agnes.sandstrom"])
def test_serve_prints_where_the_site_is_and_ends_with_an_interrupt(user):
    command = [sys.executable, "-m", "agentgym.cli.main", "web", "serve", "mail", *(["--user", user] if user else [])]
    for form in ([], ["--json"]):
        with subprocess.Popen([*command, *form], stdout=subprocess.PIPE, text=True) as server:
            said = server.stdout.readline()
            if form:
                said = json.loads(said + "".join(iter(server.stdout.readline, "}\n")) + "}")
                url = said.pop("url")
                assert said == {"site": "mail", "user": user or None}
            else:
                url = said.split()[0]
                assert said == f"{url} serves mail with {user or 'nobody'} logged in; Ctrl-C stops it\n"
            assert ("Log in" in httpx.get(url, follow_redirects=True).text) == (not user)
            server.send_signal(signal.SIGINT)
            assert server.wait(60) == 0
