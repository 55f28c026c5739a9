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
            _call(announced)
        except Exception as error:  # noqa: BLE001 - a boundary: whatever a package raises is its failure
            package = announced.dist.name if announced.dist else announced.value
            failed = str(error) if isinstance(error, ContractError) else f"raised {describe_error(error)}"
            _failures.append(
                f"entry point {announced.name!r} of package {package!r} ({announced.value}) failed: {failed}. "
                "Mend or uninstall the package."
            )
    return _failures


def _call(announced: EntryPoint) -> None:
    function = announced.load()
    try:
        signature(function).bind()
    except TypeError as error:
        raise ContractError(f"it is no function without arguments ({error})") from error
    function()
