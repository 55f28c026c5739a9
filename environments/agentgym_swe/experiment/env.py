"""Experiment-v0: tabular learning tasks made hard; the agent writes scripts, or chooses models from a menu.

The tables are made in `problem`, predictions graded in `grading`; what runs in the sandbox is in `inside`.
"""

from __future__ import annotations

import errno
import json
import random
import secrets
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, get_args

from agentgym.authoring.long_outputs import without_middle, without_surrogates
from agentgym.env import EnvReply
from agentgym.errors import ConfigError, SandboxFileError, SandboxLostError, UnknownNameError
from agentgym.message import Message, user
from agentgym.reward import FORMAT, RewardEvent
from agentgym.sandbox.base import ExecResult, SandboxProvider
from agentgym.sandbox.lender import SandboxLender
from agentgym.sandbox.pool import SandboxPool
from agentgym.sandbox.sandbox_env import SandboxEnv
from agentgym.sandbox.spec import Limits, SandboxSpec
from agentgym.task import Task
from agentgym.tools import said, tool
from agentgym_swe.experiment.grading import MAX_BYTES, MISSING, SUCCESS, Reading, metric, read_predictions, score
from agentgym_swe.experiment.problem import Problem, draw_task, for_menu, pick_theme, read_task
from agentgym_swe.experiment.themes import THEMES
from agentgym_swe.experiment.trainers import TrainerPool, inside, trainer_pool
from agentgym_swe.room import Tools, with_tools

RUN_CPU_S, RUN_WALL_S = 60, 180.0
MAX_SHOWN = 3000
MAX_SCRIPT = 40_000
PREDICTIONS = "predictions.csv"
NO_OUTPUT = "(no output)"
NOTED, GRADED = "Written.", "The predictions are graded."
MENU = "Here train() trains a model and writes predictions.csv, and submit() ends the task."
"""What the first message adds where a task for scripts is played on the menu."""
Mode = Literal["scripts", "menu"]
Model = Literal["dummy", "linear", "interactions", "neighbours", "forest", "boosting"]
PARTS = ("read", "fit", "predict", "file")
SPEC = SandboxSpec(
    image="agentgym/experiment",
    env={"LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    limits=Limits(cpus=1.0, memory_mib=768, pids=64, work_mib=64, tmp_mib=32, exec_s=RUN_WALL_S, output_bytes=1 << 18),
)
"""What the agent's scripts run in, and the models of the menu."""
TOOLS = Tools(
    "experiment",
    ("agentgym/python", "agentgym/experiment"),
    without=tuple(f"sklearn/datasets/{name}" for name in ("data", "descr", "images")),
)
"""Without the data of scikit-learn, whose labels some tasks ask for."""


class ExperimentEnv(SandboxEnv):
    """Predict the targets of a table's further rows, by scripts or by models from a menu.

    Observation:
        First what the rows are, what is to be predicted and by which metric it counts. A script is answered by what it
        wrote, without the middle beyond 3,000 characters, and by its exit code unless that is 0.

    Action:
        scripts: calls of write(path, content), run(path) and submit(). menu: calls of train(model, mend_units,
        keep_late), which trains a model of scikit-learn, tells its cross-validated metric and writes its predictions,
        and submit(). At most 4 in a message, carried out in order. A script is stopped after 60 s of processor time.
    Reward:
        score: where the metric of predictions.csv lies between a constant prediction and a reference, in [0, 1]; the
        first quarter of the way earns nothing. read, fit, predict, file: 1 when a script first reads train.csv, fits or
        predicts with scikit-learn, and when predictions.csv is first of the right form; weight `parts_weight`, 0 by
        default. format: -0.1 for a message without a valid call.
    Termination:
        submit(); the third invalid message. Success is a score of at least 0.9.
    Truncation:
        After 16 turns, 6 in tasks for the menu; predictions.csv is then graded as it is.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
    Sandbox:
        Image agentgym/experiment, no network, 1 CPU, 768 MiB, 64 processes. Targets of the rows to be predicted never
        enter it, and neither do the data sets that come with scikit-learn. Predictions are read and graded outside. On
        the menu agents run nothing of their own, and a sandbox serves many episodes.
    Source and licence:
        Written for agentgym, Apache-2.0; its tasks are generated, CC0-1.0. Four themes use data sets that scikit-learn
        brings, BSD-3-Clause.

    Example:
        write(path="a.py", content="..."); run(path="a.py") -> (no output); submit() -> The predictions are graded.

    Args:
        mode: scripts, or menu for small models. None takes the task's, which is scripts unless it names another.
        theme: Theme of the tasks made from seeds, a key of `THEMES`; None draws one.
        parts_weight: Weight of the components read, fit, predict and file. What they note can be forged.
        shows_seconds: Whether each run says how long it took; then the same actions give other messages.
        sandbox: As in `SandboxEnv`.
        relaxed: As in `SandboxEnv`.
        render_mode: As in Gymnasium.
    """

    leases_late: ClassVar[bool] = True
    max_calls = 4
    invalid_value = -0.1

    def __init__(
        self,
        mode: Mode | None = None,
        theme: str | None = None,
        parts_weight: float = 0.0,
        *,
        shows_seconds: bool = False,
        sandbox: str | SandboxProvider | SandboxPool | None = None,
        relaxed: Sequence[str] = (),
        render_mode: str | None = None,
    ) -> None:
        super().__init__(sandbox, relaxed, render_mode)
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode must be None or 'ansi': got {render_mode!r}")
        if mode not in (None, *get_args(Mode)):
            raise ConfigError(f"mode must be scripts or menu, or left out for the task's: got {mode!r}")
        if theme is not None and theme not in THEMES:
            raise UnknownNameError("theme", theme, THEMES)
        if not 0 <= parts_weight <= 1:
            raise ConfigError(f"parts_weight must be from 0 to 1: got {parts_weight!r}")
        self._wanted_mode = mode
        self._work_by(mode or "scripts")
        self.reward_weights = {"score": 1.0, **dict.fromkeys(PARTS, parts_weight), FORMAT: 1.0}
        self._theme, self._shows_seconds = theme, shows_seconds
        self._problem: Problem | None = None
        self._noted: set[str] = set()
        self._is_prepared = False
        self._predicted = b""
        self._menu_lender: SandboxLender | None = None

    def make_task(self, seed: int) -> Task:
        """A task drawn from the seed; without a theme named, of one that training shows."""
        rng = random.Random(f"experiment {seed}")
        theme = self._theme or pick_theme(rng)
        task = draw_task(rng, theme, seed=rng.randrange(2**31), task_id=f"experiment:{theme}-{seed}")
        return for_menu(task) if self._wanted_mode == "menu" else task

    def begin(self, task: Task) -> Sequence[Message]:
        """Offer the tools of the task's mode, and set the episode up."""
        self._work_by(self._wanted_mode or task.config.get("mode", "scripts"))
        return super().begin(task)

    def sandbox_spec(self, task: Task) -> SandboxSpec:
        """The same for every task."""
        able = self._lender_of_sandboxes().provider.capabilities()
        spec = SPEC
        if self._mode == "menu":  # nothing of the agent runs there, so that they need not be enforced
            spec = spec.relaxed(*(name for name in ("cpus", "memory_mib") if name not in able.limits))
        return with_tools(spec, has_images=able.images or not able.isolates, tools=TOOLS)

    @property
    def capacity(self) -> int | None:
        """As in `SandboxEnv`; on the menu nothing limits episodes, which share the sandboxes."""
        return None if self._mode == "menu" else super().capacity

    def set_up(self, task: Task) -> Sequence[Message]:
        """State the task; the files are written when the sandbox is first used."""
        self._problem = read_task(task)
        self._noted, self._is_prepared, self._predicted = set(), False, b""
        is_told = self._mode == "scripts" or task.config.get("mode") == "menu"
        return [user(task.instruction if is_told else f"{task.instruction}\n\n{MENU}")]

    @tool
    def write(self, path: str, content: str) -> str:
        """Write a file of the work folder.

        Args:
            path: Its path, relative to the folder.
            content: Its content.
        """
        if len(content) > MAX_SCRIPT:
            return f"The file was not written: it has {len(content)} characters, at most {MAX_SCRIPT} are allowed."
        self._prepare()
        try:
            self.sandbox.write_file(path, without_surrogates(content).encode())
        except SandboxFileError as error:
            return f"The file was not written: {without_middle(str(error), 300)}"
        return NOTED

    @tool
    def run(self, path: str) -> EnvReply:
        """Run a Python script of the work folder.

        Args:
            path: Its path, relative to the folder.
        """
        if "\0" in path or len(path) > 200:
            return said("That is no path.")
        self._prepare()
        nonce = secrets.token_hex(8)
        result = self._exec([inside("hooks"), path, str(RUN_CPU_S)], f"{nonce}\n".encode())
        errors, steps = _without_notes(result.stderr, nonce)
        return self._ran(result, result.stdout + errors, [step for step in PARTS if step in steps])

    @tool
    def train(self, model: Model, mend_units: bool = True, keep_late: bool = False) -> EnvReply:
        """Train a model, tell its cross-validated metric, and write its predictions.

        Args:
            model: Which model.
            mend_units: Whether columns of mixed units are brought to one.
            keep_late: Whether columns that are known later than the rest are used.
        """
        problem, pool = self._problem, self._lender_of_sandboxes().pool
        assert problem is not None
        assert isinstance(pool, TrainerPool)
        choice = {"model": model, "mend_units": mend_units, "keep_late": keep_late}
        trained = pool.trainers.trainer(self.sandbox).train(problem.files(), choice, RUN_WALL_S)
        self.release()  # other episodes train there while this one thinks
        result = trained.result
        if result.is_ok:
            self._predicted = trained.predictions
        return self._ran(result, result.stdout + result.stderr, ["read", "fit", "predict"] if result.is_ok else [])

    @tool
    def submit(self) -> EnvReply:
        """Have predictions.csv graded, and end the episode."""
        reply = self.grade()
        return reply._replace(messages=[user(GRADED)], terminated=True)

    def grade(self) -> EnvReply:
        """Grade predictions.csv as it is."""
        problem, reached, detail = self._problem, 0.0, dict[str, Any]()
        assert problem is not None
        reading = self._read()
        if reading.values is None:
            detail["why"] = reading.why
        else:
            value = metric(problem.kind, reading.values, problem.data.labels)
            reached = score(value, problem.dummy, problem.reference)
            detail = {"metric": round(value, 4), "reference": round(problem.reference, 4)}
        events = [self.event("score", reached, source="verifier", detail=detail), *self._note_file()]
        return EnvReply((), events, success=reached >= SUCCESS, score=reached)

    def progress(self) -> float | None:
        """Share of the steps read, fit, predict and file that were noted; at most 0.9."""
        return None if self._problem is None else 0.9 * len(self._noted) / len(PARTS)

    def _work_by(self, mode: Mode) -> None:
        kind = type(self)
        self._mode = mode
        self.tools = [kind.train, kind.submit] if mode == "menu" else [kind.write, kind.run, kind.submit]

    def _lender_of_sandboxes(self) -> SandboxLender:
        lender = super()._lender_of_sandboxes()
        if self._mode != "menu":
            return lender
        if self._menu_lender is None:
            pool = trainer_pool(lender.provider)
            self._menu_lender = SandboxLender(lender.provider, pool, lender.relaxed, lender.chosen_because)
        return self._menu_lender

    def _prepare(self) -> None:
        """Write the task's files into a sandbox that is used for the first time."""
        if self._is_prepared:
            return
        assert self._problem is not None
        for name, content in self._problem.files().items():
            self.sandbox.write_file(name, content)
        self._is_prepared = True

    def _exec(self, arguments: Sequence[str], stdin: bytes) -> ExecResult:
        return self.sandbox.exec(["python3", "-B", "-c", *arguments], stdin=stdin, timeout_s=RUN_WALL_S)

    def _ran(self, result: ExecResult, output: bytes, steps: Sequence[str]) -> EnvReply:
        """The answer to a run, and events for steps that are noted for the first time."""
        text = output.decode("utf-8", "replace").replace("\0", "\\0").removesuffix("\n")
        parts = [without_surrogates(without_middle(text, MAX_SHOWN))]
        if result.timed_out:
            parts.append(f"[stopped after {RUN_WALL_S:g} s]")
        elif result.exit_code:
            parts.append(f"[exit code {result.exit_code}]")
        if self._shows_seconds:
            parts.append(f"[{result.duration_s:.1f} s]")
        events = [event for step in steps for event in self._note(step)]
        return said("\n".join(part for part in parts if part) or NO_OUTPUT, [*events, *self._note_file()])

    def _note(self, step: str) -> list[RewardEvent]:
        if step in self._noted:
            return []
        self._noted.add(step)
        return [self.event(step, 1.0, source="shaping")]

    def _note_file(self) -> list[RewardEvent]:
        if "file" in self._noted or self._read().values is None:
            return []
        return self._note("file")

    def _read(self) -> Reading:
        """predictions.csv as it is; a folder that nothing was run in has none."""
        problem = self._problem
        assert problem is not None
        content = self._predicted
        if self._is_prepared:
            try:
                content = self.sandbox.read_file(PREDICTIONS, max_bytes=MAX_BYTES)
            except SandboxLostError:
                raise
            except SandboxFileError as error:
                is_missing = error.errno == errno.ENOENT
                return MISSING if is_missing else Reading(None, f"predictions.csv cannot be read: {error.strerror}.")
        elif not content:
            return MISSING
        return read_predictions(content, problem.data.ids)


def _without_notes(errors: bytes, nonce: str) -> tuple[bytes, Sequence[str]]:
    """Standard error without the line of the hooks, and the steps that it names."""
    text, _, last = errors.rstrip(b"\n").rpartition(b"\n")
    if not last.startswith(nonce.encode() + b" "):
        return errors, ()
    try:
        steps = json.loads(last[len(nonce) + 1 :])
    except ValueError:
        return text, ()
    return text, [step for step in steps if isinstance(step, str)] if isinstance(steps, list) else ()
