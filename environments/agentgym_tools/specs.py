"""The environments of the tool-use family. Registration, `agentgym list`, the documentation and tests read this list.

It imports no environment. To add one, write its folder and add its entry here.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentgym.registration.env_spec import EnvSpec, Need
from agentgym_tools.adapters.peers import PEERS, Peer

DESKS = ("shop", "airline", "bank", "clinic", "insurance", "telecom")
"""Names of the desks."""
SMALL_DESKS = ("shop", "telecom")
"""Those that have a suite over a small world too, for tiny models."""
INJECTED_DESKS = ("shop", "airline", "bank", "clinic", "telecom")
"""Those that have a suite with planted texts."""
HARDER_DESKS = ("shop", "telecom")
"""Those that have a suite of harder tasks too: distractors, scrambled names, tickets, a tool that fails."""
FINDING_DESKS = ("shop",)
"""Those that have a suite too in which the desk's tools have to be found among 500."""
WORDS_DESKS = ("shop", "airline", "bank", "clinic", "insurance", "telecom")
"""Those that have a suite of tasks in which agent and customer talk in words."""


def _desk(name: str) -> EnvSpec:
    """The desk of a domain, with a customer."""
    package = "agentgym_tools.desks"
    small = [f"tools/desk-{name}-small"] if name in SMALL_DESKS else []
    injected = [f"tools/desk-{name}-injected"] if name in INJECTED_DESKS else []
    harder = [f"tools/desk-{name}-harder"] if name in HARDER_DESKS else []
    finding = [f"tools/desk-{name}-find"] if name in FINDING_DESKS else []
    words = [f"tools/desk-{name}-words"] if name in WORDS_DESKS else []
    return EnvSpec(
        f"agentgym/{name.title()}Desk-v0",
        f"{package}.game:DeskGame",
        f"{package}.scripts:SCRIPTS",
        "tools",
        (f"tools/desk-{name}", *small, *harder, *injected, *finding, *words),
        runtimes=("local", "served"),
        roles=("agent", "user"),
        partners=f"{package}.scripts:PARTNERS",
        guards=f"{package}.words.guard:GUARDS",
        options={"desk": name},
        difficulty={"size": ("small", "full")},
        room="desks",
    )


def _peer(peer: Peer) -> EnvSpec:
    """What an id of another benchmark's stands for, such as "bfcl/multi_turn_base"."""
    package = "agentgym_tools.adapters"
    interpreter = Need(f"an interpreter for {peer.title} ({peer.version})", "interpreter", peer.interpreter_variable)
    folder = Need(f"the folder of {peer.title}", "folder", peer.folder_variable)
    return EnvSpec(
        f"{peer.name}/{peer.parts[0]}",
        f"{package}.game:PeerGame",
        f"{package}.scripts:SCRIPTS",
        "tools",
        deterministic=False,
        roles=("agent", "user") if peer.has_user else ("agent",),
        partners=f"{package}.scripts:{'PARTNERS' if peer.has_user else 'SOLO_PARTNERS'}",
        adapts=peer.name,
        room="adapters",
        needs=(interpreter, folder) if peer.in_folder else (interpreter,),
    )


FOREIGN: Mapping[str, EnvSpec] = {peer.name: _peer(peer) for peer in PEERS.values()}
"""By namespace, what an id of another project's stands for; an id that is not listed is registered when asked for."""

SPECS: tuple[EnvSpec, ...] = (
    EnvSpec(
        "agentgym/Lookup-v0",
        "agentgym_tools.lookup.env:LookupEnv",
        "agentgym_tools.lookup.scripts:SCRIPTS",
        "tools",
        ("tools/lookup",),
        runtimes=("local", "served"),
        difficulty={"hops": (1, 2, 3), "distractors": (0, 1, 2, 3)},
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
        difficulty={"level": (1, 2, 3)},
    ),
    EnvSpec(
        "agentgym/Maths-v0",
        "agentgym_tools.maths.env:MathsEnv",
        "agentgym_tools.maths.scripts:SCRIPTS",
        "tools",
        ("tools/maths", "tools/maths-small"),
        runtimes=("workspace",),
        extra="docker",
        difficulty={"level": (1, 2, 3)},
    ),
    EnvSpec(
        "agentgym/Sql-v0",
        "agentgym_tools.sql.env:SqlEnv",
        "agentgym_tools.sql.scripts:SCRIPTS",
        "tools",
        ("tools/sql", "tools/sql-small"),
        runtimes=("local", "served"),
        difficulty={"level": (1, 2, 3)},
    ),
    EnvSpec(
        "agentgym/Search-v0",
        "agentgym_tools.search.env:SearchEnv",
        "agentgym_tools.search.scripts:SCRIPTS",
        "tools",
        ("tools/search", "tools/search-small"),
        extra="search",
        difficulty={"hops": (1, 2, 3, 4)},
        hints="agentgym_tools.search.scripts:hint",
    ),
    EnvSpec(
        "agentgym/SearchSelfPlay-v0",
        "agentgym_tools.search.self_play.game:SearchSelfPlayGame",
        "agentgym_tools.search.self_play.scripts:SCRIPTS",
        "tools",
        ("tools/search-solver", "tools/search-proposer"),
        extra="search",
        roles=("solver", "proposer", "reader"),
        partners="agentgym_tools.search.self_play.scripts:PARTNERS",
        difficulty={"hops": (2, 3)},
    ),
    EnvSpec(
        "agentgym/Workbench-v0",
        "agentgym_tools.workbench.env:WorkbenchEnv",
        "agentgym_tools.workbench.scripts:SCRIPTS",
        "tools",
        ("tools/workbench", "tools/workbench-small"),
        runtimes=("local", "served"),
        difficulty={"num_requests": (2, 3, 4, 5, 6)},
    ),
    *map(_desk, DESKS),
    EnvSpec(
        "agentgym/Apps-v0",
        "agentgym_tools.apps.env:AppsEnv",
        "agentgym_tools.apps.scripts:SCRIPTS",
        "tools",
        ("tools/apps", "tools/apps-small", "tools/apps-injected"),
        runtimes=("local", "served"),
        difficulty={"apps": (1, 2, 3)},
        message_options=("mode", "schemas"),
    ),
    EnvSpec(
        "agentgym/McpTools-v0",
        "agentgym_tools.mcp.env:McpToolsEnv",
        "agentgym_tools.mcp.scripts:SCRIPTS",
        "tools",
        ("tools/mcp", "tools/mcp-injected"),
        runtimes=("workspace",),
        extra="mcp",
        own_tasks="tasks",
    ),
    *(FOREIGN[peer.name].named(f"{peer.name}/{part}") for peer in PEERS.values() for part in peer.parts),
)
"""All environments of the family."""
