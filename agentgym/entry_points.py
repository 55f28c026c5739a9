"""Packages that announce environments in the entry-point group `agentgym.environments`.

What they register is kept by `agentgym.registration` and `agentgym.suite`; importing agentgym looks for none.
"""

from __future__ import annotations

from importlib.metadata import entry_points

from agentgym.errors import ConfigError

ENTRY_POINT_GROUP = "agentgym.environments"
_is_loaded = False


def load_entry_points() -> None:
    """Call what installed packages announce; once a process.

    Raises:
        ConfigError: An announced function cannot be imported or called; names the package.
    """
    global _is_loaded
    if _is_loaded:
        return
    _is_loaded = True  # before the calls: what they call may look for names itself
    for announced in entry_points(group=ENTRY_POINT_GROUP):
        try:
            announced.load()()
        except (ImportError, AttributeError, TypeError) as error:
            _is_loaded = False
            package = announced.dist.name if announced.dist else announced.value
            raise ConfigError(
                f"entry point {announced.name!r} of package {package!r} failed: {error}; "
                f"expected {announced.value!r} to be a function without arguments. Mend or uninstall the package."
            ) from error
