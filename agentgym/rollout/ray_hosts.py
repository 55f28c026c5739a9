"""Environments on the nodes of a Ray cluster: actors hold the games, proxies here play them.

Placing, restarting and reporting is Ray's work. What an actor's death breaks is an infrastructure failure of its
episodes, which the engine plays again with the same seeds; a step is never sent twice.
"""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from agentgym.errors import ConfigError, HostLostError, MissingExtraError, StepTimeoutError
from agentgym.game import Game, GameReply, Inbox
from agentgym.message import ToolSchema
from agentgym.outcome import CutReason
from agentgym.picture import Image
from agentgym.ranges import Range, Ranged
from agentgym.rollout.environment_host import EnvironmentHost, GameCard, GameStart, MakeGame
from agentgym.stopping import sigterm_kept
from agentgym.task import Task

_GRACE_S = 5.0
_START_TIMEOUT_S = 300.0  # of a host: Ray places it and starts a process, which a busy node does slowly
_OPEN_TIMEOUT_S = 60.0  # imports the environment's package and starts what it needs
_CONTROL_THREADS = 4


@dataclass(frozen=True)
class HostSettings(Ranged):
    """Where environments run: in this process, or in actors on a Ray cluster."""

    kind: str = "local"
    """"local" or "ray"."""
    address: str = ""
    """Address of the cluster; "" joins the one that this machine belongs to, or starts one on this machine."""
    num_hosts: Annotated[int, Range(1)] = 2
    """Actors that hold environments; Ray spreads them over the nodes."""
    games_per_host: Annotated[int, Range(1)] = 64
    """Environments that one actor steps at once."""
    cpus: Annotated[float, Range(0)] = 1.0
    """CPUs that one actor declares."""
    memory_mib: Annotated[int, Range(0)] = 0
    """Memory that one actor declares; 0 declares none."""
    resources: Annotated[Mapping[str, float], Range(0)] = field(default_factory=dict)
    """Further resources that one actor declares, such as {"engine": 1} for nodes with a container engine."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind not in ("local", "ray"):
            raise ConfigError(f"rollout.hosts.kind must be 'local' or 'ray': got {self.kind!r}")


@dataclass(slots=True)
class _Seat:
    actor: Any
    num_open: int = 0
    has_started: bool = False
    probe: Any = None  # a call that comes back when a host that failed is there again


class RemoteGame:
    """A game that is played on a host.

    Args:
        hosts: The hosts.
        task: The first task, which the game is made for.
    """

    def __init__(self, hosts: RayHosts, task: Task) -> None:
        self.roles: Sequence[str] = ()
        self.reward_weights: Mapping[str, float] = {}
        self.tools: Mapping[str, Sequence[ToolSchema]] = {}
        self.acting_role: str | None = None
        self._hosts = hosts
        self._seat: _Seat | None = None
        self._key = next(hosts.keys)
        self._timeout_s = task.limits.step_timeout_s + _GRACE_S
        self._anchor: str | None = None
        self._wants_anchor = False
        self._per_host: int | None = None
        self._sit_down(task)

    @property
    def capacity(self) -> int:
        """How many games the hosts hold: as many as each can step at once, or has sandboxes for."""
        stated = self._hosts.games_per_host
        return self._hosts.num_hosts * (stated if self._per_host is None else min(stated, max(1, self._per_host)))

    def reset(self, task: Task, seed: int | None = None) -> Inbox:
        """Reset the game on its host, or on another where that one is gone: nothing is lost by it."""
        self._timeout_s = task.limits.step_timeout_s + _GRACE_S
        start: GameStart
        try:
            start = self._ask("reset", task, seed)
        except HostLostError:
            self._sit_down(task)
            start = self._ask("reset", task, seed)
        self.acting_role, self._per_host = start.acting_role, start.capacity
        self.roles, self.tools = start.roles, start.tools
        self._anchor = self._ask("anchor") if self._wants_anchor else None
        return start.inbox

    def step(self, text: str) -> GameReply:
        """Step the game on its host."""
        reply: GameReply
        reply, self.acting_role, self._anchor = self._ask("step", text, self._wants_anchor)
        return reply

    def finalize(self, reason: CutReason) -> GameReply:
        """Close the running episode on its host."""
        self.acting_role = None
        reply: GameReply = self._ask("finalize", reason)
        return reply

    def anchor(self) -> str | None:
        """The anchor of the present state; from the first one asked for on it comes with each step's reply."""
        if not self._wants_anchor:
            self._wants_anchor = True
            self._anchor = self._ask("anchor")
        return self._anchor

    def progress(self, role: str) -> float | None:
        """How far a role has come; a call of its own to the host."""
        found: float | None = self._ask("progress", role)
        return found

    def legal_actions(self, role: str) -> Sequence[str] | None:
        """What a role can do; a call of its own to the host."""
        found: Sequence[str] | None = self._ask("legal_actions", role)
        return found

    def screenshot(self) -> Image | None:
        """What a person would see; a call of its own to the host."""
        found: Image | None = self._ask("screenshot")
        return found

    def interrupt(self) -> None:
        """Make a running step give up."""
        if self._seat is not None:
            self._hosts.tell(self._seat, "interrupt", self._key)

    def close(self) -> None:
        """Free the game on its host; twice is harmless."""
        seat, self._seat = self._seat, None
        if seat is not None:
            self._hosts.tell(seat, "close", self._key)
            self._hosts.give_back(seat)

    def _sit_down(self, task: Task) -> None:
        self.close()
        for _ in range(self._hosts.num_hosts):
            self._seat = self._hosts.take_seat()
            timeout_s = max(self._timeout_s, _OPEN_TIMEOUT_S)
            try:
                self._hosts.wait_for_start(self._seat)
                card: GameCard = self._hosts.ask(self._seat, "open", timeout_s, self._key, task)
            except HostLostError:
                self.close()
                continue
            except BaseException:
                self.close()
                raise
            self.roles, self.reward_weights, self.tools = card.roles, card.reward_weights, card.tools
            return
        raise HostLostError(f"none of the {self._hosts.num_hosts} hosts of environments answers; see 'ray status'")

    def _ask(self, method: str, *arguments: Any) -> Any:
        if self._seat is None:
            raise HostLostError("the game was closed")
        return self._hosts.ask(self._seat, method, self._timeout_s, self._key, *arguments)


class RayHosts:
    """The actors of one rollout.

    Args:
        make_game: Makes the game of a task, on a host; sent there by Ray.
        settings: How many, and what each declares.

    Raises:
        MissingExtraError: Ray is not installed.
        ConfigError: No cluster answers at the address.
    """

    def __init__(self, make_game: MakeGame, settings: HostSettings) -> None:
        try:
            import ray
        except ImportError as error:
            raise MissingExtraError("environments on a Ray cluster", "scale") from error
        self._ray = ray
        self.keys = itertools.count()
        self.num_hosts, self.games_per_host = settings.num_hosts, settings.games_per_host
        self.num_lost = 0
        self._lock = threading.Lock()
        self._has_joined = not ray.is_initialized()
        if self._has_joined:
            with sigterm_kept():
                _join(ray, settings.address)
        options: dict[str, Any] = {
            "num_cpus": settings.cpus,
            "resources": dict(settings.resources),
            "max_restarts": -1,
            "max_task_retries": 0,  # a step may have been applied before its host died
            "max_concurrency": settings.games_per_host + _CONTROL_THREADS,
            "scheduling_strategy": "SPREAD",
        }
        if settings.memory_mib:
            options["memory"] = settings.memory_mib << 20
        host = ray.remote(EnvironmentHost).options(**options)
        self._maker = ray.put(make_game)  # kept here: a restarted actor fetches it again
        self._seats = [_Seat(host.remote(self._maker)) for _ in range(settings.num_hosts)]

    def make_game(self, task: Task) -> Game:
        """A game on the host with the fewest open ones."""
        return RemoteGame(self, task)

    def nodes(self) -> Counter[str]:
        """How many hosts each node has, by the node's id; a host that does not answer counts under ""."""
        calls = [seat.actor.where.remote() for seat in self._seats]
        ready, missing = self._ray.wait(calls, num_returns=len(calls), timeout=_GRACE_S)
        found: Counter[str] = Counter({"": len(missing)} if missing else {})
        for call in ready:
            try:
                found[self._ray.get(call)[0]] += 1
            except self._ray.exceptions.RayError:
                found[""] += 1
        return found

    def take_seat(self) -> _Seat:
        """A place on the least loaded host; hosts that failed come last until they answer again."""
        with self._lock:
            for seat in self._seats:
                if seat.probe is not None and self._is_back(seat.probe):
                    seat.probe = None
            seat = min(self._seats, key=lambda seat: (seat.probe is not None, seat.num_open))
            seat.num_open += 1
            return seat

    def wait_for_start(self, seat: _Seat) -> None:
        """Wait until a host has started; no time of an environment's runs before.

        Raises:
            HostLostError: The host died.
            StepTimeoutError: It did not start in time.
        """
        if seat.has_started:
            return
        try:
            self.ask(seat, "where", _START_TIMEOUT_S)
        except StepTimeoutError as error:
            raise StepTimeoutError(
                f"a host of environments did not start within {_START_TIMEOUT_S:g} s; "
                "'ray status' shows whether a node has room for it"
            ) from error
        seat.has_started = True

    def give_back(self, seat: _Seat) -> None:
        """Free a place."""
        with self._lock:
            seat.num_open -= 1

    def ask(self, seat: _Seat, method: str, timeout_s: float, *arguments: Any) -> Any:
        """Call a host and wait.

        Raises:
            HostLostError: The host died or was restarted.
            StepTimeoutError: It did not answer in time.
            AgentGymError: What the environment itself raised.
        """
        errors = self._ray.exceptions
        try:
            return self._ray.get(getattr(seat.actor, method).remote(*arguments), timeout=timeout_s)
        except errors.GetTimeoutError as error:
            raise StepTimeoutError(
                f"the environment's host did not answer {method!r} within {timeout_s:g} s"
            ) from error
        except errors.RayTaskError as error:
            cause = error.cause
            raise cause if isinstance(cause, Exception) else HostLostError(str(error)) from error
        except errors.RayError as error:
            self._suspect(seat)
            raise HostLostError(f"the environment's host was lost during {method!r}: {error}") from error

    def tell(self, seat: _Seat, method: str, *arguments: Any) -> None:
        """Call a host without waiting; what it cannot do because it is gone needs no doing."""
        try:
            getattr(seat.actor, method).remote(*arguments)
        except self._ray.exceptions.RayError:
            self._suspect(seat)

    def close(self) -> None:
        """End the actors, and leave the cluster if this joined it; twice is harmless."""
        for seat in self._seats:
            self._ray.kill(seat.actor)
        self._seats = []
        if self._has_joined:
            with sigterm_kept():
                self._ray.shutdown()
            self._has_joined = False

    def _suspect(self, seat: _Seat) -> None:
        with self._lock:
            seat.has_started = False
            if seat.probe is None:
                self.num_lost += 1
                seat.probe = seat.actor.where.remote()

    def _is_back(self, probe: Any) -> bool:
        ready, _ = self._ray.wait([probe], timeout=0)
        if not ready:
            return False
        try:
            self._ray.get(ready[0])
        except self._ray.exceptions.RayError:
            return False
        return True


def _join(ray: Any, address: str) -> None:
    try:
        ray.init(address=address or None, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ConfigError(
            f"no Ray cluster answers at {address or 'this machine'!r}: {error}; start one with 'ray start --head'"
        ) from error
