"""Python text to trees, from any thread.

CPython 3.11 keeps one depth for all trees that an interpreter builds. If another thread parses meanwhile, it raises
SystemError, which says nothing about the text.
"""

from __future__ import annotations

import ast
import threading
from functools import lru_cache

_TRIES = 20
_lock = threading.Lock()


def parse(text: str) -> ast.Module:
    """The tree of a module.

    Raises:
        SyntaxError: It is no Python.
        ValueError: It holds a NUL.
    """
    for _ in range(_TRIES):
        try:
            with _lock:
                return ast.parse(text)
        except SystemError:  # others parse without this lock
            continue
    return ast.parse(text)


@lru_cache(maxsize=4096)
def parse_expression(text: str) -> ast.expr:
    """The tree of an expression, which is shared: copy it before it is changed.

    Raises:
        SyntaxError: It is none.
    """
    statement = parse(f"({text}\n)").body[0]
    assert isinstance(statement, ast.Expr)
    return statement.value
