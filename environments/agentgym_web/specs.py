"""The environments of the web family. Registration, `agentgym list`, the documentation and tests read this list.

It imports no environment. To add one, write its folder and add its entry here.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentgym.registration.env_spec import EnvSpec


def _site(name: str, *suites: str) -> EnvSpec:
    return EnvSpec(
        f"agentgym/{name}-v0",
        f"agentgym_web.sites.envs:{name}Env",
        "agentgym_web.sites.scripts:SCRIPTS",
        "web",
        tuple(f"web/{suite}" for suite in suites),
        extra="web",
        room="sites",
    )


SPECS: tuple[EnvSpec, ...] = (
    EnvSpec(
        "agentgym/MiniWoB-v0",
        "agentgym_web.miniwob.env:MiniWoBEnv",
        "agentgym_web.miniwob.scripts:SCRIPTS",
        "web",
        ("web/miniwob-easy", "web/miniwob-medium", "web/miniwob-hard", "web/miniwob-small"),
        extra="web",
        room="miniwob",
    ),
    _site("Shop", "shop", "shop-small"),
    _site("Forum", "forum"),
    _site("Wiki", "wiki"),
    _site("Admin", "admin"),
    _site("Mail", "mail"),
    _site("Phone", "phone"),
    EnvSpec(
        "agentgym/WebArchive-v0",
        "agentgym_web.archive.env:WebArchiveEnv",
        "agentgym_web.archive.scripts:SCRIPTS",
        "web",
        ("web/papers",),
        extra="web",
        room="archives",
    ),
)
"""All environments of the family."""

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
        room="formats",
    ),
}
"""By namespace, what an id of another project's stands for; it is registered when it is first asked for."""
