import pytest

from agentgym_swe.making.operators.table import OPERATORS
from agentgym_swe.making.source import SourceFile
from agentgym_swe.repositories.edit import edited

EXAMPLES = {
    "comparison": ("if a < b: pass", "if a <= b: pass"),
    "boolean": ("x = a and (b)", "x = a or (b)"),
    "arithmetic": ("x = a + b", "x = a - b"),
    "off_by_one": ("x = a[2]", "x = a[3]"),
    "negation": ("while not a: pass", "while a: pass"),
    "condition_part": ("x = a or b", "x = a"),
    "choice": ("x = a if c else b", "x = b if c else a"),
    "operands": ("x = a - b", "x = b - a"),
    "slice_bound": ("x = a[1:n]", "x = a[1:]"),
    "index": ("x = a[0]", "x = a[-1]"),
    "guard": ("def f(a):\n    if a:\n        return 1\n    return 2", "def f(a):\n    return 2"),
    "condition": ("if a: pass", "if True: pass"),
    "branch": ("if a:\n    b\nelif c:\n    d\nelse:\n    e", "if a:\n    b\nelse:\n    e"),
    "else_removed": ("for a in b:\n    c\nelse:\n    d\n", "for a in b:\n    c\n"),
    "statement": ("a()\nb", "b"),
    "assignment": ("x += 1", "x = 1"),
    "loop_exit": ("for a in b:\n    break", "for a in b:\n    continue"),
    "handler": ("try:\n    a\nexcept E:\n    b", "try:\n    a\nexcept E:\n    raise"),
    "late_return": (
        "def f(a):\n    for b in a:\n        c\n    return b",
        "def f(a):\n    for b in a:\n        c\n        return b",
    ),
    "keyword_dropped": ("f(a, b=1, c=2)", "f(a, c=2)"),
    "argument_dropped": ("f(a, b)", "f(a)"),
    "arguments_swapped": ("f(a,  b)", "f(b,  a)"),
    "method_mixed_up": ("x = a.lstrip()", "x = a.rstrip()"),
    "function_mixed_up": ("x = min(a)", "x = max(a)"),
    "call_dropped": ("x = list(a)", "x = a"),
    "constant": ("x = True", "x = False"),
    "default": ("def f(a=1): pass", "def f(a=2): pass"),
    "returned": ("def f(a):\n    return a, 1", "def f(a):\n    return 1, a"),
    "exception_type": ("raise KeyError(a)", "raise IndexError(a)"),
    "wrong_variable": ("def f(a, b):\n    return a", "def f(a, b):\n    return b"),
    "attribute": (
        "class C:\n    def f(self):\n        self.a = self.b = 1\n        return self.a",
        "class C:\n    def f(self):\n        self.a = self.b = 1\n        return self.b",
    ),
    "element": ("x = [a, b]", "x = [a]"),
    "body_removed": (
        'def f(a):\n    """Doc."""\n    b = a\n    return b',
        'def f(a):\n    """Doc."""\n    raise NotImplementedError',
    ),
}


def results(operator, text):
    source = SourceFile("f.py", text)
    return [edited(text, [edit]) for _, edit in OPERATORS[operator](source)]


@pytest.mark.parametrize("operator", OPERATORS)
def test_operator_makes_its_mistake(operator):
    before, after = EXAMPLES[operator]
    assert after in results(operator, before)


@pytest.mark.parametrize("operator", OPERATORS)
def test_operator_changes_the_text_at_one_place_and_leaves_python(operator):
    text = "# é\r\n" + EXAMPLES[operator][0].replace("\n", "\r\n") + "\r\n"
    source = SourceFile("f.py", text)
    for _, edit in OPERATORS[operator](source):
        after = edited(text, [edit])
        assert after[: edit.start] == text[: edit.start]
        assert after.endswith(text[edit.end :])
        assert source.differs_from(after)


@pytest.mark.parametrize("operator", ["constant", "element", "statement"])
def test_docstrings_and_messages_stay(operator):
    text = 'def f(a: "int"):\n    """Doc, more."""\n    raise ValueError("bad")\n'
    assert all(
        '"""Doc, more."""' in after and ('"bad"' in after or "raise" not in after) for after in results(operator, text)
    )


def test_text_that_nests_too_deeply_is_no_source():
    deep = "x = " + "-" * 20_000 + "1"
    with pytest.raises(SyntaxError):
        SourceFile("small.py", deep)
    assert not SourceFile("small.py", "x = 1\n").differs_from(deep)
