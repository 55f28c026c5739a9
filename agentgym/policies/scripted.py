"""Players written by hand as policies: one script per episode, made from its task.

The scripts themselves come with each environment; loading them by name is in `agentgym.policies.by_name`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentgym.errors import ContractError
from agentgym.message import Message
from agentgym.policy import Reply, Request, Script, ScriptFactory
from agentgym.task import Task


class ScriptedPolicy:
    """Plays each episode by a script of its own.

    Args:
        name: What results are reported under.
        factory: Makes the script of an episode from its task and the seed of the episode's first request; of a game,
            one for each role.
        fingerprint: What tells it from others of its name, such as its options; evaluations resume by it.
    """

    uses_tokens = False
    concurrency = 1
    seen_hashes: frozenset[str] = frozenset()

    def __init__(self, name: str, factory: ScriptFactory | Mapping[str, ScriptFactory], fingerprint: str = "") -> None:
        self.name, self.fingerprint = name, fingerprint
        self._factory = factory
        self._scripts: dict[str, Script] = {}

    def generate(self, requests: Sequence[Request]) -> list[Reply]:
        """The next message of each episode's script."""
        return [Reply(self._script(request).act(request.messages)) for request in requests]

    def forget(self, episode: str) -> None:
        """Drop the script of an episode that ended."""
        self._scripts.pop(episode, None)

    def _script(self, request: Request) -> Script:
        script = self._scripts.get(request.episode)
        if script is None:
            script = self._scripts[request.episode] = self.factory_of(request.role)(request.task, request.seed)
        return script

    def factory_of(self, role: str) -> ScriptFactory:
        """Makes the scripts of a role.

        Raises:
            ContractError: There is none of that role.
        """
        if not isinstance(self._factory, Mapping):
            return self._factory
        if role not in self._factory:
            raise ContractError(
                f"policy {self.name!r} has no script of the role {role!r}, only of {list(self._factory)}"
            )
        return self._factory[role]


class Recording:
    """Says recorded messages, one per turn.

    Args:
        task_id: The task that they were said in.
        texts: The messages.
    """

    def __init__(self, task_id: str, texts: Sequence[str]) -> None:
        self._task_id, self._texts, self._turn = task_id, texts, 0

    def act(self, messages: Sequence[Message]) -> str:
        """The next message.

        Raises:
            ContractError: None is left.
        """
        if self._turn == len(self._texts):
            raise ContractError(
                f"the recording of task {self._task_id!r} ends after {self._turn} messages, but the episode goes on; "
                "replay it on the environment and seed that it was made with"
            )
        self._turn += 1
        return self._texts[self._turn - 1]


def replay(recorded: Mapping[str, Sequence[str]], name: str = "replay") -> ScriptedPolicy:
    """A policy that repeats recorded messages.

    Args:
        recorded: The messages of an episode, by task id.
        name: What results are reported under.
    """

    def factory(task: Task, seed: int) -> Recording:
        if task.id not in recorded:
            raise ContractError(f"nothing is recorded for task {task.id!r}; {len(recorded)} other tasks are")
        return Recording(task.id, recorded[task.id])

    return ScriptedPolicy(name, factory)
