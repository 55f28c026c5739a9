"""Python text to trees, from any thread, whatever the text.

CPython 3.11 keeps one depth for all trees that an interpreter builds. If another thread parses meanwhile, it raises
SystemError, which says nothing about the text. Of a text that nests too deeply it says RecursionError or MemoryError.
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
        SyntaxError: It is no Python, or nests too deeply for this interpreter.
        ValueError: It holds a NUL.
    """
    for _ in range(_TRIES):
        try:
            return _parse(text)
        except SystemError:  # others parse without this lock
            continue
    return _parse(text)


def _parse(text: str) -> ast.Module:
    try:
        with _lock:
            return ast.parse(text)
    except (RecursionError, MemoryError) as error:
        raise SyntaxError("it nests too deeply") from error


@lru_cache(maxsize=4096)
def parse_expression(text: str) -> ast.expr:
    """The tree of an expression, which is shared: copy it before it is changed.

    Raises:
        SyntaxError: It is none.
    """
    statement = parse(f"({text}\n)").body[0]
    assert isinstance(statement, ast.Expr)
    return statement.value
