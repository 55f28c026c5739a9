import io

import pytest

from agentgym.cli.main import main
from agentgym.data_folder import data_folder

PAPERS = str(data_folder("tasks") / "web/papers/papers.warc.gz")


def test_replay_shows_a_page_and_carries_out_actions(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO('click("2")\nnonsense\n'))
    assert main(["web", "replay", PAPERS]) == 0
    shown = capsys.readouterr()
    assert "300 papers by 64 authors" in shown.out
    assert 'heading "Years" level=1' in shown.out
    assert "no readable tool call" in shown.err or "call" in shown.err


def test_replay_lists_the_pages(capsys):
    assert main(["web", "replay", PAPERS, "--list-pages"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (len(lines), lines[0]) == (437, "https://papers.test/")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["record", "http://localhost:1/"], "name the archive to write"),
        (["replay", "/nowhere.warc"], "there is no archive"),
        (["serve", "shop", "wiki"], "name one site"),
    ],
)
def test_wrong_usage_says_the_next_move(arguments, said, capsys):
    assert main(["web", *arguments]) == 2
    assert said in capsys.readouterr().err
