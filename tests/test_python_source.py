import ast
import random
import time
import warnings

import pytest

from agentgym.python_source import parse, parse_expression, without_warnings

PIECES = (
    *("f", "r", "b", "u", "rb", "fr", "t", "'", '"', "'''", '"""', "\\", "\\d", "\\400", "\\777", "\\x41", "\\N"),
    *("1", "0x", "0xf", "1.", "1e", "1e5", ".5", "1j", "1_0", "is", "in", "for", "if", "or", "and", "else", "not"),
    *(" ", "\n", "\r", "#", "(", ")", "=", ",", ";", "x", "é", "²", "_", "{", "}", ":", "\\\n", "\x0c", "[", "]"),
)
TOO_DEEP = ("x = " + "1 + " * 20_000 + "1", "x = " + "-" * 20_000 + "1", "x = " + "a." * 20_000 + "b")


def parsed(source):
    """The tree of a source, None where it has none, and how many warnings the parser gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            return ast.dump(ast.parse(source)), len(caught)
        except (SyntaxError, ValueError):
            return None, len(caught)


@pytest.mark.parametrize(
    "source",
    [
        r'f("\d", "\\", "\n", "\q")',
        r'f("\400\777\377", b"\400\N")',
        r'f("\d", r"\d")',
        "1is 2",
        "[0xfor 1, 1.5if x else 1e3or 2, 1jin y]",
        "'''1is\\d''' # 1is \\d\r1is 2",
    ],
)
def test_what_the_parser_warns_of_is_respelt_and_means_the_same(source):
    tree, num_warnings = parsed(source)
    assert num_warnings > 0
    assert parsed(without_warnings(source)) == (tree, 0)


@pytest.mark.parametrize("source", ['f("a1is", x1is=0xf, y=1.5)', r'f(r"\d", "\\d", 1e-5, 1_000)', "x1.5"])
def test_what_gives_no_warning_stays(source):
    assert without_warnings(source) == source


def test_random_sources_give_no_warning_and_keep_their_tree():
    rng, num_warned = random.Random(7), 0
    for _ in range(4000):
        source = "".join(rng.choice(PIECES) for _ in range(rng.randint(2, 12)))
        tree, num_warnings = parsed(source)
        respelt = parsed(without_warnings(source))
        num_warned += num_warnings > 0
        assert respelt[1] == 0, source
        is_formatted = "JoinedStr" in (tree or "") + (respelt[0] or "")
        assert is_formatted or respelt[0] == tree, source
    assert num_warned > 20


@pytest.mark.parametrize("piece", ["'''\\", "'\\", "f'", "1_", "\\", '"""', "1."])
def test_hostile_sources_take_no_time(piece):
    start = time.thread_time()
    without_warnings(piece * 8000)
    assert time.thread_time() - start < 1.0


def test_text_is_parsed_again_where_the_interpreter_was_disturbed(monkeypatch):
    """What another thread does to CPython 3.11 at the wrong moment cannot be made to happen at will."""
    calls = iter([SystemError("AST constructor recursion depth mismatch (before=48, after=40)"), None])
    undisturbed = ast.parse

    def disturbed(text):
        if (error := next(calls)) is not None:
            raise error
        return undisturbed(text)

    monkeypatch.setattr("agentgym.python_source.ast.parse", disturbed)
    assert ast.unparse(parse("x = 1")) == "x = 1"


def test_expressions_are_read_over_several_lines():
    assert ast.unparse(parse_expression("f(1) +\n2")) == "f(1) + 2"
    for other in ("x = 1", "x) = (1", "1)\nf(2"):
        with pytest.raises(SyntaxError):
            parse_expression(other)


@pytest.mark.parametrize("text", TOO_DEEP)
def test_text_that_nests_too_deeply_is_no_python(text):
    with pytest.raises(SyntaxError):
        parse(text)
