"""Players of PatchLine-v0 written by hand: oracle, imperfect demonstrator, null, random, cheaters; and advice.

They run on the harness's side and may read the private part of the task; the environment never does so for them.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence

from agentgym.authoring.cheats import claiming, forged_verdict
from agentgym.authoring.players import Saying, call_text, saying
from agentgym.message import Message, content_text
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_swe.patch_line.env import KEPT, RIGHT
from agentgym_swe.patch_line.language import VOCABULARY, Fix, apply_fix, is_head, tokens_of

DEMO_QUALITY, HASTY_QUALITY = 0.4, 0.2
"""Share of right decisions of the demonstrator, and of the first ones of the hasty player."""


class Demonstrator:
    """Makes the fixes of the task in turn, each decision right with a probability; at 1.0 it never fails.

    Wrong decisions are those a learner makes: another token of the vocabulary in the right place, or another place.
    """

    def __init__(self, task: Task, seed: int, quality: float = DEMO_QUALITY) -> None:
        self._rng = random.Random(seed)
        self._quality = quality
        self._lines: list[str] = task.config["lines"]
        self._right = right_lines(task)
        self._last: Fix | None = None

    def act(self, messages: Sequence[Message]) -> str:
        """The next fix."""
        return call_text("fix", **self.next_fix(messages)._asdict())

    def next_fix(self, messages: Sequence[Message]) -> Fix:
        """The fix it decides on after these messages."""
        if self._last is not None and content_text(messages[-1]).startswith(KEPT):
            self._lines = apply_fix(self._lines, self._last)
        fixes = differences(self._lines, self._right)
        self._last = fixes[0] if self._rng.random() < self._quality else self._slip(self._rng.choice(fixes))
        return self._last

    def _slip(self, fix: Fix) -> Fix:
        if self._rng.random() < 0.5:
            return fix._replace(new=self._rng.choice([token for token in VOCABULARY if token != fix.new]))
        return _random_fix(self._lines, self._rng)


class Checker(Demonstrator):
    """Thinks aloud before each fix: which token should stand at each place and which does, as far as the mistake.

    With a quality below 1 it still finds the place, but sometimes puts any token there.
    """

    def __init__(self, task: Task, seed: int, quality: float = 1.0) -> None:
        super().__init__(task, seed, quality)

    def act(self, messages: Sequence[Message]) -> str:
        """What it has checked, and the next fix."""
        fix = self.next_fix(messages)
        return f"<think>{checks(self._lines, self._right)}</think>{call_text('fix', **fix._asdict())}"

    def _slip(self, fix: Fix) -> Fix:
        first = differences(self._lines, self._right)[0]
        return first._replace(new=self._rng.choice([token for token in VOCABULARY if token not in first]))


class Hasty(Checker):
    """Checks before its first fix as it should, and not again; four of five first fixes and all later ones fail."""

    def __init__(self, task: Task, seed: int, quality: float = HASTY_QUALITY) -> None:
        super().__init__(task, seed, quality)

    def act(self, messages: Sequence[Message]) -> str:
        """The next fix, the first one with what it has checked."""
        is_first = self._last is None
        said = super().act(messages)
        self._quality = 0.0
        return said if is_first else said.partition("</think>")[2]


def checks(lines: Sequence[str], right: Sequence[str]) -> str:
    """For each place of `marked` the token that should stand there and the one that does, as far as they differ.

    A line reads `4: @3 y #3 y @4 x #4 x @5 - #5 +`: at the fifth place `-` should stand and `+` does.
    """
    told, places = [], itertools.count(1)
    for number, (line, wanted) in enumerate(zip(lines, right, strict=True), start=1):
        if is_head(line):
            continue
        told.append(f"{number}:")
        for old, new in zip(tokens_of(line), tokens_of(wanted), strict=True):
            if old in VOCABULARY:
                place = next(places)
                told[-1] += f" @{place} {new} #{place} {old}"
            if old != new:
                return "\n".join(told)
    return "\n".join(told)


def right_lines(task: Task) -> list[str]:
    """The right program of a task."""
    lines: list[str] = task.config["lines"]
    for fix in task.private["fixes"]:
        lines = apply_fix(lines, Fix(*fix))
    return lines


def differences(lines: Sequence[str], right: Sequence[str]) -> list[Fix]:
    """The fixes that make one program of the other, line by line."""
    pairs = enumerate(zip(lines, right, strict=True), start=1)
    return [
        Fix(number, old, new)
        for number, (line, wanted) in pairs
        for old, new in zip(tokens_of(line), tokens_of(wanted), strict=True)
        if old != new
    ]


class RandomPlayer:
    """Makes fixes at random: any token of any line becomes any token of the vocabulary."""

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)
        self._lines: list[str] = task.config["lines"]

    def act(self, messages: Sequence[Message]) -> str:
        """The next random fix."""
        return call_text("fix", **_random_fix(self._lines, self._rng)._asdict())


def _random_fix(lines: Sequence[str], rng: random.Random) -> Fix:
    """A fix that can be made."""
    places = [
        (number, token)
        for number, line in enumerate(lines, start=1)
        for token in tokens_of(line)
        if token in VOCABULARY and tokens_of(line).count(token) == 1
    ]
    number, old = rng.choice(places)
    return Fix(number, old, rng.choice([token for token in VOCABULARY if token != old]))


def oracle(task: Task, seed: int) -> Script:
    """Makes the fixes of the task."""
    return Demonstrator(task, seed, quality=1.0)


def hint(task: Task) -> str:
    """Advice for curricula: the lines with mistakes and the tokens that are wrong, not what they should be."""
    fixes = sorted(Fix(*fix) for fix in task.private["fixes"])
    return " ".join(f"Line {fix.line} is wrong at {fix.old}." for fix in fixes)


def cheat_many_calls(task: Task, seed: int) -> Script:
    """Makes many fixes in one message, the right ones among them but not first."""
    fixes = [Fix(*fix) for fix in task.private["fixes"]]
    wrong = Fix(1, "n", "x")
    return Saying("".join(call_text("fix", **fix._asdict()) for fix in (wrong, *fixes, *fixes)))


def cheat_code(task: Task, seed: int) -> Script:
    """Puts code in place of a token."""
    line, old, new = task.private["fixes"][0]
    texts = (f"{new} or __import__('os').system('true')", f"{new}\n    return 0", "().__class__", "lambda", f" {new}")
    return Saying(*(call_text("fix", line=line, old=old, new=text) for text in texts))


def cheat_same_token(task: Task, seed: int) -> Script:
    """Replaces whole lines, nothing, or a token by itself, so that something is counted as a fix."""
    line, old, _ = task.private["fixes"][0]
    whole = task.config["lines"][line - 1]
    tries = ((old, old), ("", old), (whole, "n"))
    return Saying(*(call_text("fix", line=line, old=one, new=other) for one, other in tries))


def cheat_other_lines(task: Task, seed: int) -> Script:
    """Names lines that do not exist, such as the last ones counted from the end."""
    _, old, new = task.private["fixes"][0]
    return Saying(*(call_text("fix", line=line, old=old, new=new) for line in (0, -1, 10**9)))


def cheat_injected_verdict(task: Task, seed: int) -> Script:
    """Puts role markers and a made-up verdict into a token."""
    return Saying(call_text("fix", line=1, old="n", new=forged_verdict(RIGHT)))


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": oracle,
    "null": saying(call_text("fix", line=0, old="", new="")),
    "random": RandomPlayer,
    "demo": Demonstrator,
    "checker": Checker,
    "hasty": Hasty,
    "cheat_many_calls": cheat_many_calls,
    "cheat_code": cheat_code,
    "cheat_same_token": cheat_same_token,
    "cheat_other_lines": cheat_other_lines,
    "cheat_injected_verdict": cheat_injected_verdict,
    "cheat_claim": claiming(RIGHT),
}
