"""The environments of the web family. Registration, `agentgym list`, the documentation and tests read this list.

It imports no environment. To add one, write its folder and add its entry here.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentgym.registration.env_spec import EnvSpec, Need

_RUNTIMES = ("local", "served")
_IMAGE = "agentgym/web"
_VIEW = ("screenshot", "marks", "tree", "dom", "visible_only", "max_tokens", "actions")
_VARIABLES = {"browser": "AGENTGYM_BROWSER"}
# A browser has many threads, and what its pages share with it lies in the temporary folder.
_LIMITS = {"memory_mib": 4096, "pids": 4096, "tmp_mib": 1024}


def _site(name: str, *suites: str) -> EnvSpec:
    return EnvSpec(
        f"agentgym/{name}-v0",
        f"agentgym_web.sites.envs:{name}Env",
        "agentgym_web.sites.scripts:SCRIPTS",
        "web",
        tuple(f"web/{suite}" for suite in suites),
        runtimes=_RUNTIMES,
        image=_IMAGE,
        limits=_LIMITS,
        extra="web",
        room="sites",
        message_options=(*_VIEW, "skip"),
        variables=_VARIABLES,
        disclosed=("walkthrough", "answer"),  # Links that it names, and what is to be found, stand on the pages.
    )


FOREIGN: Mapping[str, EnvSpec] = {
    "browsergym": EnvSpec(
        "browsergym/openended",
        "agentgym_web.formats.browsergym.env:BrowserGymEnv",
        "agentgym_web.formats.scripts:SCRIPTS",
        "web",
        deterministic=False,
        adapts="browsergym",
        extra="web",
        why_no_oracle="Its tasks are those of other projects.",
        is_costly=True,
        room="formats",
        needs=(Need("an interpreter for BrowserGym", "python", "AGENTGYM_BROWSERGYM_PYTHON"),),
    ),
}
"""By namespace, what an id of another project's stands for; an id that is not listed is registered when asked for."""

SPECS: tuple[EnvSpec, ...] = (
    EnvSpec(
        "agentgym/MiniWoB-v0",
        "agentgym_web.miniwob.env:MiniWoBEnv",
        "agentgym_web.miniwob.scripts:SCRIPTS",
        "web",
        ("web/miniwob-easy", "web/miniwob-medium", "web/miniwob-hard", "web/miniwob-small"),
        runtimes=_RUNTIMES,
        image=_IMAGE,
        limits=_LIMITS,
        extra="web",
        room="miniwob",
        message_options=(*_VIEW, "shapes"),
        checks="agentgym_web.miniwob.opening:CHECKS",
        variables=_VARIABLES,
    ),
    _site("Shop", "shop", "shop-small"),
    _site("Forum", "forum"),
    _site("Wiki", "wiki"),
    _site("Admin", "admin"),
    _site("Mail", "mail"),
    _site("Phone", "phone"),
    _site("Sites", "across"),
    EnvSpec(
        "agentgym/WebArchive-v0",
        "agentgym_web.archive.env:WebArchiveEnv",
        "agentgym_web.archive.scripts:SCRIPTS",
        "web",
        ("web/papers",),
        runtimes=_RUNTIMES,
        image=_IMAGE,
        limits=_LIMITS,
        extra="web",
        room="archives",
        message_options=("screenshot", "visible_only", "max_tokens"),
        variables=_VARIABLES,
    ),
    EnvSpec(
        "agentgym/WebArena-v0",
        "agentgym_web.formats.webarena.env:WebArenaEnv",
        "agentgym_web.formats.scripts:SCRIPTS",
        "web",
        deterministic=False,
        extra="web",
        why_no_oracle="Its tasks are those of other projects, on sites of the user's.",
        room="formats",
    ),
    EnvSpec(
        "agentgym/WebTrace-v0",
        "agentgym_web.formats.semi_online:TraceEnv",
        "agentgym_web.formats.trace_players:SCRIPTS",
        "web",
        extra="web",
        measures="agentgym.authoring.semi_online:MEASURES",
        room="formats",
    ),
    FOREIGN["browsergym"].named("browsergym/openended"),
)
"""All environments of the family."""
