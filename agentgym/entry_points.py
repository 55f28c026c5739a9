"""Packages that announce environments in the entry-point group `agentgym.environments`.

What they register is kept by `agentgym.registration` and `agentgym.suite`; importing agentgym looks for none.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from inspect import signature

from agentgym.errors import ContractError
from agentgym.origin import describe_error

ENTRY_POINT_GROUP = "agentgym.environments"
_is_loaded = False
_failures: list[str] = []
_failed: list[EntryPoint] = []


def load_entry_points() -> list[str]:
    """Call what installed packages announce, once per process; a broken package does not stop the others.

    Returns:
        A sentence for each announced function that could not be imported or called; names the package.
    """
    global _is_loaded
    if _is_loaded:
        return _failures
    _failed.clear()
    _is_loaded = True  # before the calls: what they call may look for names itself
    for announced in entry_points(group=ENTRY_POINT_GROUP):
        try:
            _call(announced)
        except Exception as error:  # noqa: BLE001 - a boundary: whatever a package raises is its failure
            _failed.append(announced)
            package = announced.dist.name if announced.dist else announced.value
            failed = str(error) if isinstance(error, ContractError) else f"raised {describe_error(error)}"
            _failures.append(
                f"entry point {announced.name!r} of package {package!r} ({announced.value}) failed: {failed}. "
                "Mend or uninstall the package."
            )
    return _failures


def is_announced_in_vain(namespace: str) -> bool:
    """Whether what failed is named as a namespace of ids: the entry point, its package or its module."""
    names = {name for each in _failed for name in (each.name, each.dist.name if each.dist else "", each.module)}
    return _plain(namespace) in {_plain(name.partition(".")[0]) for name in names}


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


def _call(announced: EntryPoint) -> None:
    function = announced.load()
    try:
        signature(function).bind()
    except TypeError as error:
        raise ContractError(f"it is no function without arguments ({error})") from error
    function()
