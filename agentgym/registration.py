"""Which environments there are: a static table of our own, and what third parties announce by entry point.

Importing agentgym registers the table with Gymnasium and imports none of the environments.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gymnasium

from agentgym.adapted import ADAPTED, Adapted
from agentgym.difficulty import KNOBS, Knobs
from agentgym.entry_points import load_entry_points
from agentgym.env import AgentEnv
from agentgym.errors import AgentGymError, ConfigError, ContractError, UnknownNameError
from agentgym.game import GameEnv
from agentgym.options import require_option_types
from agentgym.origin import told
from agentgym.policy import ScriptFactory
from agentgym.sandbox.source import PROVIDERS
from agentgym.suite import register_suites
from agentgym.task import Task


@dataclass(frozen=True)
class EnvSpec:
    """What is known of an environment without importing it.

    Attributes:
        id: Gymnasium id, "namespace/Name-v0".
        entry_point: "module:Class" of the environment, or of the game where there are `roles`.
        scripts: "module:NAME" of a mapping from policy names (oracle, null, random, demo, and cheaters named cheat_…)
            to script factories; of a game, a mapping from roles to such mappings.
        family: dialogue, tools, web, gui, swe, or a family of a third party's.
        suites: Names of the suites that it plays.
        deterministic: Whether the same seed and actions give the same trajectory.
        runtimes: Where it can run: "local" in this process; "served" whole in a container, behind the wire; "workspace"
            where it drives a sandbox from here.
        extra: The extra that it needs; "" for none.
        roles: Roles of a game that an agent may play, the first one unless another is asked for; none for an
            environment of one agent.
        partners: "module:NAME" of a mapping from each role of the game to the script factory that plays it by default.
        options: Keyword arguments that the environment is made with, under those of `make`.
        adapts: The package whose environment it is; "" for one of our own.
        why_no_oracle: Why no script solves every task; "" where `oracle` does.
        difficulty: Options of `make` that make its tasks harder, each with its values from the easiest to the hardest.
        hints: "module:NAME" of a function from a task to advice in words on how to solve it, made on the harness's side
            from the task's private part; "" for none. A curriculum may show it where a policy fails.
    """

    id: str
    entry_point: str
    scripts: str
    family: str
    suites: tuple[str, ...] = ()
    deterministic: bool = True
    runtimes: tuple[str, ...] = ("local",)
    extra: str = ""
    roles: tuple[str, ...] = ()
    partners: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    adapts: str = ""
    why_no_oracle: str = ""
    difficulty: Knobs = field(default_factory=dict, hash=False)
    hints: str = ""

    @property
    def missing_extra(self) -> str:
        """The extra that brings the adapted package where that is not installed; "" where nothing is missing."""
        return self.extra if self.adapts and find_spec(self.adapts) is None else ""

    def options_at(self, level: float) -> dict[str, Any]:
        """Options of `make` with which its tasks are that hard; what it is made with has no say in given tasks.

        Args:
            level: From 0, all knobs at their easiest values, to 1, all at their hardest.

        Raises:
            ConfigError: The level is outside of that, or the environment declares no difficulty.
        """
        if not 0 <= level <= 1:
            raise ConfigError(f"a level of difficulty must be from 0 to 1: got {level!r}")
        if not self.difficulty:
            raise ConfigError(f"environment {self.id!r} declares no difficulty; give EnvSpec a `difficulty`")
        return {name: values[round(level * (len(values) - 1))] for name, values in self.difficulty.items()}

    def load_scripts(self, role: str = "") -> Mapping[str, ScriptFactory]:
        """The script factories of this environment, or of a role of this game; imports its module.

        Args:
            role: The role; "" is the default one.

        Raises:
            UnknownNameError: No agent may play the role.
            ContractError: They cannot be imported.
        """
        factories: Mapping[str, Any] = _load(self, "scripts")
        found = factories[self.role_named(role)] if self.roles else factories
        return {name: found[name] for name in found if name != "oracle"} if self.why_no_oracle else found

    def load_hints(self) -> Callable[[Task], str]:
        """The function from a task to advice on it; imports its module.

        Raises:
            ConfigError: The environment gives no hints.
            ContractError: The function cannot be imported.
        """
        if not self.hints:
            raise ConfigError(f"environment {self.id!r} gives no hints; give EnvSpec `hints`, a function of a task")
        hint: Callable[[Task], str] = _load(self, "hints")
        return hint

    def load_partners(self) -> Mapping[str, ScriptFactory]:
        """What plays each role of this game by default; empty for an environment of one agent."""
        partners: Mapping[str, ScriptFactory] = _load(self, "partners") if self.roles else {}
        return partners

    def role_named(self, role: str) -> str:
        """A role that an agent may play, the default one for "".

        Raises:
            UnknownNameError: There is no such role.
        """
        if role not in self.roles and role:
            raise UnknownNameError(f"role of {self.id!r}", role, self.roles)
        return role or next(iter(self.roles), "")


def _dialogue(name: str, suite: str, *variants: str) -> EnvSpec:
    """The spec of a dialogue game with its suite and those named after variants of it."""
    module = f"agentgym_dialogue.{suite.replace('-', '_')}"
    return EnvSpec(
        f"agentgym/{name}-v0",
        f"{module}.env:{name}Env",
        f"{module}.scripts:SCRIPTS",
        "dialogue",
        (f"dialogue/{suite}", *(f"dialogue/{suite}-{variant}" for variant in variants)),
        runtimes=("local", "served"),
        difficulty=KNOBS.get(name, {}),
    )


def _game(name: str, roles: tuple[str, ...], *suites: str) -> EnvSpec:
    """The spec of a dialogue game of several roles, the first of which is played unless another is asked for."""
    module = f"agentgym_dialogue.{suites[0].replace('-', '_')}"
    return EnvSpec(
        f"agentgym/{name}-v0",
        f"{module}.game:{name.removesuffix('Game')}Game",
        f"{module}.scripts:SCRIPTS",
        "dialogue",
        tuple(f"dialogue/{suite}" for suite in suites),
        runtimes=("local", "served"),
        roles=roles,
        partners=f"{module}.partners:PARTNERS",
        difficulty=KNOBS.get(name, {}),
    )


def _adapted(game: Adapted) -> EnvSpec:
    """The spec of an environment of another package."""
    module = f"agentgym_dialogue.{game.module}"
    return EnvSpec(
        f"agentgym/{game.name}-v0",
        f"{module}.{game.entry_point}",
        f"{module}.scripts:SCRIPTS",
        "dialogue",
        tuple(f"dialogue/{suite}" for suite in game.suites),
        extra=game.extra,
        options=game.options,
        adapts=game.package,
        why_no_oracle=game.why_no_oracle,
        difficulty=KNOBS.get(game.name, {}),
    )


def _chess(name: str, suite: str, *variants: str) -> EnvSpec:
    """The spec of a game against Stockfish, which the image of served environments does not have."""
    return replace(_dialogue(name, suite, *variants), runtimes=("local",), extra="chess")


_OWN = (
    _chess("Chess", "chess"),
    _chess("ChessEndgames", "chess-endgames", "mates"),
    _dialogue("GuessMyCity", "guess-my-city"),
    _dialogue("GuessNumber", "guess-number"),
    _dialogue("Mastermind", "mastermind"),
    replace(_dialogue("Maze", "maze", "partial"), hints="agentgym_dialogue.maze.scripts:hint"),
    _dialogue("TextNav", "text-nav", "partial", "small"),
    _dialogue("TwentyQuestions", "twenty-questions"),
    _dialogue("Wordle", "wordle", "tries"),
    _game("CarDealer", ("seller", "buyer"), "car-dealer", "car-dealer-buyer"),
    _game("Codenames", ("guesser", "spymaster"), "codenames", "codenames-spymaster"),
    _game("ConnectFour", ("first", "second"), "connect-four"),
    _game("GridDrawing", ("drawer", "instructor"), "grid-drawing", "grid-drawing-instructor"),
    _game("LiarsDice", ("first", "second"), "liars-dice"),
    _game("MapNavigation", ("explorer", "guide"), "map-navigation", "map-navigation-guide"),
    _game("MatrixGames", ("first", "second"), "matrix-games"),
    _game("Negotiation", ("first", "second"), "negotiation"),
    _game("PrivateShared", ("answerer", "questioner"), "private-shared"),
    _game("ReferenceGame", ("guesser", "describer"), "reference-game", "reference-game-describer"),
    _game("SocialScenario", ("first", "second"), "social-scenario"),
    _game("Taboo", ("guesser", "describer"), "taboo", "taboo-describer", "taboo-animals"),
    _game("TicTacToe", ("first", "second"), "tic-tac-toe", "tic-tac-toe-second"),
    _game("Ultimatum", ("proposer", "responder"), "ultimatum", "ultimatum-responder"),
    _game("Werewolf", ("seer", "werewolf", "doctor", "villager"), "werewolf"),
    _game("WordleWithClue", ("guesser", "clue_giver"), "wordle-with-clue", "wordle-clue-giver"),
    _game("WordleWithCritic", ("guesser", "critic"), "wordle-with-critic", "wordle-critic"),
    EnvSpec(
        "agentgym/Lookup-v0",
        "agentgym_tools.lookup.env:LookupEnv",
        "agentgym_tools.lookup.scripts:SCRIPTS",
        "tools",
        ("tools/lookup",),
        runtimes=("local", "served"),
        difficulty=KNOBS["Lookup"],
        hints="agentgym_tools.lookup.scripts:hint",
    ),
    EnvSpec(
        "agentgym/Python-v0",
        "agentgym_tools.python.env:PythonEnv",
        "agentgym_tools.python.scripts:SCRIPTS",
        "tools",
        ("tools/python", "tools/python-arithmetic"),
        runtimes=("workspace",),
        extra="docker",
        difficulty=KNOBS["Python"],
    ),
    EnvSpec(
        "agentgym/Terminal-v0",
        "agentgym_swe.terminal.env:TerminalEnv",
        "agentgym_swe.terminal.scripts:SCRIPTS",
        "swe",
        ("swe/terminal",),
        runtimes=("workspace",),
        extra="docker",
    ),
    *map(_adapted, ADAPTED),
)
_specs: dict[str, EnvSpec] = {}


def _load(spec: EnvSpec, key: str) -> Any:
    """What a key of a spec names, as "module:NAME".

    Raises:
        ContractError: It cannot be imported; says why, and in which line of which file.
    """
    module_name, _, name = getattr(spec, key).partition(":")
    failed = f"environment {spec.id!r} cannot be loaded: its {key} is {getattr(spec, key)!r}; "
    try:
        module = importlib.import_module(module_name)
    except AgentGymError:
        raise
    except Exception as error:  # a boundary: a third party's module may raise anything
        raise ContractError(f"{failed}importing {module_name!r} fails: {told(error)}") from error
    if not hasattr(module, name):
        unknown = UnknownNameError("name", name, [known for known in vars(module) if not known.startswith("_")])
        raise ContractError(f"{failed}in {module.__file__}: {unknown}")
    return getattr(module, name)


def register(spec: EnvSpec, suites_root: Path | None = None) -> None:
    """Make an environment known to agentgym and to Gymnasium.

    Args:
        spec: The environment. Registering an equal spec again changes nothing.
        suites_root: Folder with its suites, laid out as <family>/<suite>/suite.toml.

    Raises:
        ConfigError: Another spec has the id.
    """
    known = _specs.get(spec.id)
    if known is not None and known != spec:
        raise ConfigError(f"environment id {spec.id!r} is taken by {known.entry_point!r}; choose another namespace")
    if known is None:
        _specs[spec.id] = spec
        entry_point = "agentgym.partners:role_view" if spec.roles else spec.entry_point
        kwargs = {"env_id": spec.id} if spec.roles else dict(spec.options)
        gymnasium.register(
            spec.id, entry_point=entry_point, kwargs=kwargs, disable_env_checker=True, order_enforce=False
        )
    if suites_root is not None:
        register_suites(suites_root)


def register_own() -> None:
    """Register the environments of this distribution; called when agentgym is imported."""
    for spec in _OWN:
        register(spec)


def specs(family: str | None = None) -> list[EnvSpec]:
    """All known environments, third parties' included, in order of id."""
    load_entry_points()
    return [_specs[key] for key in sorted(_specs) if family in (None, _specs[key].family)]


def _uninstalled(env_id: str) -> list[str]:
    """A sentence where nothing at all is registered under the namespace of an id."""
    namespace, slash, _ = env_id.partition("/")
    if not slash or any(known.startswith(f"{namespace}/") for known in _specs):
        return []
    return [
        f"no installed package registers {namespace}/…: if it is yours, install it into this environment "
        "(pip install -e .), and declare its entry point in the group agentgym.environments"
    ]


def spec(env_id: str) -> EnvSpec:
    """The spec of an id.

    Raises:
        UnknownNameError: Nothing is registered under it; suggests close ids.
    """
    if env_id not in _specs:
        load_entry_points()
    if env_id not in _specs:
        raise UnknownNameError("environment", env_id, _specs, [*load_entry_points(), *_uninstalled(env_id)])
    return _specs[env_id]


def make(env_id: str, *, runtime: str = "", **options: Any) -> AgentEnv:
    """An environment by id, with Gymnasium's wrappers taken off.

    Args:
        env_id: Such as "agentgym/Wordle-v0".
        runtime: Where it runs. "local" is this process. "docker" puts a served environment whole into a container,
            behind the wire, and has an environment that drives a sandbox take that provider's; such a one takes the
            other providers' as well ("bubblewrap", "process"). "" is local where the environment can, else the best
            sandbox here.
        options: Keyword arguments of the environment; of a game also `role`, whom the agent plays, and `partners`, a
            mapping from other roles to who plays them (see `agentgym.partners`).

    Raises:
        UnknownNameError: No such id, runtime, role or partner.
        ConfigError: The environment refuses the options, or one is not of the type that its constructor says; or it
            cannot run there.
        ContractError: Its module cannot be imported.
    """
    found = spec(env_id)
    require_runtime(env_id, runtime)
    if runtime not in ("", "local"):
        if "served" in found.runtimes:
            from agentgym.contained import ContainedEnv  # not at the top: its client would double what an import costs

            return ContainedEnv(found.id, runtime, options)
        options = {"sandbox": runtime, **options}
    entry_point = _load(found, "entry_point")
    if not found.roles:
        require_option_types(entry_point, options, env_id)
    try:
        env = gymnasium.make(found.id, **options).unwrapped
    except TypeError as error:
        raise ConfigError(f"environment {env_id!r} refuses the options {sorted(options)}: {told(error)}") from error
    if not isinstance(env, AgentEnv):
        raise ConfigError(f"{found.entry_point!r} made a {type(env).__name__}, expected an agentgym.AgentEnv")
    return env


def require_runtime(env_id: str, runtime: str) -> None:
    """Refuse a runtime in which an environment cannot be; see `make`.

    Raises:
        UnknownNameError: No such id or runtime.
        ConfigError: The environment cannot run there.
    """
    found = spec(env_id)
    if runtime not in ("", "local", *PROVIDERS):
        raise UnknownNameError("runtime", runtime, ("local", *PROVIDERS))
    if "served" in found.runtimes and runtime in PROVIDERS and runtime != "docker":
        raise ConfigError(
            f"environment {env_id!r} runs in this process ('local') or whole in a container ('docker'): got {runtime!r}"
        )
    if runtime in PROVIDERS and not {"served", "workspace"}.intersection(found.runtimes):
        raise ConfigError(f"environment {env_id!r} runs in this process ('local') alone: got runtime {runtime!r}")
    if runtime == "local" and "local" not in found.runtimes:
        raise ConfigError(f"environment {env_id!r} works in a sandbox: runtime must be one of {', '.join(PROVIDERS)}")


def make_game(env_id: str, **options: Any) -> GameEnv:
    """A game of several roles by id, none of them played by anybody yet.

    Args:
        env_id: Such as "agentgym/Taboo-v0".
        options: Keyword arguments of the game; a `judge` may be the name of a policy (see `agentgym.judge`).

    Raises:
        UnknownNameError: No such id or policy.
        ConfigError: It is no game, or refuses the options.
        ContractError: Its module cannot be imported.
    """
    found = spec(env_id)
    if not found.roles:
        raise ConfigError(f"environment {env_id!r} is no game of several roles; make it with agentgym.make")
    if options.get("judge") and isinstance(options["judge"], str):
        from agentgym.judge import judge_named  # not at the top: policies know environments by their ids

        options = {**options, "judge": judge_named(options["judge"])}
    game_class = _load(found, "entry_point")
    require_option_types(game_class, options, env_id)
    try:
        game = game_class(**{**found.options, **options})
    except TypeError as error:
        raise ConfigError(f"game {env_id!r} refuses the options {sorted(options)}: {told(error)}") from error
    if not isinstance(game, GameEnv):
        raise ConfigError(f"{found.entry_point!r} made a {type(game).__name__}, expected an agentgym.GameEnv")
    return game


def script_names(suite_env: str) -> Sequence[str]:
    """Names of the scripted policies of an environment."""
    return sorted(spec(suite_env).load_scripts())
