"""AppWorld's tasks by calls of its APIs: each call is run as one line of code in its own shell, its tests decide.

Written against appworld 0.1.3, with its data in a folder of the user's. The APIs are shown as AppWorld shows them to
models that call functions, as app__api. A call goes into the shell as a name and literals.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from .contract import Driver as Base
from .contract import Refusal, plain, refuse_options, require

DISTRIBUTION, VERSION = "appworld", "0.1.3"
MAX_TURNS = 60
NO_WORDS = "Only calls are read here. Call supervisor__complete_task when the task is done."
_OUTPUTS = "agentgym-"


class Driver(Base):
    """The tasks of one dataset, such as train or test_normal."""

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__(settings)
        refuse_options(settings, "folder")
        require(DISTRIBUTION, VERSION)
        folder, suite = Path(settings["folder"]), settings["suite"]
        names = sorted(path.stem for path in (folder / "data" / "datasets").glob("*.txt"))
        if not names:
            raise Refusal(f"{folder} has no data of AppWorld: data/datasets is missing or empty")
        if suite not in names:
            raise Refusal(f"there is no dataset {suite!r} in {folder}; expected {', '.join(names)}")
        os.environ["APPWORLD_ROOT"] = str(folder)
        self._package = import_module("appworld")
        self._package.update_root(str(folder))
        self._tasks = folder / "data" / "tasks"
        self._ids: list[str] = self._package.load_task_ids(suite)
        self._require_version()
        self._docs = {
            f"{path.stem}__{api}": doc
            for path in sorted((folder / "data" / "api_docs" / "standard").glob("*.json"))
            for api, doc in json.loads(path.read_text(encoding="utf-8")).items()
        }
        self._name = f"{_OUTPUTS}{os.getpid()}"
        _forget_dead(folder / "experiments" / "outputs")
        self._outputs = folder / "experiments" / "outputs" / self._name
        self._world: Any = None
        self._apis: dict[str, dict[str, Any]] = {}

    def tasks(self) -> list[dict[str, Any]]:
        """The tasks in the order of the dataset."""
        return [{"id": task_id, "stratum": self.settings["suite"]} for task_id in self._ids]

    def task(self, task_id: str) -> dict[str, Any]:
        """A task; there is a reference where the data has its solution, as in train and dev."""
        specs = self._specs(task_id)
        path = self._tasks / task_id / "ground_truth" / "api_calls.json"
        made = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
        calls = [call for call in map(self._named, made) if call is not None]
        return {
            "instruction": specs["instruction"],
            "turns": [{"calls": calls, "say": "Done."}],
            "max_turns": max(MAX_TURNS, len(calls) + 10),
        }

    def open(self, task_id: str) -> dict[str, Any]:
        """Make the world; the one before is closed."""
        self._close()
        self._world = self._package.AppWorld(task_id=task_id, experiment_name=self._name)
        supervisor = self._world.task.supervisor
        person = " ".join(str(getattr(supervisor, name, "")) for name in ("first_name", "last_name", "email"))
        tools = self._world.task.api_docs.function_calling()
        self._apis = {tool["function"]["name"]: tool for tool in tools}
        told = f"You work for {person} with the APIs of the apps. {NO_WORDS}\n\n{self._world.task.instruction}"
        return {"messages": [told], "tools": tools}

    def calls(self, role: str, calls: list[dict[str, Any]]) -> dict[str, Any]:
        """Run each call in the shell, until the task is said to be done."""
        results: list[str] = []
        is_over = False
        for call in calls:
            results.append("Not run: the task is done." if is_over else self._call(call))
            is_over = is_over or bool(self._world.task_completed())
        return {"results": results, "is_over": is_over}

    def say(self, role: str, text: str) -> dict[str, Any]:
        """Words mean nothing."""
        return {"messages": [NO_WORDS], "tools": [], "is_over": False}

    def grade(self, is_cut: bool, with_own: bool) -> dict[str, Any]:
        """Its tests, among which are those for changes that nobody asked for; so there is no verdict of ours."""
        tracker = self._world.evaluate()
        passed, all_tests = len(tracker.passes), tracker.num_tests
        parts = {
            "passed": passed,
            "tests": all_tests,
            "failed": [plain(each["requirement"], 200) for each in tracker.failures][:10],
        }
        return {"success": bool(tracker.success), "score": passed / all_tests if all_tests else 0.0, "parts": parts}

    def _call(self, call: dict[str, Any]) -> str:
        name = call["name"]
        if name not in self._apis:  # what goes into the shell is a known name and literals
            raise ValueError(f"no API is called {name!r}")
        app, _, api = name.partition("__")
        return plain(self._world.execute(f"print(apis.{app}.{api}(**{call['arguments']!r}))")).rstrip()

    def _named(self, made: dict[str, Any]) -> dict[str, Any] | None:
        """A recorded request as a call of an API; None for one that belongs to none."""
        url = re.sub(r"^https?://[^/]+", "", made["url"].partition("?")[0])
        for name, doc in self._docs.items():
            keys = re.findall(r"\{(\w+)\}", doc["path"])
            found = re.fullmatch(re.sub(r"\{\w+\}", "([^/]+)", doc["path"]), url)
            if found and doc["method"].lower() == made["method"].lower():
                placed = {key: _number(value) for key, value in zip(keys, found.groups())}  # noqa: B905 - as many
                return {"name": name, "arguments": {**placed, **(made.get("data") or {})}}
        return None

    def _specs(self, task_id: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self._tasks / task_id / "specs.json").read_text(encoding="utf-8"))
        return found

    def _require_version(self) -> None:
        wanted = import_module("appworld.environment").DB_VERSION
        found = self._specs(self._ids[0])["db_version"] if self._ids else wanted
        if found != wanted:
            raise Refusal(f"the folder has AppWorld's data of version {found}, the package works with {wanted}")

    def _close(self) -> None:
        if self._world is not None:
            self._world.close()
        shutil.rmtree(self._outputs, ignore_errors=True)


def _number(text: str) -> Any:
    return int(text) if text.isdigit() else text


def _forget_dead(outputs: Path) -> None:
    """Remove what processes left that are gone."""
    for folder in outputs.glob(f"{_OUTPUTS}*"):
        with suppress(ValueError):
            pid = int(folder.name.removeprefix(_OUTPUTS))
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                shutil.rmtree(folder, ignore_errors=True)
            except PermissionError:
                continue
