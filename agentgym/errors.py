"""Every error that agentgym raises on purpose, in one tree.

A bad action of a model is not an error: environments answer it with an observation and a declared reward.

AgentGymError
├── ConfigError (ValueError)             a malformed setting, file or argument
├── UnknownNameError (LookupError)       a name that nothing is registered under; suggests close matches
├── MissingExtraError (ImportError)      an optional dependency is not installed
├── TaskError (ValueError)               a task or suite that breaks its contract
├── ContractError (RuntimeError)         an environment, policy or method that breaks its contract
├── HeldOutError (PermissionError)       a held-out task asked for training, or a trained-on task for evaluation
├── ActionSyntaxError (ValueError)       a message that is not a valid action; environments turn it into an observation
├── TemplateError (ValueError)           a chat template that is missing or cannot be used
├── ContextOverflowError (ValueError)    a prompt that leaves no room in the model's context
├── StoreError (OSError)                 a run's database that cannot be opened, read or written
│   └── WrongRunError                    a folder without the run that is wanted, or with one that is in the way
├── CheckpointError (OSError)            a checkpoint that is missing, half-written or of another run
│   └── WrongModelError                  a folder named as a model that cannot be loaded, or does not fit together
├── LearningStalledError (RuntimeError)  a training run that crossed a fail-fast threshold
├── CostLimitError (RuntimeError)        a request that might cost more than was allowed
├── UnsupportedSpecError (ValueError)    a sandbox that asks for more than its provider can enforce
├── SandboxFileError (OSError)           a file operation in a sandbox that was refused or impossible
├── CancelledEpisode (RuntimeError)      an episode that was interrupted on request
└── InfrastructureError (RuntimeError)   something outside the task and the policy broke; retried, never scored
    ├── RewardError (ValueError)         a reward that is infinite or not a number; the environment's if it returns
    ├── StepTimeoutError (TimeoutError)  an environment call that ran past its time limit
    ├── HostLostError (ConnectionError)  a machine or process that held environments and is gone
    ├── EndpointError (ConnectionError)  a model server that is down, slow or gives wrong answers
    │   └── EndpointDownError            has never answered: the episodes end with it, none is tried again
    ├── PartnerError (RuntimeError)      a partner (another role's player) that failed
    │   └── PartnerForfeitError          broke the rules, or was refused, until the end; never retried
    ├── ToolServerError (RuntimeError)   a server of tools that died, was silent or changed; says how to mend it
    └── SandboxError                     a sandbox that could not do its work
        ├── SandboxStartError            could not be started: no engine, rights, image or room
        ├── SandboxLostError             ended during its work: killed, out of memory, its engine stopped
        └── SandboxDirtyError            was not clean after a reset; it was closed
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

DISTRIBUTION = "agentgymnasium"
SEE_LIST = "; agentgym list shows all environments and suites"
"""What follows some of the names of environments or suites."""
_MAX_NAMED = 20
_NUMBERED = re.compile(r"(.*-)([0-9]+)", re.DOTALL)


def suggestion(name: str, known: Iterable[str], see: str = "") -> str:
    """What to write instead of an unknown name: the names that are close to it, or else those that are known.

    Of names that are numbered as it is, the first and the last are named. Of many names, those are named that begin as
    it does, such as `web/`, or else what the names begin with.

    Args:
        name: The unknown name.
        known: Those that are known.
        see: What shows them, for more than can be named here.
    """
    names = sorted(known)
    if numbered := _numbered_as(name, names):
        return f"there are {len(numbered)}, from {numbered[0]} to {numbered[-1]}"
    if close := close_names(name, names):
        return f"did you mean {' or '.join(filter(None, (', '.join(close[:-1]), close[-1])))}?"
    if len(names) <= _MAX_NAMED:
        return f"known: {', '.join(names) or 'none'}"
    space = name.partition("/")[0] if "/" in name else ""
    alike = [known for known in names if space and known.startswith(f"{space}/")]
    if space and not alike and all("/" in known for known in names):
        spaces = sorted({known.partition("/")[0] for known in names})
        return f"known: {', '.join(f'{each}/…' for each in spaces)}{see}"
    shown = (alike or names)[:_MAX_NAMED]
    return f"known: {', '.join(shown)} and {len(names) - len(shown)} more{see}"


def _numbered_as(name: str, names: Iterable[str]) -> list[str]:
    """The names that differ from one in their last number alone, in order; none where most numbers are missing."""
    form = _NUMBERED.fullmatch(name)
    ends = [each.removeprefix(form[1]) for each in names if each.startswith(form[1])] if form else []
    ends = sorted(filter(str.isdecimal, ends), key=int)
    is_dense = len(ends) > 1 and int(ends[-1]) - int(ends[0]) < 2 * len(ends)
    return [f"{form[1]}{end}" for end in ends] if form and is_dense else []


def close_names(name: str, known: Iterable[str]) -> list[str]:
    """Those of the known names that an unknown one may be a misspelling of, the closest first; at most three."""
    return difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.6)


def unreadable(path: Path | str, error: Exception) -> str:
    """Why a file cannot be read, and what to do about it, for a message."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return f"there is no file {path}; check the path"
    if isinstance(error, IsADirectoryError):
        return f"{path} is a folder; name a file in it"
    if isinstance(error, UnicodeDecodeError):
        return f"{path} is not text in UTF-8; check the path"
    return f"{path} cannot be read: {getattr(error, 'strerror', None) or error}"


class AgentGymError(Exception):
    """Root of all errors raised by agentgym on purpose."""


class ConfigError(AgentGymError, ValueError):
    """A malformed setting, file or argument: the message says where, what was found and what was expected."""


class UnknownNameError(AgentGymError, LookupError):
    """A name that nothing is registered under.

    Args:
        kind: What was looked up, such as "suite".
        name: The name that was asked for.
        known: The names that exist; close matches are suggested from them.
        failures: Why names may be missing, a sentence each.
        owner: What should have the name, such as "'tools/lookup'"; "" for names that stand alone.
        see: What shows them all, such as `SEE_LIST`; it follows if they are too many to name.
    """

    def __init__(
        self,
        kind: str,
        name: str,
        known: Iterable[str],
        failures: Iterable[str] = (),
        *,
        owner: str = "",
        see: str = "",
    ) -> None:
        self.kind, self.name = kind, name
        problem = f"{owner} has no {kind} {name!r}" if owner else f"unknown {kind} {name!r}"
        failures, names = list(failures), list(known)
        if failures and not close_names(name, names):  # what failed is what to read
            super().__init__("\n".join([problem, *failures, suggestion(name, names, see)]))
        else:
            super().__init__("\n".join([f"{problem}; {suggestion(name, names, see)}", *failures]))

    def at(self, place: str) -> Self:
        """The same error, with the place in front at which the name was written."""
        self.args = (f"{place}: {self}",)
        return self


class MissingExtraError(AgentGymError, ImportError):
    """An optional dependency that is not installed.

    Args:
        feature: What needs it, such as "the torch policy".
        extra: The extra of this distribution that brings it.
    """

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra {extra!r}; install it with: pip install '{DISTRIBUTION}[{extra}]'")


class TaskError(AgentGymError, ValueError):
    """A task or suite that breaks its contract."""


class ContractError(AgentGymError, RuntimeError):
    """An environment, policy or attribution that breaks its contract."""


class HeldOutError(AgentGymError, PermissionError):
    """A held-out task asked for training, or a task seen in training asked for evaluation."""


class ActionSyntaxError(AgentGymError, ValueError):
    """A message that is not a valid action; its text is written for the model that sent it."""


class TemplateError(AgentGymError, ValueError):
    """A chat template that is missing or cannot be used."""


class ContextOverflowError(AgentGymError, ValueError):
    """A prompt that leaves no room in the model's context."""


class StoreError(AgentGymError, OSError):
    """A run's database that cannot be opened, read or written."""


class WrongRunError(StoreError):
    """A folder without the run that is wanted, with another one, or with one that is in the way."""


class CheckpointError(AgentGymError, OSError):
    """A checkpoint that is missing, half-written or of another run."""


class WrongModelError(CheckpointError):
    """A folder named as a model that cannot be loaded, or whose weights, settings and tokenizer do not fit together."""


class LearningStalledError(AgentGymError, RuntimeError):
    """A training run that crossed a fail-fast threshold."""


class CostLimitError(AgentGymError, RuntimeError):
    """A request that might cost more than was allowed; it was not sent."""


class UnsupportedSpecError(AgentGymError, ValueError):
    """A sandbox specification that asks for more than its provider can enforce; the error names it."""


class SandboxFileError(AgentGymError, OSError):
    """A file operation in a sandbox that was refused or impossible: missing, outside, too large, not a regular file."""


class CancelledEpisode(AgentGymError, RuntimeError):  # noqa: N818 - it is no fault
    """An episode that was interrupted on request."""


class InfrastructureError(AgentGymError, RuntimeError):
    """Something outside the task and the policy broke: the episode is retried, never scored."""


class RewardError(InfrastructureError, ValueError):
    """A reward that is infinite or not a number. If it returns with the same seed, the environment is to blame."""


class StepTimeoutError(InfrastructureError, TimeoutError):
    """An environment call that ran past its time limit."""


class HostLostError(InfrastructureError, ConnectionError):
    """A machine or process that held environments and is gone, their episodes with it."""


class EndpointError(InfrastructureError, ConnectionError):
    """A model server that is down, slow or lying."""


class EndpointDownError(EndpointError):
    """A model server that has never answered; it ends what asks it, because no other episode would fare better."""


class PartnerError(InfrastructureError):
    """A partner (the player of another role) that failed.

    Args:
        message: What failed.
        cause: The cause that the outcome names; "" names this class.
        refused: What a guard refused of the partner: a JSON object for each message.
    """

    def __init__(self, message: str, cause: str = "", refused: Sequence[Mapping[str, object]] = ()) -> None:
        super().__init__(message)
        self.cause, self.refused = cause or type(self).__name__, list(refused)


class PartnerForfeitError(PartnerError):
    """A partner that broke the rules, or was refused by its guard, until the episode ended.

    The episode is never retried, because the partner's draws follow from the seed.
    """


class ToolServerError(InfrastructureError):
    """A server of tools that died, did not answer, or changed its tools; the message says how to mend it."""


class SandboxError(InfrastructureError):
    """A sandbox that could not do its work."""


class SandboxStartError(SandboxError):
    """A sandbox that could not be started: no engine, no rights, no image or no room."""


class SandboxLostError(SandboxError):
    """A sandbox that ended during its work: killed, out of memory, or its engine stopped.

    Args:
        message: What ended, and why.
        is_for_memory: Whether the kernel killed it for the memory that its own processes took. This alone says that
            what ran in it may have ended it; the limit of processes ends commands, and never the sandbox.
    """

    def __init__(self, message: str = "", *, is_for_memory: bool = False) -> None:
        super().__init__(message)
        self.is_for_memory = is_for_memory


class SandboxDirtyError(SandboxError):
    """A sandbox that was not clean after a reset; it was closed."""
