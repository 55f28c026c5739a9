"""ACEBench's agent tasks: its classes from the user's checkout, its checker of attributes, its milestones.

Written against commit 56dd66c. Its evaluation and its prompts stand in files that import clients of model servers; so
the constants are read from these files, and the loop over classes and milestones is written anew here.
"""

from __future__ import annotations

import ast
import itertools
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from .comparing import verdict
from .contract import AGENT, Refusal, plain, refuse_options
from .contract import Driver as Base
from .schemas import call_text, public_state, read_calls, schema_of

SUITES = {"agent_multi_step": "multi_step", "agent_multi_turn": "multi_turn"}
MAX_TURNS = 20
"""Messages of the agent; theirs allows 40 messages of all sides."""
END = "finish conversation"
NO_QUESTIONS = f"Nobody answers here. Call an API, or say: {END}"
GREETING = "Is there something that you need?"
_FIELDS = ("id", "question", "function", "initial_config", "involved_classes")


class Driver(Base):
    """The multi-step or the multi-turn tasks, in English."""

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__(settings)
        refuse_options(settings, "folder")
        suite, folder = settings["suite"], Path(settings["folder"])
        if suite not in SUITES:
            raise Refusal(f"there is no part {suite!r}; expected {', '.join(SUITES)}")
        self._kind = SUITES[suite]
        data = next((each for each in (folder / "data_all/data_en", folder / "data/en") if each.is_dir()), None)
        if data is None or not (folder / "model_eval/checker.py").is_file():
            raise Refusal(f"{folder} is no checkout of ACEBench: it lacks data_all/data_en or model_eval/checker.py")
        self._entries = {entry["id"]: entry for entry in _lines(data / f"data_{suite}.json", _FIELDS)}
        answers = _lines(data / "possible_answer" / f"data_{suite}.json", ("id", "ground_truth", "mile_stone"))
        self._answers = {answer["id"]: answer for answer in answers}
        self._inference = folder / "model_inference" / self._kind
        self._saved = _constant(folder / "model_inference", "SAVED_CLASS")
        sys.path.append(str(folder))
        try:
            self._run = import_module(f"model_inference.{self._kind}.{self._kind}_utils").execute_agent_func_call
            self._check = import_module("model_eval.checker").agent_checker
        except (ImportError, AttributeError) as error:
            raise Refusal(f"{folder} is of another version of ACEBench: {error}") from error
        self._numbers = itertools.count()
        self._episode: Episode | None = None

    def tasks(self) -> list[dict[str, Any]]:
        """The entries in order."""
        return [{"id": task_id, "stratum": self._kind} for task_id in self._entries]

    def task(self, task_id: str) -> dict[str, Any]:
        """An entry; its reference is the first list of milestones, as far as its calls can be read."""
        entry = self._entries[task_id]
        orders = {doc["name"]: list(_properties(doc)) for doc in entry["function"]}
        calls = []
        for text in self._milestones(task_id)[0]:
            try:
                calls += read_calls(text, orders)
            except ValueError:
                continue
        turns = [{"calls": calls, "say": END}]
        return {"instruction": str(entry["question"]), "turns": turns, "max_turns": MAX_TURNS}

    def open(self, task_id: str) -> dict[str, Any]:
        """Make the instances, and give the question; in multi-turn tasks to the user alone."""
        entry = self._entries[task_id]
        self._episode = Episode(self._run, entry, f"agentgym_{next(self._numbers)}")
        tools = [schema_of(doc) for doc in entry["function"]]
        rules = self._prompt("APIModel_agent.py", "MULTI_TURN_AGENT_PROMPT_SYSTEM_EN")
        rules = rules.replace("{time}", str(entry.get("time", "")))
        if self._kind == "multi_step":
            return {"messages": [rules, str(entry["question"])], "tools": tools}
        name = "SYSTEM_PROMPT_BASE_EN" if "BaseApi" in entry["involved_classes"] else "SYSTEM_PROMPT_TRAVEL_EN"
        agenda = self._prompt("APIModel_user.py", name).replace("{instruction}", str(entry["question"]))
        return {"messages": [rules], "tools": tools, "agenda": agenda, "greeting": [GREETING], "user_tools": []}

    def calls(self, role: str, calls: list[dict[str, Any]]) -> dict[str, Any]:
        """Their executor runs the calls of a message."""
        episode = self._now
        known = {doc["name"] for doc in episode.entry["function"]}
        unknown = [call["name"] for call in calls if call["name"] not in known]
        if unknown:  # their executor would look it up among Python's own functions
            raise ValueError(f"no function of this entry is called {unknown[0]!r}")
        results = episode.step([call_text(call["name"], call["arguments"]) for call in calls])
        return {"results": [plain(result) for result in results], "is_over": False}

    def say(self, role: str, text: str) -> dict[str, Any]:
        """Words: they end the task, or go to the other side."""
        is_over = END in text
        if self._kind == "multi_step":
            return {"messages": [] if is_over else [NO_QUESTIONS], "tools": [], "is_over": is_over}
        return {"messages": [text], "tools": [], "is_over": is_over and role != AGENT}

    def grade(self, is_cut: bool, with_own: bool) -> dict[str, Any]:
        """The end state by their checker; the score is 1 for a right one, else the share of milestones in order."""
        episode = self._now
        success, errors = self._end_state(episode)
        process = max(_share(milestones, episode.process) for milestones in self._milestones(episode.entry["id"]))
        found: dict[str, Any] = {
            "success": success,
            "score": 1.0 if success else process,
            "parts": {"process": process, "errors": errors},
        }
        if with_own:
            wanted = Episode(self._run, episode.entry, f"{episode.name}_wanted")
            for call in self.task(episode.entry["id"])["turns"][0]["calls"]:
                wanted.step([call_text(call["name"], call["arguments"])])
            states = (episode.before, public_state(episode.instances), public_state(wanted.instances))
            found["own"] = verdict(*states)
        return found

    def _end_state(self, episode: Episode) -> tuple[bool, list[str]]:
        """As their evaluation goes through the classes of the answer; attributes that only we have count as theirs."""
        answer = self._answers[episode.entry["id"]]["ground_truth"]
        wanted = answer if isinstance(answer, list) else [answer]
        made = [
            {name: {key: value for key, value in vars(instance).items() if key in self._saved.get(name, ())}}
            for name, instance in (episode.instances if episode.process else {}).items()
        ]
        if len(wanted) != len(made):
            return False, ["wrong number of class"]
        success, errors = True, list[str]()
        for classes in wanted:
            twin = next((each for each in made if set(each) == set(classes)), None)
            found: dict[str, Any] = {"valid": True} if twin is None else self._check(twin, classes)
            if not found["valid"]:
                success = False
                errors += [plain(error, 300) for error in found["error"]]
        return success, errors

    def _milestones(self, task_id: str) -> list[list[str]]:
        found = self._answers[task_id]["mile_stone"]
        return found if found and isinstance(found[0], list) else [found]

    def _prompt(self, file: str, name: str) -> str:
        found = _constant(self._inference, name, file)
        return found if isinstance(found, str) else ""

    @property
    def _now(self) -> Episode:
        assert self._episode is not None
        return self._episode


class Episode:
    """The instances of one episode, which their module keeps, and the messages with calls.

    Args:
        run: Their executor.
        entry: The entry.
        name: Instances are kept under it, so that no two episodes share one.
    """

    def __init__(self, run: Any, entry: dict[str, Any], name: str) -> None:
        self._run, self.entry, self.name = run, entry, name
        self.process: list[str] = []
        self.instances: dict[str, Any] = self._make([])[1]
        self.before = public_state(self.instances)

    def step(self, texts: list[str]) -> list[str]:
        """Carry out the calls of one message."""
        results: list[str] = self._make(texts)[0]
        self.process.append(f"[{', '.join(texts)}]")
        return results

    def _make(self, texts: list[str]) -> Any:
        return self._run(
            func_call_list=texts,
            initial_config=self.entry["initial_config"],
            involved_classes=self.entry["involved_classes"],
            model_name=self.name,
            test_entry_id=str(self.entry["id"]),
            language="en",
        )


def _share(milestones: list[str], process: list[str]) -> float:
    """The share of milestones that were said, in this order."""
    if not milestones:
        return 1.0
    said = iter([text.strip() for text in process])
    return round(sum(any(text == stone.strip() for text in said) for stone in milestones) / len(milestones), 3)


def _properties(doc: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (doc.get("parameters") or {}).get("properties") or {}
    return found


def _constant(folder: Path, name: str, file: str = "*.py") -> Any:
    """A constant of a file that cannot be imported without clients of model servers; an empty dict where it is not."""
    for path in sorted(folder.glob(file)):
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                assert isinstance(statement, ast.Assign)
                return ast.literal_eval(statement.value)
    return {}


def _lines(path: Path, fields: tuple[str, ...]) -> list[dict[str, Any]]:
    if not path.is_file():
        raise Refusal(f"there is no file {path}: the folder is of another version of ACEBench")
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    lacking = [field for entry in found for field in fields if field not in entry]
    if lacking:
        raise Refusal(f"{path} has entries without {lacking[0]}: the folder is of another version of ACEBench")
    return found
