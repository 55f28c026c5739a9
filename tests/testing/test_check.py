"""The own environments and suites pass every check; each check fails on an environment with that one fault."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import itertools
import os
import random
import subprocess
import sys
import threading

import numpy as np
import pytest

import agentgym
from agentgym.authoring.players import saying
from agentgym.env import EnvReply
from agentgym.errors import ActionSyntaxError, ConfigError, ContractError, UnknownNameError
from agentgym.message import user
from agentgym.registration import registry
from agentgym.task import Limits
from agentgym.testing import ENV_CHECKS, bookkeeping, check_env, repeatability
from agentgym.testing.subject import EnvSubject
from agentgym.testing.vectors import HEAVY_MODULES
from tests.testing.contracts import COSTLY, declare_costly
from tests.toys.env import MOVES, SCRIPTS, ToyEnv, toy_task
from tests.toys.game import write_suite

# Environments that work in a sandbox or a browser are checked beside them; those of other packages beside what adapts
# them.
LOCAL = [spec for spec in agentgym.specs() if "local" in spec.runtimes and spec.family != "web"]
OWN = [spec.id for spec in LOCAL if spec.id.startswith("agentgym/") and not spec.adapts]
ONE_TURN = ("agentgym/Grounding-v0",)
"""Environments whose episodes have one turn, and so no progress."""
PARENT = os.getpid()


@pytest.mark.slow  # all of them together
@pytest.mark.parametrize("env_id", OWN)
def test_check_env_passes_registered_environments(env_id, monkeypatch):
    declare_costly(monkeypatch, env_id, only=COSTLY)
    report = check_env(env_id, only=[name for name in ENV_CHECKS if name != "light_import"])
    report.raise_if_failed()
    assert len(report.results) == len(ENV_CHECKS) - 1
    # Games of several roles need not tell how far one of them has come; few environments can list what may be said.
    skipped = {result.name for result in report.results if result.status == "skipped"}
    known = agentgym.spec(env_id)
    # What needs an extra may import it; a game against an engine hides nothing; partners may need several turns; what
    # has measures of its own, such as a recorded trace, has no progress.
    may_be = {"progress", "limits"} if known.roles else {"secrecy"} if known.extra else set()
    may_be |= {"progress"} if known.measures or env_id in ONE_TURN else set()
    assert skipped <= {"legal_actions", *(may_be if known.difficulty else {*may_be, "difficulty"})}


def test_playing_own_environments_imports_no_heavy_library():
    """All of them in one process, in place of the check of each in a process of its own."""
    names = [spec.id for spec in LOCAL if spec.id in OWN and not spec.extra]
    program = (
        f"import sys\nsys.path[:0] = {sys.path!r}\nimport agentgym\n"
        f"for name in {names!r}:\n"
        "    env = agentgym.make(name)\n    env.reset(seed=0)\n    env.step('')\n    env.close()\n"
        f"    heavy = [each for each in {HEAVY_MODULES!r} if each in sys.modules]\n"
        "    assert not heavy, (name, heavy)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=280, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert len(names) > 30


def test_check_env_passes_a_factory():
    report = check_env(ToyEnv, scripts=SCRIPTS)
    report.raise_if_failed()
    assert [result.name for result in report.results if result.status == "skipped"] == ["light_import", "difficulty"]


def test_check_env_skips_what_an_environment_does_not_offer():
    class Plain(ToyEnv):
        deterministic = False

        def anchor(self):
            return None

        def progress(self):
            return None

        def legal_actions(self):
            return None

        def fork(self, seed=None):
            raise NotImplementedError

    report = check_env(Plain)
    skipped = {result.name for result in report.results if result.status == "skipped"}
    assert report.passed
    assert skipped == {
        *("seeds", "replay", "concurrency", "anchors", "forks", "progress", "legal_actions"),
        *("oracle", "cheats", "light_import", "difficulty"),
    }


# One planted fault a check.


class WrongSpace(ToyEnv):
    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed, options=options)
        return {"text": observation["text"].encode()}, info


class Endless(ToyEnv):
    def make_task(self, seed):
        return agentgym.Task(f"toy:{seed}", seed, config={"goal": 2}, private={"password": ""}, limits=Limits(None))

    def respond(self, action):
        return EnvReply([user("go on")])


class OneProcess(ToyEnv):
    def begin(self, task):
        if os.getpid() != PARENT:
            raise ConfigError("not in this process")
        return super().begin(task)


class GlobalRandomness(ToyEnv):
    def respond(self, action):
        return super().respond(action)._replace(messages=[user(f"noise {random.random()}")])


class Leftovers(ToyEnv):
    episodes = 0

    def begin(self, task):
        self.episodes += 1
        return [*super().begin(task), user(f"episode {self.episodes}")]


class SharedState(ToyEnv):
    board = {"position": 0}

    @property
    def position(self):
        return self.board["position"]

    @position.setter
    def position(self, value):
        self.board["position"] = value


class CoarseAnchor(ToyEnv):
    def anchor(self):
        return str(self.turn)


class Timeless(ToyEnv):
    """Two ways to a state, of which the limit of turns cuts one sooner; nothing else remembers the turn."""

    def make_task(self, seed):
        return dataclasses.replace(super().make_task(seed), limits=Limits(max_turns=4))

    def respond(self, action):
        reply = super().respond(action)
        return reply if reply.terminated else reply._replace(messages=[user(f"at {self.position}")])

    def anchor(self):
        return f"{self.position} {self.num_invalid}"


class Walled(Timeless):
    """Walls beside the start: a second step in one direction changes nothing."""

    def respond(self, action):
        reply = super().respond(action)
        self.position = max(-1, min(1, self.position))
        return reply._replace(messages=[user(f"at {self.position}")])


class Counting(Walled):
    def anchor(self):
        return f"{super().anchor()} {self.turn}"


class CountingByRule(Counting):
    """The turn matters: after the third step nothing moves."""

    def respond(self, action):
        reply = super().respond(action)
        return reply if self.turn < 3 else reply._replace(messages=[user("It is night.")])


class ShallowFork(ToyEnv):
    def begin(self, task):
        self.log = []
        return super().begin(task)

    def respond(self, action):
        reply = super().respond(action)
        self.log.append(action.text)
        return reply if reply.terminated else reply._replace(messages=[user(f"move {len(self.log)}")])

    def anchor(self):
        return None

    def fork(self, seed=None):
        twin = copy.copy(self)
        twin._cancelled = threading.Event()
        return twin


class ForkOfItself(ToyEnv):
    def fork(self, seed=None):
        return self


class Generous(ToyEnv):
    def step(self, action):
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward + 0.01, terminated, truncated, info


class LateEvents(ToyEnv):
    def event(self, component, value, **details):
        return super().event(component, value, **details)._replace(issued_at=self.turn + 1)


class NotJson(ToyEnv):
    def respond(self, action):
        return super().respond(action)._replace(messages=[{**user("ok"), "seen": ("a", "b")}])


class OtherText(ToyEnv):
    def observe(self, messages, image):
        return {"text": super().observe(messages, image)["text"] + "!"}


class Jackpot(ToyEnv):
    def event(self, component, value, **details):
        return super().event(component, 5 * value, **details)


class Contradictory(ToyEnv):
    def respond(self, action):
        return super().respond(action)._replace(score=0.0)


class Undead(ToyEnv):
    def step(self, action):
        stepped = super().step(action)
        self.books.phase = "running"
        return stepped


class Limitless(ToyEnv):
    def outcome_after(self, reply, is_invalid):
        return agentgym.Outcome("terminated") if reply.terminated else None


class OverfullProgress(ToyEnv):
    def progress(self):
        return abs(self.position) * 0.75


class Ungraded(ToyEnv):
    def finalize(self, reason):
        self.books.phase = "ended"
        return 0.0, {"reward_events": (), "outcome": agentgym.Outcome("truncated", "turns"), "success": None}


class Overpromising(ToyEnv):
    def legal_actions(self):
        return ("up", "down", "fly")


class AtALoss(ToyEnv):
    def legal_actions(self):
        return () if self.turn else ("up", "down")


class Uninterruptible(ToyEnv):
    def interrupt(self):
        pass


class Credulous(ToyEnv):
    def respond(self, action):
        if "won" in action.content:
            return EnvReply([user("there")], [self.event("success", 1.0)], True, True)
        return super().respond(action)


class Fragile(ToyEnv):
    def respond(self, action):
        if action.content:
            MOVES[action.content]
        return super().respond(action)


class OpenSecret(ToyEnv):
    def make_task(self, seed):
        task = super().make_task(seed)
        word = f"sesame{seed}"
        return dataclasses.replace(task, instruction=f"The password is {word}.", private={"password": word})


class Talkative(ToyEnv):
    def respond(self, action):
        if action.content not in MOVES:
            raise ActionSyntaxError(f"You lack the password {self.password}.")
        return super().respond(action)


FAULTS = [
    ("gymnasium", WrongSpace),
    ("sync_vector", Endless),
    ("async_vector", OneProcess),
    ("seeds", GlobalRandomness),
    ("replay", Leftovers),
    ("concurrency", SharedState),
    ("anchors", CoarseAnchor),
    ("forks", ShallowFork),
    ("forks", ForkOfItself),
    ("rewards", Generous),
    ("rewards", LateEvents),
    ("rewards", Jackpot),
    ("json", NotJson),
    ("messages", OtherText),
    ("ends", Undead),
    ("ends", Contradictory),
    ("limits", Limitless),
    ("progress", OverfullProgress),
    ("legal_actions", Overpromising),
    ("legal_actions", AtALoss),
    ("finalize", Ungraded),
    ("interrupt", Uninterruptible),
    ("cheats", Credulous),
    ("hostile_actions", Fragile),
    ("secrecy", Talkative),
    ("secrecy", OpenSecret),
]


@pytest.mark.parametrize(("check", "faulty"), FAULTS, ids=[f"{check}-{env.__name__}" for check, env in FAULTS])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_check_env_finds_a_planted_fault(check, faulty):
    report = check_env(faulty, scripts=SCRIPTS, only=[check])
    assert [failure.name for failure in report.failures] == [check]
    with pytest.raises(ContractError, match=check):
        report.raise_if_failed()


def test_check_env_asks_no_anchor_to_tell_turns_apart():
    check_env(Timeless, scripts=SCRIPTS, only=["anchors"]).raise_if_failed()


def anchors_of(env):
    return check_env(env, tasks=[toy_task("toy:far", 3)], scripts=SCRIPTS, only=["anchors"]).results[0]


def test_check_env_notes_an_anchor_that_counts_turns_for_nothing():
    result = anchors_of(Counting)
    assert result.status == "passed"
    assert "'down' once and twice is answered alike" in result.detail
    assert "the anchors are '-1 0 1' and '-1 0 2': leave the turn" in result.detail


@pytest.mark.parametrize("env", [ToyEnv, Timeless, Walled, CountingByRule])
def test_check_env_notes_nothing_of_other_anchors(env):
    result = anchors_of(env)
    assert (result.status, result.detail) == ("passed", "")


def test_check_env_finds_an_oracle_that_fails():
    report = check_env(ToyEnv, scripts={**SCRIPTS, "oracle": SCRIPTS["null"]}, only=["oracle"])
    assert "oracle does not solve" in report.failures[0].detail


def test_check_env_finds_a_null_script_that_succeeds():
    report = check_env(ToyEnv, scripts={**SCRIPTS, "null": SCRIPTS["oracle"]}, only=["oracle"])
    assert "null script solves" in report.failures[0].detail


def test_check_env_finds_a_missing_script():
    report = check_env(ToyEnv, scripts={"oracle": SCRIPTS["oracle"]}, only=["oracle"])
    assert "['null', 'random'] are missing" in report.failures[0].detail


@pytest.mark.parametrize("limits", [Limits(max_turns=8), Limits(max_seconds=60)])
def test_check_env_finds_a_task_that_nothing_ends(limits):
    scripts = {"oracle": SCRIPTS["oracle"], "null": saying("up"), "random": saying("up", "down")}
    far, near = (toy_task(f"toy:{goal}", goal, limits=Limits()) for goal in (-3, 1))
    [failure] = check_env(ToyEnv, tasks=[far], scripts=scripts, only=["limits"]).failures
    assert failure.detail == (
        "task 'toy:-3' has no limit of turns, and an episode of null goes on after 200 of them; give the task "
        "limits=Limits(max_turns=...)"
    )
    ending = [near, dataclasses.replace(far, limits=limits)]
    check_env(ToyEnv, tasks=ending, scripts=scripts, only=["limits"]).raise_if_failed()


@pytest.mark.parametrize("file", ["suite.toml", "test.jsonl"])
def test_check_env_plays_tasks_of_seeds_where_a_suite_is_broken(file, tmp_path, monkeypatch):
    monkeypatch.setattr(agentgym.suite, "_extra_roots", [])
    (write_suite(tmp_path, "broken").folder / file).write_text("{\n")
    agentgym.suite.register_suites(tmp_path)
    spec = agentgym.EnvSpec(
        "test/Broken-v0", "tests.toys.env:ToyEnv", "tests.toys.env:SCRIPTS", "test", ("test/broken",)
    )
    monkeypatch.setitem(registry._specs, spec.id, spec)
    monkeypatch.setattr("agentgym.testing.subject.make", lambda *_, **given: ToyEnv())
    unread, ends = check_env(spec.id, only=["ends"]).results
    assert (unread.name, unread.status, ends.name, ends.status) == ("suites", "failed", "ends", "passed")
    assert file in unread.detail
    agentgym.suite._folders.cache_clear()
    agentgym.suite.load_suite.cache_clear()


def test_check_env_says_what_cannot_be_written_as_json():
    class Numpyish(ToyEnv):
        def respond(self, action):
            event = self.event("success", 1.0, detail={"distance": np.float32(2.0)})
            return EnvReply([user("there")], [event], True, success=True)

    detail = check_env(Numpyish, scripts=SCRIPTS, only=["json"]).failures[0].detail
    assert "task 'toy:0': RewardEvent(" in detail
    assert "cannot be written as JSON: Object of type float32 is not JSON serializable. Make it of text" in detail


def test_check_env_finds_a_step_that_hangs(monkeypatch):
    released = threading.Event()

    class Hanging(ToyEnv):
        def respond(self, action):
            return released.wait(60) and super().respond(action)

    monkeypatch.setattr(bookkeeping, "GIVES_UP_WITHIN_S", 0.1)
    report = check_env(Hanging, tasks=[ToyEnv().make_task(0)], only=["interrupt"])
    released.set()
    assert "went on for" in report.failures[0].detail


def test_check_env_finds_an_import_of_a_heavy_library(tmp_path, monkeypatch):
    (tmp_path / "playwright.py").write_text("")
    (tmp_path / "heavy_toy.py").write_text("import playwright\nfrom tests.toys.env import ToyEnv\n")
    monkeypatch.syspath_prepend(tmp_path)
    spec = agentgym.EnvSpec("test/Heavy-v0", "heavy_toy:ToyEnv", "tests.toys.env:SCRIPTS", "test")
    monkeypatch.setitem(registry._specs, spec.id, spec)
    report = check_env(spec.id, tasks=[ToyEnv().make_task(0)], only=["light_import"])
    assert "playwright" in report.failures[0].detail


def test_check_env_reports_what_a_broken_environment_raises():
    class Crashing(ToyEnv):
        def begin(self, task):
            raise KeyError("map")

    report = check_env(Crashing, only=["seeds"])
    line = Crashing.begin.__code__.co_firstlineno + 1
    assert report.failures[0].detail == f"raised KeyError: 'map' ({__file__}, line {line}, in begin)"


@pytest.mark.parametrize("method", ["begin", "make_task"])
def test_check_env_reports_an_environment_that_exits(method, monkeypatch):
    def leave(self, given):
        sys.exit(3)

    monkeypatch.setattr(ToyEnv, method, leave)
    report = check_env(ToyEnv, only=["seeds"])
    line = leave.__code__.co_firstlineno + 1
    assert report.failures[0].detail == f"raised SystemExit: 3 ({__file__}, line {line}, in leave)"


def test_check_env_reports_an_environment_that_makes_no_task():
    class Taskless(ToyEnv):
        def make_task(self, seed):
            return {}[seed]

    report = check_env(Taskless)
    assert [(result.name, result.status) for result in report.results] == [("load", "failed")]
    assert "raised KeyError: 0" in report.results[0].detail


def test_check_env_reports_a_suite_that_there_is_not(monkeypatch):
    spec = agentgym.EnvSpec("test/Toy-v0", "tests.toys.env:ToyEnv", "tests.toys.env:SCRIPTS", "test", ("tools/lokup",))
    monkeypatch.setitem(registry._specs, spec.id, spec)
    monkeypatch.setattr("agentgym.testing.subject.make", lambda *_, **given: ToyEnv())
    found = check_env(spec.id).failures[0].detail
    assert "the spec of 'test/Toy-v0' names suites=['tools/lokup']: unknown suite 'tools/lokup'" in found


def test_check_env_wants_what_makes_environments():
    with pytest.raises(ConfigError, match=r"check_env\(lambda: ToyEnv\(...\)\)"):
        check_env(ToyEnv())


def test_check_env_says_what_the_oracle_was_told():
    class Deaf(ToyEnv):
        def respond(self, action):
            raise ActionSyntaxError("There is no such move. Did you mean upp?")

    found = check_env(Deaf, scripts=SCRIPTS, only=["oracle"]).failures[0].detail
    assert "was last told 'There is no such move. Did you mean upp?', and ended as invalid with success False" in found


def test_check_env_tells_of_each_check_that_starts():
    started = []
    check_env(ToyEnv, only=["seeds", "progress"], on_start=started.append)
    assert started == ["seeds", "progress"]


def test_check_env_names_the_remedy_of_randomness_of_its_own():
    assert "draw from self.rng" in check_env(GlobalRandomness, scripts=SCRIPTS, only=["seeds"]).failures[0].detail


def test_check_env_finds_no_warnings_and_one_line_where_a_fresh_process_fails(tmp_path, monkeypatch, recwarn):
    (tmp_path / "mute_toy.py").write_text(
        "from tests.toys.env import *\nclass MuteEnv(ToyEnv):\n    def begin(self, task): pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    spec = agentgym.EnvSpec("test/Mute-v0", "mute_toy:MuteEnv", "tests.toys.env:SCRIPTS", "test")
    monkeypatch.setitem(registry._specs, spec.id, spec)
    monkeypatch.setattr(
        "agentgym.testing.subject.make", lambda *_, **given: importlib.import_module("mute_toy").MuteEnv()
    )
    report = check_env(spec.id, tasks=[ToyEnv().make_task(0)], only=["async_vector", "light_import"])
    wanted = f"MuteEnv.begin() ({tmp_path}/mute_toy.py, line 3) returned None, expected a list of messages"
    assert [wanted in failure.detail for failure in report.failures] == [True, True]
    assert report.failures[1].detail.startswith(
        "playing test/Mute-v0 in a fresh process fails: agentgym.errors.Contract"
    )
    assert not recwarn.list


def test_check_env_refuses_unknown_names():
    with pytest.raises(UnknownNameError, match="did you mean agentgym/Wordle-v0"):
        check_env("agentgym/Wordel-v0")
    with pytest.raises(UnknownNameError, match="did you mean rewards"):
        check_env(ToyEnv, only=["reward"])
    with pytest.raises(ConfigError, match="empty list of tasks"):
        check_env(ToyEnv, tasks=[])


def test_report_goes_to_json_and_text():
    report = check_env(ToyEnv, only=["seeds", "progress"])
    assert report.to_json()["passed"] is True
    assert [result["status"] for result in report.to_json()["results"]] == ["passed", "passed"]
    assert str(report).splitlines()[1] == "passed  seeds"


def test_image_differences_are_found():
    class Camera(ToyEnv):
        frames = itertools.count()

        def respond(self, action):
            reply = super().respond(action)
            return reply._replace(image=np.full((2, 2, 3), next(self.frames) % 256, np.uint8))

    report = check_env(Camera, scripts=SCRIPTS, only=["replay"])
    assert "image_hash" in report.failures[0].detail


def find_traces(env, tasks):
    if env.unwrapped.task_text == "leak":
        raise ContractError("the original lies open")
    return f"{len(tasks)} tasks, no trace"


OWN_CHECKS = {"traces": find_traces}


@pytest.mark.parametrize(("text", "status"), [("leak", "failed"), ("", "passed")])
def test_a_spec_brings_checks_of_its_own(text, status, monkeypatch):
    names = {"scripts": "tests.toys.env:SCRIPTS", "checks": f"{__name__}:OWN_CHECKS"}
    spec = agentgym.EnvSpec("test/Leaky-v0", "tests.toys.env:ToyEnv", family="test", **names)
    monkeypatch.setitem(registry._specs, spec.id, spec)
    monkeypatch.setattr(ToyEnv, "task_text", text, raising=False)
    monkeypatch.setattr("agentgym.testing.subject.make", lambda *_, **given: ToyEnv())
    [result] = check_env(spec.id, tasks=[ToyEnv().make_task(0)], only=["traces"]).results
    assert (result.status, result.detail) == (status, "the original lies open" if text else "1 tasks, no trace")


def test_checks_of_a_costly_environment_play_fewer_episodes(monkeypatch):
    started = []
    play = ToyEnv.begin
    monkeypatch.setattr(ToyEnv, "begin", lambda env, task: started.append(task) or play(env, task))
    counts = []
    for is_costly in (False, True):
        started.clear()
        subject = EnvSubject("toy", ToyEnv, [toy_task("one", 2)], SCRIPTS, is_costly=is_costly)
        repeatability.check_anchors(subject)
        repeatability.check_forks(subject)
        counts.append(len(started))
    assert counts[1] < counts[0] / 4


def test_every_check_is_shown_to_fail():
    shown = {check for check, _ in FAULTS} | {"oracle", "light_import", "difficulty"}  # the last in test_difficulty
    assert shown == set(ENV_CHECKS)
