"""The peers: what has to be installed for each, where, and how the user names it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentgym.errors import UnknownNameError


@dataclass(frozen=True)
class Peer:
    """A benchmark of another project.

    Attributes:
        name: The namespace of its ids, and the name of its driver.
        parts: What is behind the namespace in the ids that are listed; there may be more.
        title: As it calls itself.
        version: What the driver was written for.
        remedy: How an interpreter with it is made.
        in_folder: Whether it lies in a folder that the user names, besides the interpreter.
        has_user: Whether some of its tasks have a user in prose.
    """

    name: str
    parts: tuple[str, ...]
    title: str
    version: str
    remedy: str
    in_folder: bool = False
    has_user: bool = False

    @property
    def interpreter_variable(self) -> str:
        """The environment variable that names the interpreter."""
        return f"AGENTGYM_{self.name.upper()}_PYTHON"

    @property
    def folder_variable(self) -> str:
        """The environment variable that names the folder."""
        return f"AGENTGYM_{self.name.upper()}_FOLDER"


PEERS: Mapping[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer(
            "bfcl",
            (
                "multi_turn",
                "multi_turn_base",
                "multi_turn_miss_func",
                "multi_turn_miss_param",
                "multi_turn_long_context",
            ),
            "BFCL",
            "bfcl-eval 2026.3.23",
            "python3 -m venv PATH; PATH/bin/pip install --no-deps bfcl-eval==2026.3.23 mpmath==1.3.0",
        ),
        Peer(
            "agentdojo",
            ("all", "workspace", "travel", "banking", "slack"),
            "AgentDojo",
            "agentdojo 0.1.35",
            "python3 -m venv PATH; PATH/bin/pip install agentdojo==0.1.35",
        ),
        Peer(
            "tau2",
            ("airline", "retail", "telecom"),
            "tau2-bench",
            "tau2 1.0.1",
            "with Python 3.12 or later, python3 -m venv PATH; PATH/bin/pip install FOLDER, FOLDER being its checkout",
            in_folder=True,
            has_user=True,
        ),
        Peer(
            "acebench",
            ("agent_multi_step", "agent_multi_turn"),
            "ACEBench",
            "commit 56dd66c",
            "python3 -m venv PATH is enough; FOLDER is a checkout of its repository",
            in_folder=True,
            has_user=True,
        ),
        Peer(
            "appworld",
            ("train", "dev", "test_normal", "test_challenge"),
            "AppWorld",
            "appworld 0.1.3",
            "python3 -m venv PATH; PATH/bin/pip install appworld==0.1.3 'click<8.2'; PATH/bin/appworld install; "
            "PATH/bin/appworld download data --root FOLDER",
            in_folder=True,
        ),
    )
}
"""By name."""


def peer_named(name: str) -> Peer:
    """A peer.

    Raises:
        UnknownNameError: There is none of the name.
    """
    if name not in PEERS:
        raise UnknownNameError("benchmark", name, PEERS)
    return PEERS[name]
