"""Packages that announce environments in the entry-point group `agentgym.environments`.

What they register is kept by `agentgym.registration` and `agentgym.suite`; importing agentgym looks for none.
"""

from __future__ import annotations

from importlib.metadata import entry_points

ENTRY_POINT_GROUP = "agentgym.environments"
_is_loaded = False
_failures: list[str] = []


def load_entry_points() -> list[str]:
    """Call what installed packages announce, once per process; a broken package does not stop the others.

    Returns:
        A sentence for each announced function that could not be imported or called; names the package.
    """
    global _is_loaded
    if _is_loaded:
        return _failures
    _is_loaded = True  # before the calls: what they call may look for names itself
    for announced in entry_points(group=ENTRY_POINT_GROUP):
        try:
            announced.load()()
        except Exception as error:  # noqa: BLE001 - a boundary: whatever a package raises is its failure
            package = announced.dist.name if announced.dist else announced.value
            _failures.append(
                f"entry point {announced.name!r} of package {package!r} failed: {type(error).__name__}: {error}; "
                f"expected {announced.value!r} to be a function without arguments. Mend or uninstall the package."
            )
    return _failures
