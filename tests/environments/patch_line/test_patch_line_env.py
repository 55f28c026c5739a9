from __future__ import annotations

import dataclasses
import json
import random
import re
from typing import Any

import pytest

import agentgym
from agentgym.action import parse_tool_calls
from agentgym.errors import ConfigError, TaskError
from agentgym.message import content_text, user
from agentgym.outcome import Outcome
from agentgym.task import Limits, Task
from agentgym.testing.episodes import play_script
from agentgym_swe.patch_line.env import HIDDEN_FAIL, KEPT, RIGHT, TAKEN_BACK, PatchLineEnv
from agentgym_swe.patch_line.grammar import draw_draft
from agentgym_swe.patch_line.language import SIGNS, linked, marked
from agentgym_swe.patch_line.scripts import SCRIPTS, Checker, Demonstrator, differences, hint, right_lines

FIRST_CHECKS = "2: @1 p #1 p @2 0 #2 0\n4: @3 x #3 x @4 > #4 > @5 n #5 n\n5: @6 p #6 p @7 p #7 p @8 + #8 -"
LINES = [
    "def f(a, n):", "    p = 0", "    for x in a:", "        if x > n:", "            p = p - x", "    if p < 4:",
    "        return 5", "    return p",
]  # fmt: skip
TASK = Task(
    "t", 1, "p starts at 0. For each x: if x is more than n, p gains x. If p is less than 4, return 4. Return p.",
    config={"lines": LINES}, limits=Limits(max_turns=3),
    private={"fixes": [[5, "-", "+"], [7, "5", "4"]], "kinds": ["arithmetic", "start"]},
)  # fmt: skip


def fix(line: int, old: object, new: object) -> str:
    return json.dumps({"name": "fix", "arguments": {"line": line, "old": old, "new": new}})


def told(step: tuple[Any, ...]) -> str:
    return content_text(step[4]["messages"][-1])


def test_two_right_fixes_are_kept_and_solve_the_task() -> None:
    env = PatchLineEnv()
    first, _ = env.reset(options={"task": TASK})
    assert first["text"].endswith("8:     return p")
    step = env.step(fix(5, "-", "+"))
    assert told(step).startswith(f"{KEPT} ")
    assert 0 < (env.progress() or 0) < 1
    step = env.step(fix(7, 5, 4))
    assert (told(step), step[1], step[4]["success"]) == (RIGHT, 1.0, True)
    assert env.progress() == 1.0


def test_a_wrong_fix_is_taken_back_and_told_by_a_call() -> None:
    env = PatchLineEnv()
    env.reset(options={"task": TASK})
    before = env.anchor()
    step = env.step(fix(4, ">", "<"))
    assert told(step).startswith(f"{TAKEN_BACK} ")
    assert ") gave " in told(step)
    assert env.anchor() == before


def test_without_test_output_only_the_verdict_is_told() -> None:
    env = PatchLineEnv(feedback="verdict")
    env.reset(options={"task": TASK})
    assert told(env.step(fix(4, ">", "<"))) == TAKEN_BACK
    assert told(env.step(fix(5, "-", "+"))) == KEPT


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (fix(9, "p", "q"), "no line 9"),
        (fix(5, "p", "q"), "stands 2 times"),
        (fix(5, "-", "**"), "no token"),
        (fix(5, "-", "+ q"), "no token"),
        (fix(5, "-", "-"), "the same"),
        (fix(8, "p", "+"), "cannot be read"),
        (fix(1, "n", "9"), "cannot be read"),
    ],
)
def test_impossible_fixes_are_explained_and_change_nothing(action: str, reason: str) -> None:
    env = PatchLineEnv()
    env.reset(options={"task": TASK})
    before = env.anchor()
    step = env.step(action)
    assert reason in told(step)
    assert env.anchor() == before


def test_an_error_of_the_program_is_told_by_its_name() -> None:
    env = PatchLineEnv()
    env.reset(options={"task": TASK})
    assert "NameError" in told(env.step(fix(4, "n", "q")))
    assert "TypeError" in told(env.step(fix(4, "n", "a")))


def test_three_tries_end_the_episode_and_one_message_is_one_try() -> None:
    env = PatchLineEnv()
    env.reset(options={"task": TASK})
    both = f"<tool_call>{fix(5, '-', '+')}</tool_call><tool_call>{fix(7, 5, 4)}</tool_call>"
    assert not env.step(both)[2]
    env.step(fix(1, "x", "y"))
    step = env.step(fix(1, "x", "y"))
    assert step[3]
    assert step[4]["outcome"] == Outcome("truncated", "turns")


def test_parts_are_rewarded_by_their_weight_and_passing_telescopes() -> None:
    env = PatchLineEnv(parts_weight=0.1)
    env.reset(options={"task": TASK})
    reward = env.step(fix(4, ">", "<"))[1]
    assert reward == pytest.approx(0.1)  # it applies, in a line without a mistake
    start = env.progress()
    events = [*env.step(fix(5, "-", "+"))[4]["reward_events"], *env.step(fix(7, 5, 4))[4]["reward_events"]]
    gained = sum(event.value for event in events if event.component == "passing")
    assert start is not None
    assert gained == pytest.approx(1 - start)
    assert sum(event.component == "line" for event in events) == 2


def test_a_fork_goes_on_alone() -> None:
    env = PatchLineEnv()
    env.reset(options={"task": TASK})
    twin = env.fork()
    twin.step(fix(5, "-", "+"))
    assert told(env.step(fix(5, "-", "+"))).startswith(KEPT)
    assert env.anchor() == twin.anchor()


def test_only_a_hidden_test_that_fails_is_said_so() -> None:
    env = PatchLineEnv()
    told_hidden = False
    for seed in range(40):
        env.reset(seed=seed)
        for new in range(21):
            assert env.task is not None
            line, old, _ = env.task.private["fixes"][0]
            twin = env.fork()
            told_hidden |= HIDDEN_FAIL in told(twin.step(fix(line, old, new)))
        if told_hidden:
            return
    pytest.fail("no fix passed the shown tests alone")


@pytest.mark.parametrize(
    ("config", "private"),
    [
        ({}, TASK.private),
        ({"lines": LINES}, {}),
        ({"lines": LINES}, {"fixes": [[5, "+", "-"]]}),
        ({"lines": LINES}, {"fixes": [[5]]}),
        ({"lines": ["import os"]}, {"fixes": [[1, "os", "x"]]}),
        ({"lines": [*LINES[:-1], "    return p()"]}, TASK.private),
    ],
)
def test_tasks_of_another_form_are_refused(config: dict[str, Any], private: dict[str, Any]) -> None:
    with pytest.raises(TaskError, match="PatchLine"):
        PatchLineEnv().reset(options={"task": Task("x", 1, config=config, private=private)})


@pytest.mark.parametrize(
    "options",
    [{"level": 4}, {"mistakes": 3}, {"feedback": "all"}, {"places": True}, {"places": "all"}, {"parts_weight": -1.0}],
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        agentgym.make("agentgym/PatchLine-v0", **options)


def test_the_demonstrator_slips_and_the_oracle_does_not() -> None:
    env = PatchLineEnv()
    tasks = [env.make_task(seed) for seed in range(20)]
    assert all(play_script(env, task, SCRIPTS["oracle"](task, 0)).success for task in tasks)
    assert all(play_script(env, task, SCRIPTS["checker"](task, 0)).success for task in tasks)
    assert not all(play_script(env, task, Demonstrator(task, 0, 0.2)).success for task in tasks)


def test_the_checker_goes_through_the_places_as_far_as_the_mistake() -> None:
    checker = Checker(TASK, 0)
    first = parse_tool_calls(checker.act([]), PatchLineEnv.tools)
    assert first.reasoning == FIRST_CHECKS
    assert first.tool_calls[0].arguments == {"line": 5, "old": "-", "new": "+"}
    second = checker.act([user(f"{KEPT} 2 of 6 pass.")])
    assert "@8 + #8 + @9 x #9 x\n6: @10 p #10 p @11 < #11 < @12 4 #12 4\n7: @13 4 #13 5</think>" in second


def test_a_hasty_checker_finds_the_place_and_puts_in_any_token() -> None:
    said = [parse_tool_calls(Checker(TASK, seed, 0.0).act([]), PatchLineEnv.tools) for seed in range(30)]
    assert {each.reasoning for each in said} == {FIRST_CHECKS}
    assert {(each.tool_calls[0].arguments["line"], each.tool_calls[0].arguments["old"]) for each in said} == {(5, "-")}
    puts = [each.tool_calls[0].arguments["new"] for each in said]
    assert not {"+", "-"} & set(puts)
    assert len(set(puts)) > 10
    hasty = SCRIPTS["hasty"](TASK, 0)
    assert FIRST_CHECKS in hasty.act([])
    assert "<think>" not in hasty.act([user(f"{TAKEN_BACK} 2 of 6 pass.")]), "it checks once"
    assert '"new": "+"' not in "".join(Checker(TASK, seed, 0.0).act([]) for seed in range(30))


def test_a_hasty_player_is_right_in_one_of_five_first_tries_and_in_none_later() -> None:
    said = [SCRIPTS["hasty"](TASK, seed) for seed in range(200)]
    first = [parse_tool_calls(each.act([]), PatchLineEnv.tools).tool_calls[0].arguments["new"] for each in said]
    assert 20 < first.count("+") < 60
    later = [each.act([user(f"{TAKEN_BACK} 2 of 6 pass.")]) for each in said]
    assert not any('"new": "+"' in each for each in later)


def test_each_token_is_shown_with_its_place_where_places_are_wanted() -> None:
    env = PatchLineEnv(places="program")
    observation, _ = env.reset(options={"task": TASK})
    program = observation["text"].splitlines()[1:]
    assert program[:4] == [
        "1: def f(a, n):",
        "2:     #1 p = #2 0",
        "3:     for x in a:",
        "4:         if #3 x #4 > #5 n:",
    ]
    assert told(env.step(fix(5, "-", "+"))).startswith(f"{KEPT} ")  # a fix names the token without its place


@pytest.mark.parametrize("num_stages", [1, 2, 3])
def test_each_word_of_a_statement_is_shown_with_the_place_of_the_token_it_means(num_stages: int) -> None:
    for seed in range(200):
        draft = draw_draft(random.Random(seed), num_stages, lambda stage: True)
        words = "|".join([*SIGNS, "and", "or", "[a-z]", "[0-9]+"])
        said = re.findall(rf"@([0-9]+) ({words})", linked(draft.text, draft.lines))
        stands = dict(re.findall(r"#([0-9]+) ([^ :\n]+)", "\n".join(marked(draft.lines))))
        assert all(SIGNS.get(word, word) == stands[place] for place, word in said)
        # Only the second name of a sum in `p = p + x` is not said.
        assert {stands[place] for place in stands.keys() - {place for place, _ in said}} <= set("pqr")
        assert len(said) == len({place for place, _ in said}) >= len(stands) - num_stages * 2


def test_the_statement_is_shown_with_places_where_it_is_wanted() -> None:
    env = PatchLineEnv(places="both")
    observation, _ = env.reset(options={"task": TASK})
    statement, _, _ = observation["text"].partition("\n")
    assert statement == (
        "@1 p starts at @2 0. For each x: if @3 x is @4 more than @5 n, @6 p @8 gains @9 x. "
        "If @10 p is @11 less than @12 4, return @13 4. Return @14 p."
    )


@pytest.mark.parametrize(
    "statement", ["Return p.", "p starts at 0. For each x: p gains x. Return p.", f"{TASK.instruction} Return p.", ""]
)
def test_a_statement_that_does_not_fit_its_program_cannot_be_shown_with_places(statement: str) -> None:
    task = dataclasses.replace(TASK, instruction=statement)
    with pytest.raises(TaskError, match="places='both'"):
        PatchLineEnv(places="both").reset(options={"task": task})


def test_advice_names_the_places_and_no_right_token() -> None:
    assert hint(TASK) == "Line 5 is wrong at -. Line 7 is wrong at 5."
    assert differences(LINES, right_lines(TASK)) == [(5, "-", "+"), (7, "5", "4")]
