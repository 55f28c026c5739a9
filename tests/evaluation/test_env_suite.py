import dataclasses
import importlib
import inspect

import pytest

import agentgym
from agentgym.cli.main import main
from agentgym.errors import AgentGymError, ConfigError, UnknownNameError
from agentgym.evaluation import suite_named
from agentgym.registration import specs
from agentgym_gui.desktop.view import View

GUESS = "agentgym/GuessNumber-v0"


def test_tasks_of_an_environment_are_a_test_split():
    suite = suite_named(GUESS, {"max_numbers": 8}, 3)
    assert (suite.name, suite.env, suite.env_options) == (f"{GUESS} (max_numbers=8)", GUESS, {"max_numbers": 8})
    assert not suite.is_held_out
    assert [(task.seed, task.suite, task.split) for task in suite.tasks("test")] == [
        (n, GUESS, "test") for n in range(3)
    ]
    with pytest.raises(ConfigError, match="are a test split: got 'train'"):
        suite.tasks("train")


def test_environment_without_end_needs_a_number():
    with pytest.raises(ConfigError, match=r"without end; say how many to play: --limit"):
        suite_named(GUESS, {}, None)


def test_environment_with_an_end_makes_all_its_tasks_once():
    ids = [task.id for task in suite_named("agentgym/WebTrace-v0", {}, None).tasks("test")]
    assert ids == ["trace:table", "trace:opening", "trace:search"]
    assert len(suite_named("agentgym/WebTrace-v0", {}, 2).tasks("test")) == 2
    assert len(suite_named("agentgym/WebTrace-v0", {}, 9).tasks("test")) == 3


def test_suite_has_its_own_options_and_unknown_names_are_refused():
    assert suite_named("dialogue/guess-number", {}, None).name == "dialogue/guess-number"
    with pytest.raises(ConfigError, match="max_numbers cannot be given with the suite"):
        suite_named("dialogue/guess-number", {"max_numbers": 8}, None)
    with pytest.raises(UnknownNameError, match="did you mean dialogue/guess-number"):
        suite_named("dialogue/guess-numbr", {}, None)


def test_suite_takes_options_of_how_messages_are_written_and_its_name_says_so():
    plain, opted = suite_named("swe/repair", {}, None), suite_named("swe/repair", {"use": "blocks"}, None)
    assert (opted.name, opted.given_options) == ("swe/repair (use=blocks)", {"use": "blocks"})
    assert opted.env_options == {**plain.env_options, "use": "blocks"}
    assert opted.tasks("test") == plain.tasks("test")
    opted.require_disjoint()
    refused = "rewards cannot be given with the suite 'swe/repair'; of agentgym/Repair-v0 only use, visible_tests, "
    not_held_out = "to choose rewards, name the environment, whose tasks are drawn by seeds and not held out: "
    with pytest.raises(ConfigError, match=f"{refused}issue, relaxed can be given; {not_held_out}--suite agentgym/Rep"):
        suite_named("swe/repair", {"rewards": "gated"}, None)


IN_SANDBOXES = (
    "swe/terminal",
    "swe/experiment",
    "swe/tuning",
    "swe/repair",
    "tools/python",
    "tools/mcp",
    "gui/desktop",
)


@pytest.mark.parametrize("suite", IN_SANDBOXES)
def test_a_suite_is_evaluated_with_limits_that_may_go_unenforced(suite):
    plain, opted = suite_named(suite, {}, None), suite_named(suite, {"relaxed": ["cpus"]}, None)
    assert (opted.name, opted.given_options) == (f"{suite} (relaxed=['cpus'])", {"relaxed": ["cpus"]})
    assert opted.tasks("test") == plain.tasks("test")
    agentgym.make(opted.env, **opted.env_options).close()


def test_a_suite_without_sandboxes_has_no_limits_to_relax():
    with pytest.raises(UnknownNameError, match="has no option 'relaxed'"):
        suite_named("web/shop", {"relaxed": ["cpus"]}, None)


@pytest.mark.parametrize(
    ("suite", "given"),
    [
        ("swe/repair", {"visible_tests": "all", "use": "shell", "issue": "less"}),
        ("swe/experiment", {"mode": "menu"}),
        ("swe/tuning", {"mode": "menu", "source": "recorded"}),
        ("swe/tuning-recorded", {"source": "live", "mode": "free"}),
    ],
)
def test_a_software_suite_is_evaluated_with_other_tools_views_and_measurements(suite, given):
    plain, opted = suite_named(suite, {}, None), suite_named(suite, given, None)
    assert opted.env_options == {**plain.env_options, **given}
    assert all(f"{key}={value}" in opted.name for key, value in given.items())
    assert opted.tasks("test") == plain.tasks("test")
    agentgym.make(opted.env, **opted.env_options).close()


def test_a_web_suite_is_evaluated_with_what_a_model_sees():
    opted = suite_named("web/shop", {"marks": True, "tree": False}, None)
    assert opted.name == "web/shop (marks=True, tree=False)"
    assert opted.tasks("test") == suite_named("web/shop", {}, None).tasks("test")
    with pytest.raises(ConfigError, match="drawn by seeds and not held out: --suite agentgym/Shop-v0"):
        suite_named("web/shop", {"milestone_weight": 0.5}, None)


@pytest.mark.parametrize(
    ("suite", "given"),
    [
        ("gui/desktop", {"text": False, "picture": True, "grid": 1000, "actions": "uitars"}),
        ("gui/phone", {"picture": True, "marks": True, "scale": 0.5, "actions": "mobile_use"}),
        ("gui/traces", {"syntax": "pyautogui", "coordinates": "grid", "places": True}),
        ("gui/desktop-traces", {"instructions": True, "max_text": 4_000}),
    ],
)
def test_a_suite_of_interfaces_is_evaluated_with_what_a_model_sees_and_how_it_acts(suite, given):
    plain, opted = suite_named(suite, {}, None), suite_named(suite, given, None)
    assert opted.env_options == {**plain.env_options, **given}
    assert opted.tasks("test") == plain.tasks("test")
    agentgym.make(opted.env, **opted.env_options).close()


@pytest.mark.parametrize(
    ("suite", "given", "allowed"),
    [("gui/desktop", {"sandbox": "process"}, "text, picture, marks"), ("gui/traces", {"max_patches": 2}, "syntax")],
)
def test_a_suite_of_interfaces_takes_no_option_that_moves_its_score(suite, given, allowed):
    with pytest.raises(ConfigError, match=f"cannot be given with the suite '{suite}'; of .* only {allowed}"):
        suite_named(suite, given, None)


def test_the_view_of_a_desktop_is_all_options():
    for name in ("agentgym/Desktop-v0", "agentgym/PhoneDesktop-v0"):
        assert set(agentgym.spec(name).message_options) == {field.name for field in dataclasses.fields(View)}


@pytest.mark.parametrize(
    ("suite", "key", "said"),
    [
        ("web/shop", "mark", r"'agentgym/Shop-v0' has no option 'mark'; did you mean marks\?"),
        ("dialogue/guess-number", "max_numbrs", "did you mean max_numbers or"),
        ("web/shop", "browser", "browser cannot be given with the suite 'web/shop'; .*, set AGENTGYM_BROWSER$"),
        ("dialogue/taboo-animals", "role", "the suite 'dialogue/taboo-animals' sets role itself; to choose role, name"),
    ],
)
def test_a_suite_says_truly_why_it_takes_no_such_option(suite, key, said):
    with pytest.raises(AgentGymError, match=said) as raised:
        suite_named(suite, {key: "x"}, None)
    assert ("itself" in str(raised.value)) == ("itself" in said)


def test_message_options_of_web_environments_are_options():
    for each in specs("web"):
        module, _, name = each.entry_point.partition(":")
        if each.message_options:
            options = inspect.signature(getattr(importlib.import_module(module), name)).parameters
            assert set(each.message_options) <= set(options), each.id


def test_environment_is_played_with_its_options(capsys):
    arguments = ["--suite", GUESS, "--policy", "oracle", "--limit", "2", "--env-option", "max_numbers=8"]
    assert main(["eval", *arguments]) == 0
    assert "2 tasks x 1 attempt," in capsys.readouterr().out
    assert main(["eval", *arguments, "nonsense"]) == 2
    assert "--env-option 'nonsense' is not of the form" in capsys.readouterr().err
