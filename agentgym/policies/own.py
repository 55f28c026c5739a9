"""Policies of the user's own file, named as `python:FILE.py:CLASS`."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from agentgym.errors import ConfigError, UnknownNameError

FORM = "python:FILE.py:CLASS"


def own_class(rest: str) -> tuple[Any, str]:
    """The class of a policy, and what tells the file's content from others.

    Args:
        rest: `FILE.py:CLASS`.

    Raises:
        ConfigError: There is no such file, or it cannot be imported.
        UnknownNameError: It has no such class with a method `act` or `generate`; suggests those that it has.
    """
    path, _, name = rest.rpartition(":")
    file = Path(path)
    if file.suffix != ".py" or not name:
        raise ConfigError(f"policy 'python:{rest}' is incomplete: expected {FORM}, such as python:mine.py:MyPolicy")
    if not file.is_file():
        raise ConfigError(f"policy 'python:{rest}': there is no file {file}; the path starts at {Path.cwd()}")
    found = vars(_imported(file))
    players = [each for each, value in found.items() if hasattr(value, "act") or hasattr(value, "generate")]
    if name not in players:
        raise UnknownNameError("policy", name, players, owner=str(file))
    return found[name], hashlib.sha256(file.read_bytes()).hexdigest()[:12]


def _imported(file: Path) -> ModuleType:
    """The module of a file; modules beside it can be imported as when Python runs it."""
    spec = importlib.util.spec_from_file_location(f"_own_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(file.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ConfigError(f"{file} cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(file.resolve().parent))
    return module
