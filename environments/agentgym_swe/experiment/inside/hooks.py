"""Runs an agent's script and notes which steps it takes: reading the data, fitting a model, predicting.

What it notes is told in the last line of standard error. An agent could forge it, so it is worth no score by itself.
"""

from __future__ import annotations

import atexit
import functools
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import resource
import runpy
import sys
from typing import Any

STEPS = {"fit": "fit", "predict": "predict", "predict_proba": "predict", "decision_function": "predict"}
_seen: set[str] = set()


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str) and os.path.basename(arguments[0]) == "train.csv":
        _seen.add("read")


class _Watch(importlib.abc.MetaPathFinder):
    """Lets estimators of scikit-learn note their steps, once their base class is imported."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != "sklearn.base":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: Any) -> None:
                execute(module)
                _watch(module.BaseEstimator)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _watch(base: Any) -> None:
    inherited = base.__init_subclass__.__func__

    def watched(cls: Any, /, **options: Any) -> None:
        for name, step in STEPS.items():
            method = vars(cls).get(name)
            if callable(method) and hasattr(method, "__name__"):
                setattr(cls, name, _noting(method, step))
        inherited(cls, **options)

    base.__init_subclass__ = classmethod(watched)


def _noting(method: Any, step: str) -> Any:
    @functools.wraps(method)
    def noting(*args: Any, **kwargs: Any) -> Any:
        _seen.add(step)
        return method(*args, **kwargs)

    return noting


def main() -> None:
    """Run the script that the command line names."""
    path, nonce, seconds = sys.argv[1], sys.stdin.readline().strip(), int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    sys.argv[1:] = []
    sys.addaudithook(_audit)
    sys.meta_path.insert(0, _Watch())
    sys.path.insert(0, os.getcwd())
    # At exit an error of the script has been printed, so that the notes come last.
    atexit.register(_tell, nonce)
    runpy.run_path(path, run_name="__main__")


def _tell(nonce: str) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os.write(2, f"\n{nonce} {json.dumps(sorted(_seen))}\n".encode())


main()
