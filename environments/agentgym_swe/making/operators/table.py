"""All operators by name. `candidates` makes two edits at once of these, and `history` puts older functions back."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agentgym_swe.making.operators import bodies, calls, expressions, statements, values
from agentgym_swe.making.operators.expressions import Found
from agentgym_swe.making.source import SourceFile

Operator = Callable[[SourceFile], Found]
BODY_REMOVED, DOUBLE, HISTORY = "body_removed", "double", "history"

OPERATORS: Mapping[str, Operator] = {
    "comparison": expressions.comparison,
    "boolean": expressions.boolean,
    "arithmetic": expressions.arithmetic,
    "off_by_one": expressions.off_by_one,
    "negation": expressions.negation,
    "condition_part": expressions.condition_part,
    "choice": expressions.choice,
    "operands": expressions.operands,
    "slice_bound": expressions.slice_bound,
    "index": expressions.index,
    "guard": statements.guard,
    "condition": statements.condition,
    "branch": statements.branch,
    "else_removed": statements.else_removed,
    "statement": statements.statement,
    "assignment": statements.assignment,
    "loop_exit": statements.loop_exit,
    "handler": statements.handler,
    "late_return": statements.late_return,
    "keyword_dropped": calls.keyword_dropped,
    "argument_dropped": calls.argument_dropped,
    "arguments_swapped": calls.arguments_swapped,
    "method_mixed_up": calls.method_mixed_up,
    "function_mixed_up": calls.function_mixed_up,
    "call_dropped": calls.call_dropped,
    "constant": values.constant,
    "default": values.default,
    "returned": values.returned,
    "exception_type": values.exception_type,
    "wrong_variable": values.wrong_variable,
    "attribute": values.attribute,
    "element": values.element,
    BODY_REMOVED: bodies.body_removed,
}
"""Operators that change one place."""
