"""The sites by name. It imports none of them before it is asked for one."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from agentgym.errors import UnknownNameError

if TYPE_CHECKING:
    from agentgym_web.sites.core.drafts import Template
    from agentgym_web.sites.core.site import Site

SITES: Mapping[str, str] = MappingProxyType(
    {name: f"agentgym_web.sites.{name}.app:SITE" for name in ("shop", "mail", "forum", "wiki", "admin", "phone")}
)
"""Where each site is, as "module:attribute"; the module `tasks` beside it holds its templates."""


def load_site(name: str) -> Site:
    """The site of that name.

    Raises:
        UnknownNameError: There is no such site.
    """
    if name not in SITES:
        raise UnknownNameError("site", name, SITES)
    module, attribute = SITES[name].split(":")
    site: Site = getattr(importlib.import_module(module), attribute)
    return site


def load_templates(name: str) -> tuple[Template, ...]:
    """The templates of the tasks on a site.

    Raises:
        UnknownNameError: There is no such site.
    """
    if name not in SITES:
        raise UnknownNameError("site", name, SITES)
    package = SITES[name].split(":")[0].rpartition(".")[0]
    templates: tuple[Template, ...] = importlib.import_module(f"{package}.tasks").TEMPLATES
    return templates
