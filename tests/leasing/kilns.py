"""A resource that is no sandbox: kilns, which use power and gas, cool down when they come back, and sometimes break."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from agentgym.errors import ConfigError, InfrastructureError
from agentgym.leasing.canary import leftovers
from agentgym.leasing.maker import Maker, ResetMethod


class KilnStartError(InfrastructureError):
    """A kiln that cannot be lit."""


class KilnLostError(InfrastructureError):
    """A kiln that broke."""


class KilnDirtyError(InfrastructureError):
    """A kiln that is not empty after its reset."""


@dataclass(frozen=True)
class Firing:
    """What a kiln is needed for."""

    kilowatts: float = 2.0
    longest_s: float | None = None


@dataclass(eq=False)
class Kiln:
    """One kiln, with what happened to it."""

    firing: Firing
    pots: int = 0
    glued_pots: int = 0
    is_broken: bool = False
    is_closed: bool = False
    num_resets: int = 0
    reset_error: Exception | None = None

    def status(self) -> dict[str, str]:
        """What the canary reads."""
        return {"pots": str(self.pots), "temperature": "20"}


@dataclass
class KilnMaker(Maker[Kiln, Firing]):
    """Lights kilns and counts them."""

    noun, plural = "kiln", "kilns"
    start_error, lost_error, dirty_error = KilnStartError, KilnLostError, KilnDirtyError
    lit: set[Kiln] = field(default_factory=set)
    num_started: int = 0
    most_lit: int = 0
    num_clean_ups: int = 0
    has_gas: bool = True
    lock: threading.Lock = field(default_factory=threading.Lock)

    def check(self, spec: Firing) -> None:
        if spec.kilowatts > 100:
            raise ConfigError("no kiln takes more than 100 kW")

    def cost(self, spec: Firing) -> Mapping[str, float]:
        return {"kW": spec.kilowatts, "flues": 1}

    def start(self, spec: Firing) -> Kiln:
        if not self.has_gas:
            raise KilnStartError("no gas")
        kiln = Kiln(spec)
        with self.lock:
            self.num_started += 1
            self.lit.add(kiln)
            self.most_lit = max(self.most_lit, len(self.lit))
        return kiln

    def reset(self, resource: Kiln) -> ResetMethod:
        if resource.is_broken:
            raise KilnLostError("it broke while it was out")
        if resource.reset_error is not None:
            raise resource.reset_error
        resource.pots = resource.glued_pots
        left = leftovers(resource.status, {"pots": "0"})
        if left:
            raise KilnDirtyError(f"still there: {left}")
        resource.num_resets += 1
        return "in_place"

    def is_lost(self, resource: Kiln) -> bool:
        return resource.is_broken

    def close(self, resource: Kiln) -> None:
        with self.lock:
            self.lit.discard(resource)
        resource.is_closed = True

    def lease_s(self, spec: Firing) -> float | None:
        return spec.longest_s

    def clean_up(self) -> None:
        self.num_clean_ups += 1
