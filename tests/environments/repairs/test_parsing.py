import ast

import pytest

from agentgym_swe.making.source import SourceFile
from agentgym_swe.parsing import parse, parse_expression

TOO_DEEP = ("x = " + "1 + " * 20_000 + "1", "x = " + "-" * 20_000 + "1", "x = " + "a." * 20_000 + "b")


def test_text_is_parsed_again_where_the_interpreter_was_disturbed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another thread does to CPython 3.11 at the wrong moment cannot be made to happen at will."""
    calls = iter([SystemError("AST constructor recursion depth mismatch (before=48, after=40)"), None])
    parsed = ast.parse

    def disturbed(text: str) -> ast.Module:
        if (error := next(calls)) is not None:
            raise error
        return parsed(text)

    monkeypatch.setattr("agentgym_swe.parsing.ast.parse", disturbed)
    assert ast.unparse(parse("x = 1")) == "x = 1"


def test_expressions_are_read_over_several_lines() -> None:
    assert ast.unparse(parse_expression("f(1) +\n2")) == "f(1) + 2"
    with pytest.raises(SyntaxError):
        parse_expression("x = 1")


@pytest.mark.parametrize("text", TOO_DEEP)
def test_text_that_nests_too_deeply_is_no_python(text: str) -> None:
    with pytest.raises(SyntaxError):
        parse(text)
    with pytest.raises(SyntaxError):
        SourceFile("small.py", text)
    assert not SourceFile("small.py", "x = 1\n").differs_from(text)
