"""BFCL's multi-turn entries (bfcl-eval): turns in order, their classes, and their checker on the calls made.

An entry and its reference are read from the installed package. A reference is written as Python calls; it is read as
calls with named arguments, as an agent makes them.
"""

from __future__ import annotations

import itertools
import json
from importlib import import_module
from pathlib import Path
from typing import Any

from .comparing import verdict
from .contract import Driver as Base
from .contract import Refusal, plain, refuse_options, require
from .schemas import call_text, public_state, read_calls, schema_of

DISTRIBUTION, VERSION = "bfcl-eval", "2026.3.23"
CATEGORIES = ("multi_turn_base", "multi_turn_miss_func", "multi_turn_miss_param", "multi_turn_long_context")
ALL = "multi_turn"
MAX_STEPS = 20
"""Messages with calls that a turn may take; one more ends the episode as failed, as it does there."""
NEW_TOOLS = "More tools can be used from now on:\n{tools}\nTry again with them."
_EVAL = "bfcl_eval.eval_checker.multi_turn_eval"


class Driver(Base):
    """The entries of one category, or of all four."""

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__(settings)
        refuse_options(settings)
        require(DISTRIBUTION, VERSION)
        suite = settings["suite"]
        if suite not in (ALL, *CATEGORIES):
            raise Refusal(f"there is no category {suite!r}; expected {', '.join((ALL, *CATEGORIES))}")
        self._utils = import_module(f"{_EVAL}.multi_turn_utils")
        self._checker = import_module(f"{_EVAL}.multi_turn_checker")
        config = import_module("bfcl_eval.constants.executable_backend_config")
        self._data = Path(config.__file__ or "").parent.parent / "data"
        self._docs = {
            name: _lines(self._data / "multi_turn_func_doc" / file)
            for name, file in config.MULTI_TURN_FUNC_DOC_FILE_MAPPING.items()
        }
        self._entries: dict[str, tuple[dict[str, Any], list[list[str]]]] = {}
        for category in CATEGORIES if suite == ALL else (suite,):
            file = f"BFCL_v4_{category}.json"
            truths = {each["id"]: each["ground_truth"] for each in _lines(self._data / "possible_answer" / file)}
            self._entries |= {each["id"]: (each, truths[each["id"]]) for each in _lines(self._data / file)}
        self._numbers = itertools.count()
        self._episode: Episode | None = None

    def tasks(self) -> list[dict[str, Any]]:
        """The entries, by category."""
        return [{"id": task_id, "stratum": task_id.rpartition("_")[0]} for task_id in self._entries]

    def task(self, task_id: str) -> dict[str, Any]:
        """An entry."""
        entry, truth = self._entries[task_id]
        orders = {doc["name"]: list(doc["parameters"]["properties"]) for doc in self._functions(entry)}
        turns = [
            {"calls": [call for text in texts for call in read_calls(text, orders)], "say": "Done."} for texts in truth
        ]
        first = next(iter(_texts(entry["question"][0])), "")
        return {"instruction": first, "turns": turns, "max_turns": (MAX_STEPS + 1) * len(truth)}

    def open(self, task_id: str) -> dict[str, Any]:
        """Make the instances, and give the first turn."""
        if self._episode is not None:
            self._episode.forget()
        entry, truth = self._entries[task_id]
        self._episode = Episode(self._utils, entry, truth, f"agentgym_{next(self._numbers)}")
        missed = {name for names in entry.get("missed_function", {}).values() for name in names}
        tools = [schema_of(doc) for doc in self._functions(entry) if doc["name"] not in missed]
        held_back = [schema_of(doc) for doc in self._functions(entry) if doc["name"] in missed]
        return {"messages": _texts(entry["question"][0]), "tools": tools, "unlisted": held_back}

    def calls(self, role: str, calls: list[dict[str, Any]]) -> dict[str, Any]:
        """One step of the turn."""
        episode = self._now
        known = {doc["name"] for doc in self._functions(episode.entry)}
        unknown = [call["name"] for call in calls if call["name"] not in known]
        if unknown:  # their executor would look it up among Python's own functions
            raise ValueError(f"no function of this entry is called {unknown[0]!r}")
        results = episode.step([call_text(call["name"], call["arguments"]) for call in calls])
        return {"results": [plain(result) for result in results], "is_over": episode.is_forced}

    def say(self, role: str, text: str) -> dict[str, Any]:
        """The next turn, with the tools that it brings."""
        episode = self._now
        episode.turns.append([])
        turn = len(episode.turns) - 1
        if turn == len(episode.truth):
            episode.turns.pop()
            episode.is_over = True
            return {"messages": [], "tools": [], "is_over": True}
        brought = episode.entry.get("missed_function", {}).get(str(turn), [])
        tools = [schema_of(doc) for doc in self._functions(episode.entry) if doc["name"] in brought]
        messages = _texts(episode.entry["question"][turn])
        if tools:
            messages.append(NEW_TOOLS.format(tools="\n".join(json.dumps(tool["function"]) for tool in tools)))
        return {"messages": messages, "tools": tools, "is_over": False}

    def grade(self, is_cut: bool, with_own: bool) -> dict[str, Any]:
        """Their checker's verdict; an episode without all turns fails, as it does there."""
        episode = self._now
        if is_cut or not episode.is_over:
            found = {"valid": False, "error_type": "multi_turn:force_terminated"}
        else:
            category = episode.entry["id"].rpartition("_")[0]
            found = self._checker.multi_turn_checker(
                episode.turns, episode.truth, episode.entry, category, f"{episode.name}_graded"
            )
        success = bool(found["valid"])
        parts = {name: plain(found[name], 300) for name in ("error_type", "error_message") if name in found}
        own = episode.own_verdict() if with_own else None
        episode.forget_graded()
        return {"success": success, "score": float(success), "parts": parts, "own": own}

    @property
    def _now(self) -> Episode:
        assert self._episode is not None
        return self._episode

    def _functions(self, entry: dict[str, Any]) -> list[dict[str, Any]]:
        return [doc for name in entry["involved_classes"] for doc in self._docs[name]]


class Episode:
    """The instances of one episode, which their module keeps among its globals, and the calls made.

    Args:
        utils: Their module.
        entry: The entry.
        truth: The reference.
        name: Instances are kept under it, so that no two episodes share one.
    """

    def __init__(self, utils: Any, entry: dict[str, Any], truth: list[list[str]], name: str) -> None:
        self._utils, self.entry, self.truth, self.name = utils, entry, truth, name
        self.turns: list[list[list[str]]] = [[]]
        self.is_over = self.is_forced = False
        self._instances = self._run(name, [])[1]
        self._before = public_state(self._instances)

    def step(self, texts: list[str]) -> list[str]:
        """Carry out the calls of one message."""
        results: list[str] = self._run(self.name, texts)[0]
        self.turns[-1].append(texts)
        self.is_forced = len(self.turns[-1]) > MAX_STEPS
        return results

    def own_verdict(self) -> dict[str, Any]:
        """Ours, against the state after the reference alone."""
        wanted = self._run(f"{self.name}_graded", [])[1]
        for texts in self.truth:
            wanted = self._run(f"{self.name}_graded", texts)[1]
        return verdict(self._before, public_state(self._instances), public_state(wanted))

    def forget(self) -> None:
        """Drop the instances of this episode from their globals."""
        kept = vars(self._utils)
        for key in [key for key in kept if key.startswith(f"{self.name}_") and key.endswith("_instance")]:
            del kept[key]

    def forget_graded(self) -> None:
        """Drop what the grading made; the episode's own instances stay."""
        kept = vars(self._utils)
        for key in [key for key in kept if key.startswith(f"{self.name}_graded_") and key.endswith("_instance")]:
            del kept[key]

    def _run(self, name: str, texts: list[str]) -> Any:
        category = self.entry["id"].rpartition("_")[0]
        return self._utils.execute_multi_turn_func_call(
            func_call_list=texts,
            initial_config=self.entry["initial_config"],
            involved_classes=self.entry["involved_classes"],
            model_name=name,
            test_entry_id=self.entry["id"],
            long_context="long_context" in category,
            is_evaL_run=False,
        )


def _texts(messages: list[dict[str, Any]]) -> list[str]:
    return [str(message["content"]) for message in messages]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
