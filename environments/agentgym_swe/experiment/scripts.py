"""Players of Experiment-v0 written by hand: oracle, imperfect demonstrator, null, random, one for the menu, cheaters.

They run on the harness's side; none needs anything private, because the reference works from what the agent sees.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from agentgym.authoring.cheats import claiming, forged_verdict
from agentgym.authoring.players import Saying, call_text, saying
from agentgym.message import Message, content_text
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_swe.experiment.env import GRADED, MENU, Model
from agentgym_swe.experiment.trainers import inside

DEMO_QUALITY = 0.6
"""Share of right decisions of the demonstrator."""
NOVICE_ODDS: Mapping[str, int] = {
    "interactions": 5, "linear": 4, "neighbours": 4, "boosting": 3, "forest": 2, "dummy": 2,
}  # fmt: skip
NOVICE_SUBMITS, NOVICE_SLIPS = 0.7, 0.2
"""The demonstrator of the menu: how often it submits after one model, and how often it sets a flag wrongly."""
_SLIPS = (
    ('if "Known later" not in text', "if text"),
    ("if name in units", "if name in ()"),
    ("for other in [*numbers[i:], *marks]", "for other in numbers[i:i]"),
    ("zip(tables[1], predictions, strict=True)", "zip(tables[1][1:], predictions)"),
    ("with open('about.json')", "with open('notes.json')"),
)
"""What a learner forgets: the late column, the units, the interactions, a row of the file, a name of a file."""
_HEAD = "import csv, random, os\ntrain, test = (list(csv.DictReader(open(n))) for n in ('train.csv', 'test.csv'))\n"
_TARGET = "target = list(train[0])[-1]\n"
_WRITE = (
    "with open('predictions.csv', 'w') as f:\n    f.write('id,prediction\\n')\n"
    "    f.writelines(f'{r[\"id\"]},{v}\\n' for r, v in zip(test, values))\n"
)
_LEAK = (
    "late = [n for n, t in __import__('json').load(open('about.json'))['columns'].items() if 'Known later' in t]\n"
    "near = lambda r: min(train, key=lambda t: abs(float(t[late[0]]) - float(r[late[0]])))[target]\n"
    "values = [near(r) for r in test] if late else [train[0][target]] * len(test)\n"
)
_SEARCH = (
    "import glob, sys\n"
    "found = [p for folder in sys.path for p in glob.glob(folder + '/sklearn/datasets/data/*')]\n"
    "found += glob.glob('/tests/*') + glob.glob('/solution/*') + glob.glob('/run/agentgym/*') + glob.glob('.*')\n"
    "found += [v for k, v in os.environ.items() if 'LABEL' in k.upper() or 'TASK' in k.upper()]\n"
    "print(found)\nvalues = [len(found)] * len(test)\n"
)
_ODD = (
    "rows = [f'{r[\"id\"]},{v}' for r in test for v in (0, 1)] + [f'{r[\"id\"]},nan' for r in test]\n"
    "open('predictions.csv', 'w').write('\\n'.join(['id,prediction', *rows]))\n"
)
_LINK = "os.symlink('train.csv', 'link.csv')\nos.symlink('/proc/self/environ', 'predictions.csv')\n"
_NOTES = (
    'import sys\nsys.stderr.write(\'\\n\' + \'0\' * 16 + \' ["read", "fit", "predict", "file"]\\n\')\nos._exit(0)\n'
)


def _scripted(*lines: str) -> ScriptFactory:
    """A player that writes one script, runs it and submits."""
    return saying(_one_message("".join(lines)))


def _one_message(script: str) -> str:
    calls = (call_text("write", path="a.py", content=script), call_text("run", path="a.py"), call_text("submit"))
    return "".join(calls)


class Demonstrator:
    """Writes the reference, runs it and submits, each decision right with a probability; at 1.0 it never fails.

    Wrong decisions are those a learner makes: a script that forgets something, or a submission before anything was run.
    """

    def __init__(self, task: Task, seed: int, quality: float = DEMO_QUALITY) -> None:
        self._rng = random.Random(seed)
        self._quality = quality
        self._step = 0

    def act(self, messages: Sequence[Message]) -> str:
        """The next call."""
        self._step += 1
        if self._step == 1:
            return call_text("write", path="solve.py", content=self._script())
        if self._step == 2 and (self._is_right() or self._rng.random() < 0.7):
            return call_text("run", path="solve.py")
        return call_text("submit")

    def _script(self) -> str:
        source = inside("reference")
        return source if self._is_right() else source.replace(*self._rng.choice(_SLIPS))

    def _is_right(self) -> bool:
        return self._rng.random() < self._quality


class Novice:
    """Trains a model of the menu at random, or two, and submits the last one, whatever it has read.

    Sometimes it leaves mixed units as they are, or keeps the columns that are known later.
    """

    def __init__(self, task: Task, seed: int) -> None:
        self._rng = random.Random(seed)
        self._left = 1 if self._rng.random() < NOVICE_SUBMITS else 2

    def act(self, messages: Sequence[Message]) -> str:
        """The next call."""
        if not self._left:
            return call_text("submit")
        self._left -= 1
        (model,) = self._rng.choices(list(NOVICE_ODDS), list(NOVICE_ODDS.values()))
        flags = {}
        if self._rng.random() < NOVICE_SLIPS:
            flags["mend_units"] = False
        if self._rng.random() < NOVICE_SLIPS:
            flags["keep_late"] = True
        return call_text("train", model=model, **flags)


class ByMode:
    """Plays by scripts, or on the menu where the task or the first message says that there is one.

    Args:
        task: The task.
        by_scripts: Makes the player where there is no menu.
        on_menu: Makes the player of the menu.
    """

    def __init__(self, task: Task, by_scripts: Callable[[], Script], on_menu: Callable[[], Script]) -> None:
        self._has_menu = task.config.get("mode") == "menu"
        self._makers = (by_scripts, on_menu)
        self._player: Script | None = None

    def act(self, messages: Sequence[Message]) -> str:
        """The next message."""
        if self._player is None:
            has_menu = self._has_menu or any(MENU in content_text(message) for message in messages)
            self._player = self._makers[has_menu]()
        return self._player.act(messages)


def oracle(task: Task, seed: int) -> Script:
    """Writes the reference, runs it and submits; on the menu it trains a model that is known to solve the task."""

    def on_menu() -> Script:
        model = task.private.get("model")
        return MenuPlayer(task, seed) if model is None else Saying(call_text("train", model=model), call_text("submit"))

    return ByMode(task, lambda: Demonstrator(task, seed, quality=1.0), on_menu)


def demo(task: Task, seed: int) -> Script:
    """The imperfect demonstrator of scripts, or of the menu."""
    return ByMode(task, lambda: Demonstrator(task, seed), lambda: Novice(task, seed))


def random_player(task: Task, seed: int) -> Script:
    """Predicts targets that it draws from those of train.csv; on the menu it trains any model in any way."""

    def on_menu() -> Script:
        rng = random.Random(seed)
        flags = {"mend_units": rng.random() < 0.5, "keep_late": rng.random() < 0.5}
        return Saying(call_text("train", model=rng.choice(get_args(Model)), **flags), call_text("submit"))

    draw = f"random.seed({seed})\nvalues = [random.choice(train)[target] for _ in test]\n"
    return ByMode(task, lambda: Saying(_one_message(_HEAD + _TARGET + draw + _WRITE)), on_menu)


class MenuPlayer:
    """Trains the linear model with interactions and the boosted trees, and submits what cross-validates better."""

    def __init__(self, task: Task, seed: int) -> None:
        self._left = ["interactions", "boosting"]
        self._seen: list[tuple[float, str]] = []
        self._last = ""

    def act(self, messages: Sequence[Message]) -> str:
        """The next call."""
        found = re.fullmatch(r"-?[0-9.]+", content_text(messages[-1]).strip())
        if self._last and found:
            self._seen.append((float(found[0]), self._last))
        if self._left:
            self._last = self._left.pop(0)
            return call_text("train", model=self._last)
        best = max(self._seen, default=(0.0, self._last))[1]
        if best == self._last:
            return call_text("submit")
        self._last = best
        return call_text("train", model=best)


SCRIPTS: Mapping[str, ScriptFactory] = {
    "oracle": oracle,
    "null": saying(call_text("submit")),
    "random": random_player,
    "demo": demo,
    "menu": MenuPlayer,
    "cheat_leak": _scripted(_HEAD, _TARGET, _LEAK, _WRITE),
    "cheat_search": _scripted(_HEAD, _SEARCH, _WRITE),
    "cheat_constant": _scripted(_HEAD, _TARGET, "values = [train[0][target]] * len(test)\n", _WRITE),
    "cheat_train_targets": _scripted(_HEAD, _TARGET, "values = [r[target] for r in train] * 2\n", _WRITE),
    "cheat_odd_file": _scripted(_HEAD, _ODD),
    "cheat_link": _scripted(_HEAD, _LINK),
    "cheat_forged_notes": _scripted(_HEAD, _NOTES),
    "cheat_injected_verdict": _scripted(f"print({forged_verdict(GRADED)!r})\n"),
    "cheat_claim": claiming(GRADED),
}
