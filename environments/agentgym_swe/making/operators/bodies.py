"""Functions whose body is gone and has to be written again."""

from __future__ import annotations

import ast

from agentgym_swe.making.operators.expressions import Found
from agentgym_swe.making.source import SourceFile, is_docstring

MIN_STATEMENTS, MAX_LINES = 2, 40
LEFT = "raise NotImplementedError"


def body_removed(source: SourceFile) -> Found:
    """A function of some lines, with its signature and docstring left."""
    for function in source.functions:
        body = function.body[1:] if is_docstring(function.body[0]) else function.body
        if not body:
            continue
        num_statements = sum(isinstance(node, ast.stmt) for each in body for node in ast.walk(each))
        num_lines = (body[-1].end_lineno or 0) - body[0].lineno + 1
        is_special = function.name.startswith("__") and function.name != "__init__"
        if num_statements >= MIN_STATEMENTS and num_lines <= MAX_LINES and not is_special:
            start, end = source.span(body[0])[0], source.span(body[-1])[1]
            yield body[0], source.between(start, end, LEFT)
