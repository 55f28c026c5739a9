"""`agentgym gui`."""

import json

from agentgym.cli.main import main
from agentgym_gui.osworld.examples import write_examples


def test_osworld_says_what_is_loaded_and_refused(tmp_path, capsys):
    write_examples(tmp_path)
    (tmp_path / "tasks/broken.json").write_text("{")
    assert main(["gui", "osworld", str(tmp_path / "tasks"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["loaded"]) == 30
    assert [each["reason"].partition(":")[0] for each in found["refused"]] == ["no JSON"]
    assert main(["gui", "osworld", str(tmp_path / "tasks")]) == 0
    shown = capsys.readouterr()
    assert "refused: no JSON" in shown.out
    assert "30 loaded, 1 refused" in shown.err


def test_osworld_without_files_is_wrong_usage(tmp_path, capsys):
    assert main(["gui", "osworld", str(tmp_path / "nothing")]) == 2
    assert f"there is no file or folder {tmp_path / 'nothing'}" in capsys.readouterr().err
    assert main(["gui", "osworld", str(tmp_path)]) == 2
    assert f"{tmp_path} holds no JSON file" in capsys.readouterr().err


def test_options_of_the_other_action_are_refused(tmp_path, capsys):
    write_examples(tmp_path)
    tasks = str(tmp_path / "tasks")
    for given, why in (
        (["osworld", tasks, "--screens", "5"], "--screens, --state, --places, --fixed-look and --seed are for render"),
        (["osworld", tasks, "--cache", str(tmp_path / "cahce")], "there is no folder"),
        (["render", str(tmp_path / "new"), "--cache", tasks], "--cache is for osworld"),
    ):
        assert main(["gui", *given]) == 2
        assert why in capsys.readouterr().err


def test_render_refuses_what_cannot_be_shown(tmp_path, capsys):
    (tmp_path / "kept.txt").write_text("mine")
    assert main(["gui", "render", str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["gui", "render", str(tmp_path / "new"), "--app", "galculatr"]) == 2
    assert "galculator" in capsys.readouterr().err
    assert main(["gui", "render", str(tmp_path / "new"), "--app", "galculator", "--state", "start", "blorp"]) == 2
    assert "galculator has no state 'blorp'; known: edit menu, file menu, start, view menu" in capsys.readouterr().err
    assert main(["gui", "render", str(tmp_path / "new"), "--screens", "0"]) == 2
    assert not (tmp_path / "new").exists()
