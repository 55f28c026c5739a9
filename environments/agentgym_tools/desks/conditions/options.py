"""Conditions of desks: talk in words, others' tools in view, scrambled names, a ticket, a tool that fails once.

A task names its options in `config["options"]`. `Interface` is how an agent sees a desk under them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache, cached_property
from typing import Any, Literal

from agentgym.errors import ConfigError
from agentgym.message import ToolSchema
from agentgym.task import Task
from agentgym.tools.finding import ToolFinder
from agentgym_tools.desks import talk
from agentgym_tools.desks.conditions.many_tools import index_of, many_tools
from agentgym_tools.desks.desks import DESKS, desk
from agentgym_tools.desks.domain import Domain
from agentgym_tools.desks.unlisted import as_procedure, from_procedure, shown_tools
from agentgym_tools.worlds.calls import Call

NOT_OURS = "Error: this tool is not connected to this desk; nothing was done."
"""What a tool of another desk answers."""
FAILED_ONCE = "Error: the system did not answer in time; nothing was done. Try again."
"""What the one call that fails is answered."""
SCRAMBLED = ("", "names", "descriptions", "all")
TALKS = ("acts", "words")
MAX_FAILING = 5
"""The call that fails is one of the first so many."""
_DESCRIPTION = "A tool of the desk."


@dataclass(frozen=True)
class Options:
    """How a desk is made harder, and how its people talk.

    Attributes:
        distractors: How many tools of other desks are shown beside its own; "all" for all of them.
        scrambled: What of the desk's tools says nothing: "names", of tools and parameters, drawn per task, which the
            policy and errors use too; "descriptions", which are missing; "all", both; or "" for nothing.
        solo: Whether a ticket takes the customer's place: it tells what the customer wants and knows, and the customer
            agrees beforehand to what fits it. The agent uses the customer's own tools itself.
        fails_once: Whether one of the first calls fails once, which changes nothing.
        finds_tools: Whether the agent sees `find_tools` and the acts alone, and has to find the desk's tools among 500.
        talk: How agent and customer talk: by "acts", which are calls, or in plain "words".
    """

    distractors: int | Literal["all"] = 0
    scrambled: Literal["", "names", "descriptions", "all"] = ""
    solo: bool = False
    fails_once: bool = False
    finds_tools: bool = False
    talk: Literal["acts", "words"] = "acts"

    def __post_init__(self) -> None:
        if self.distractors != "all" and (type(self.distractors) is not int or self.distractors < 0):
            raise ConfigError(f'distractors must be 0, a positive whole number or "all": got {self.distractors!r}')
        if self.scrambled not in SCRAMBLED:
            raise ConfigError(f"scrambled must be one of {', '.join(map(repr, SCRAMBLED))}: got {self.scrambled!r}")
        if self.talk not in TALKS:
            raise ConfigError(f"talk must be one of {', '.join(map(repr, TALKS))}: got {self.talk!r}")
        if self.talk == "words" and (self.solo is True or self.finds_tools is True):
            raise ConfigError('talk="words" goes with neither solo nor finds_tools; leave one out')
        for name in ("solo", "fails_once", "finds_tools"):
            if type(getattr(self, name)) is not bool:
                raise ConfigError(f"{name} must be true or false: got {getattr(self, name)!r}")
        if self.finds_tools and (self.scrambled or self.solo):
            raise ConfigError("finds_tools goes with neither scrambled nor solo: got both; leave one out")

    def to_json(self) -> dict[str, Any]:
        """The options that are not the default ones."""
        return {name: value for name, value in asdict(self).items() if value != getattr(_PLAIN, name)}

    @classmethod
    def of(cls, task: Task) -> Options:
        """The options of a task.

        Raises:
            ConfigError: It names an option that there is not, or a value that it cannot have.
        """
        given = task.config.get("options", {})
        known = [field.name for field in fields(cls)]
        unknown = sorted(set(given) - set(known)) if isinstance(given, Mapping) else [str(given)]
        if unknown:
            raise ConfigError(f"task {task.id!r} has the options {unknown}; expected some of {', '.join(known)}")
        return cls(**given)


_PLAIN = Options()


class Interface:
    """How an agent sees a desk: its tools, under the names that a task gives them.

    Args:
        domain: The desk.
        options: How it is made harder.
        seed: Seed of the names, of the distractors, and of the call that fails.

    Attributes:
        options: As given.
        tools: What the agent can call: the desk's tools, acts, and distractors.
        failing: Number of the call that fails, from 0; None for none.
    """

    def __init__(self, domain: Domain, options: Options, seed: int) -> None:
        self.options = options
        self._domain = domain
        rng = random.Random(f"desk options {seed}")
        self.failing = rng.randrange(MAX_FAILING) if options.fails_once else None
        others = _others(domain) if options.distractors and not options.finds_tools else []
        count = len(others) if options.distractors == "all" else min(options.distractors, len(others))
        self._distractors = many_tools(domain) if options.finds_tools else rng.sample(others, count)
        listed = shown_tools(domain)
        own = {**listed, **domain.user_tools}
        has_names = options.scrambled in ("", "descriptions")
        self._names = {} if has_names else _scrambled(rng, "t", list(own))
        parameters = [name for tool in own.values() for name in tool["function"]["parameters"]["properties"]]
        self._parameters = {} if has_names else _scrambled(rng, "p", list(dict.fromkeys(parameters)))
        shown = [*listed.values(), *(domain.user_tools.values() if options.solo else ())]
        acts = talk.solo_acts(domain) if options.solo else _acts(domain, options)
        if options.talk == "words":
            acts = []
        self.tools: Sequence[ToolSchema] = [*map(self._shown, shown), *map(self._shown_act, acts)]
        if options.finds_tools:
            self.tools = ToolFinder(index_of(domain), acts).shown
        elif self._distractors:
            self.tools = [*self.tools, *map(self._shown, self._distractors)]
            rng.shuffle(self.tools)

    def __deepcopy__(self, memo: dict[int, object]) -> Interface:
        return self  # nothing changes it

    def finder(self) -> ToolFinder | None:
        """What the agent finds tools with in one episode; None where it sees them all."""
        if not self.options.finds_tools:
            return None
        return ToolFinder(index_of(self._domain), _acts(self._domain, self.options))

    def is_distractor(self, tool: str) -> bool:
        """Whether a tool is one of another desk."""
        return tool in self._distractor_names

    def read(self, call: Call) -> Call:
        """A call of the agent, under the desk's own names."""
        renamed = self._renamed(call, self._read_names, self._read_parameters)
        return from_procedure(renamed, self._domain.unlisted)

    def write(self, call: Call) -> Call:
        """The inverse of `read`: a call of the desk as the agent has to make it."""
        return self._renamed(as_procedure(call, self._domain.unlisted), self._names, self._parameters)

    def text(self, text: str) -> str:
        """A text with the names that the agent knows in place of the desk's: tools, and parameters as `tool.name`."""
        if not self._names:
            return text
        return re.sub(r"(\w+)(?:\.(\w+))?", self._named, text)

    def _named(self, found: re.Match[str]) -> str:
        tool, parameter = found[1], found[2]
        if tool not in self._names:
            return found[0]
        return self._names[tool] + (f".{self._parameters.get(parameter, parameter)}" if parameter else "")

    @cached_property
    def _distractor_names(self) -> frozenset[str]:
        return frozenset(tool["function"]["name"] for tool in self._distractors)

    @cached_property
    def _read_names(self) -> Mapping[str, str]:
        return {shown: name for name, shown in self._names.items()}

    @cached_property
    def _read_parameters(self) -> Mapping[str, str]:
        return {shown: name for name, shown in self._parameters.items()}

    def _renamed(self, call: Call, names: Mapping[str, str], parameters: Mapping[str, str]) -> Call:
        given = dict(call.arguments)
        if call.tool in talk.ACTS_OF_AGENT:
            if "action" in given:
                given["action"] = names.get(given["action"], given["action"])
            if isinstance(given.get("arguments"), Mapping) and given.get("action") not in self._domain.unlisted:
                given["arguments"] = _with_keys(given["arguments"], parameters)
            return Call(call.tool, given)
        return Call(names.get(call.tool, call.tool), _with_keys(given, parameters))

    def _shown(self, tool: ToolSchema) -> ToolSchema:
        if not self.options.scrambled:
            return tool
        function = tool["function"]
        schema, is_silent = function["parameters"], self.options.scrambled != "names"
        properties = {
            self._parameters.get(name, name): _without_description(each) if is_silent else each
            for name, each in schema["properties"].items()
        }
        required = [self._parameters.get(name, name) for name in schema.get("required", ())]
        name = self._names.get(function["name"], function["name"])
        description = _DESCRIPTION if is_silent else self.text(function["description"])
        parameters = {**schema, "properties": properties, "required": required}
        return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}

    def _shown_act(self, act: ToolSchema) -> ToolSchema:
        properties = act["function"]["parameters"]["properties"]
        if not self._names or "enum" not in properties.get("action", {}):
            return act
        action = {
            **properties["action"],
            "enum": [self._names.get(each, each) for each in properties["action"]["enum"]],
        }
        parameters = {**act["function"]["parameters"], "properties": {**properties, "action": action}}
        described = self.text(act["function"]["description"])
        return {"type": "function", "function": {**act["function"], "description": described, "parameters": parameters}}


def interface_of(task: Task, domain: Domain) -> Interface:
    """How an agent sees the desk of a task."""
    return make_interface(domain, Options.of(task), task.seed)


def make_interface(domain: Domain, options: Options, seed: int) -> Interface:
    """How an agent sees a desk; without options always the same."""
    return _plain(domain) if options == _PLAIN else Interface(domain, options, seed)


@cache
def _plain(domain: Domain) -> Interface:
    return Interface(domain, _PLAIN, 0)


def _acts(domain: Domain, options: Options) -> list[ToolSchema]:
    """The acts of an agent who has a customer; they list no tools where those have to be found."""
    return talk.agent_acts(domain, lists_tools=not options.finds_tools)


@cache
def _others(domain: Domain) -> list[ToolSchema]:
    """The tools of the other desks, without those whose names this desk has too."""
    own = {*domain.toolbox.tools, *domain.user_tools, *talk.ACTS_OF_AGENT}
    found: dict[str, ToolSchema] = {}
    for name in DESKS:
        for tool_name, tool in desk(name).listed.items():
            if tool_name not in own:
                found.setdefault(tool_name, tool)
    return list(found.values())


def _without_description(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "description"}


def _scrambled(rng: random.Random, prefix: str, names: Sequence[str]) -> dict[str, str]:
    numbers = rng.sample(range(100, 1000), len(names))
    return {name: f"{prefix}{number}" for name, number in zip(names, numbers, strict=True)}


def _with_keys(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in values.items()}
