"""ACEBench's driver against a folder of its shape."""

import sys

import pytest

from agentgym.errors import ConfigError
from agentgym.registration import make_game
from agentgym_tools.adapters.scripts import playing
from tests.environments.tools.adapters.playing import AGENT, play, values

_UTILS = """
import copy

MADE = {}

class BaseApi:
    def __init__(self, config):
        self.wifi = config.get("wifi", False)

    def turn_on_wifi(self):
        self.wifi = True
        return {"status": True}

class ReminderApi:
    def __init__(self, config):
        self.reminder_list = copy.deepcopy(config.get("reminder_list", {}))

    def add_reminder(self, title):
        self.reminder_list[str(len(self.reminder_list))] = {"title": title}
        return "added"

def execute_agent_func_call(func_call_list, initial_config, involved_classes, model_name, test_entry_id, language):
    kinds = {"BaseApi": BaseApi, "ReminderApi": ReminderApi}
    made = MADE.setdefault(model_name, {name: kinds[name](initial_config.get(name, {})) for name in involved_classes})
    scope = {
        name: getattr(each, name)
        for each in made.values()
        for name in ("turn_on_wifi", "add_reminder")
        if hasattr(each, name)
    }
    results = []
    for text in func_call_list:
        try:
            results.append(str(eval(text, scope)))
        except Exception as error:
            results.append(f"Error during execution: {error}")
    return results, made
"""
_CHECKER = """
def agent_checker(made, wanted):
    [name] = wanted
    [attributes], [expected] = made.values(), wanted.values()
    wrong = [key for key in attributes if isinstance(expected.get(key), bool) and expected[key] != attributes[key]]
    for key, rows in expected.items():
        if isinstance(rows, dict):
            wrong += [row for row in rows if attributes.get(key, {}).get(row) != rows[row]]
    return {"valid": not wrong, "error": [f"{name}: {each}" for each in wrong], "error_type": "wrong"}
"""


@pytest.fixture
def ace_folder(tmp_path, lines):
    folder = tmp_path / "ACEBench"
    for kind in ("multi_step", "multi_turn"):
        inference = folder / "model_inference" / kind
        inference.mkdir(parents=True)
        (inference / f"{kind}_utils.py").write_text(_UTILS)
        prompt = (
            'MULTI_TURN_AGENT_PROMPT_SYSTEM_EN = """It is {time}. Call APIs."""\nimport a_client_that_is_not_here\n'
        )
        (inference / "APIModel_agent.py").write_text(prompt)
        (inference / "APIModel_user.py").write_text('SYSTEM_PROMPT_BASE_EN = "You want: {instruction}"\n')
        functions = [
            {"name": "turn_on_wifi", "description": "", "parameters": {"type": "dict", "properties": {}}},
            {
                "name": "add_reminder",
                "description": "",
                "parameters": {"type": "dict", "properties": {"title": {"type": "string"}}},
            },
        ]
        entry = {
            "id": f"agent_{kind}_0",
            "question": "Remind me of tea, by wifi.",
            "time": "noon",
            "function": functions,
            "initial_config": {"ReminderApi": {"reminder_list": {"0": {"title": "old"}}}},
            "involved_classes": ["BaseApi", "ReminderApi"],
        }
        right = {"reminder_list": {"0": {"title": "old"}, "1": {"title": "tea"}}}
        answer = {
            "id": entry["id"],
            "ground_truth": [{"BaseApi": {"wifi": True}}, {"ReminderApi": right}],
            "mile_stone": ["[turn_on_wifi()]", "[add_reminder(title='tea')]"],
        }
        lines(folder / f"data_all/data_en/data_agent_{kind}.json", entry)
        lines(folder / f"data_all/data_en/possible_answer/data_agent_{kind}.json", answer)
    saved = 'SAVED_CLASS = {"BaseApi": ["wifi"], "ReminderApi": ["reminder_list"]}\n'
    (folder / "model_inference/apimodel_inference.py").write_text(f"import a_client_that_is_not_here\n{saved}")
    (folder / "model_eval").mkdir()
    (folder / "model_eval/checker.py").write_text(_CHECKER)
    return folder


def test_acebench_multi_step_is_judged_by_its_end_state_and_milestones(opened, ace_folder):
    env = opened("acebench/agent_multi_step", interpreter=sys.executable, folder=str(ace_folder))
    found = play(env, 0, AGENT["oracle"])
    assert values(found) == {"success": 1, "own_state": 1, "own_collateral": 1}
    assert found["messages"][0]["content"] == "It is noon. Call APIs."
    half = play(env, 0, playing([{"calls": [{"name": "turn_on_wifi", "arguments": {}}], "say": "finish conversation"}]))
    assert values(half) == {"success": 0, "own_state": 0, "own_collateral": 1}
    assert half["score"] == 0.5
    titles = ("tea", "cake")
    calls = [{"name": "turn_on_wifi", "arguments": {}}]
    calls += [{"name": "add_reminder", "arguments": {"title": title}} for title in titles]
    extra = play(env, 0, playing([{"calls": calls, "say": "finish conversation"}]))
    assert values(extra) == {"success": 1, "own_state": 1, "own_collateral": 0}  # further rows go unseen there


def test_acebench_multi_turn_is_a_game_of_two_roles(ace_folder):
    game = make_game("acebench/agent_multi_turn", interpreter=sys.executable, folder=str(ace_folder))
    try:
        inbox = game.reset(game.make_task(0))
        assert inbox["user"][0]["content"] == "You want: Remind me of tea, by wifi."
        assert "tea" not in str(inbox["agent"])
        for move in ("Tea!", "[turn_on_wifi(), add_reminder(title='tea')]", "Done.", "finish conversation"):
            reply = game.step(move)
        assert reply.successes == {"agent": True, "user": True}
    finally:
        game.close()


def test_an_acebench_folder_of_another_version_is_refused(ace_folder, tmp_path, lines):
    def refused(folder, why):
        game = make_game("acebench/agent_multi_step", interpreter=sys.executable, folder=str(folder))
        with pytest.raises(ConfigError, match=why):
            game.make_task(0)

    refused(tmp_path, "is no checkout of ACEBench")
    lines(ace_folder / "data_all/data_en/data_agent_multi_step.json", {"id": "x", "question": ""})
    refused(ace_folder, "entries without function: the folder is of another version")
    (ace_folder / "data_all/data_en/data_agent_multi_step.json").unlink()
    refused(ace_folder, "there is no file")
