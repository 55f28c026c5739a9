"""Answers a harness over JSON lines: `PYTHON main.py DRIVER`, where DRIVER is a name beside this file or a path.

A request is {"do": VERB, …}; its answer has "ok", "refused" (the user has to act) or "error" (the peer failed). What
the peer prints goes to the error stream. The process ends with its input, even while the peer is at work.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import queue
import signal
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

PACKAGE = "agentgym_inside"


def main() -> None:
    """Answer requests until the input ends."""
    sys.path.pop(0)  # this folder: its names must not hide the peer's
    requests, answers = _own_streams()
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests, lines), daemon=True).start()
    driver: Any = None
    contract = _package("contract")
    while True:
        said: dict[str, Any]
        try:
            request = json.loads(lines.get())
            verb = request.pop("do")
            if verb == "start":
                driver, answer = _driver(sys.argv[1]).Driver(request), {"python": sys.version.split()[0]}
            elif driver is None or verb not in driver.VERBS:
                raise ValueError(f"nobody can answer {verb!r} now")
            else:
                answer = getattr(driver, verb)(**request)
            said = {"ok": answer}
            text = json.dumps(said)
        except contract.Refusal as refusal:
            text = json.dumps({"refused": str(refusal)})
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a boundary: another package may raise anything
            text = json.dumps({"error": f"{type(error).__name__}: {error}"[:2000]})
        answers.write(text + "\n")
        answers.flush()


def _own_streams() -> tuple[TextIO, TextIO]:
    """The pipe's two ends, taken away from whatever reads the input or prints here."""
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def _read(requests: TextIO, lines: queue.SimpleQueue[str]) -> None:
    for line in requests:
        lines.put(line)
    if os.getpgrp() == os.getpid():  # with whatever the peer has started
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def _package(name: str) -> ModuleType:
    if PACKAGE not in sys.modules:
        folder = Path(__file__).resolve().parent
        spec = importlib.util.spec_from_file_location(
            PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[PACKAGE])
    return importlib.import_module(f"{PACKAGE}.{name}")


def _driver(name: str) -> ModuleType:
    if not name.endswith(".py"):
        return _package(name)
    _package("contract")
    spec = importlib.util.spec_from_file_location(f"{PACKAGE}.{Path(name).stem}", name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
