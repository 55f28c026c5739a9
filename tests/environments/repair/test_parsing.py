import ast

import pytest

from agentgym_swe.repair.verdict.parsing import parse, parse_expression


def test_text_is_parsed_again_where_the_interpreter_was_disturbed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another thread does to CPython 3.11 at the wrong moment cannot be made to happen at will."""
    calls = iter([SystemError("AST constructor recursion depth mismatch (before=48, after=40)"), None])
    parsed = ast.parse

    def disturbed(text: str) -> ast.Module:
        if (error := next(calls)) is not None:
            raise error
        return parsed(text)

    monkeypatch.setattr("agentgym_swe.repair.verdict.parsing.ast.parse", disturbed)
    assert ast.unparse(parse("x = 1")) == "x = 1"


def test_expressions_are_read_over_several_lines() -> None:
    assert ast.unparse(parse_expression("f(1) +\n2")) == "f(1) + 2"
    with pytest.raises(SyntaxError):
        parse_expression("x = 1")
