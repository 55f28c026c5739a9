"""Python text to trees, from any thread and without a warning, whatever a model wrote.

CPython 3.11 keeps one depth for all trees that an interpreter builds. If another thread parses meanwhile, it raises
SystemError, which says nothing about the text. Of a text that nests too deeply it says RecursionError or MemoryError.

The parser prints `SyntaxWarning` for unknown escapes and for numbers that touch a keyword, and whether it does is a
setting of the whole process. So a model's text is respelt before it is parsed; what it means stays the same.
"""

from __future__ import annotations

import ast
import re
import threading
from collections.abc import Mapping
from functools import lru_cache

_TRIES = 20
_lock = threading.Lock()

_DIGITS = "[0-9](?:_?[0-9])*"
_NUMBER = (
    r"0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+"
    rf"|(?:{_DIGITS}\.?(?:{_DIGITS})?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?[jJ]?"
)
_GLUED = rf"(?:{_NUMBER})(?=(?P<keyword>and|else|for|i[fns]|not|or)?)"
_TOKEN = re.compile(
    r"#[^\r\n]*"
    r"|(?P<formatted>(?i:fr?|rf|tr?|rt)['\"].*)"
    r"|(?P<prefix>(?i:br?|rb?|u)?)"
    r"(?P<body>'''(?:\\.|(?!''')[^\\])*(?:''')?|\"\"\"(?:\\.|(?!\"\"\")[^\\])*(?:\"\"\")?"
    r"|'(?:\\.|[^\\'\r\n])*'?|\"(?:\\.|[^\\\"\r\n])*\"?)"
    r"|[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*"
    rf"|{_GLUED}",
    re.DOTALL | re.ASCII,
)
_ESCAPE = re.compile(r"\\([4-7][0-7]{2}|.)", re.DOTALL)
_ANY_GLUED = re.compile(_GLUED)
_OF_TEXT = frozenset("\\'\"abfnrtvx01234567uUN\n\r")
_OF_BYTES = _OF_TEXT - set("uUN")
_OF_BOTH = frozenset("\\'\"\n\r")


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
        SyntaxError: The text is not a single expression.
    """
    match parse(f"({text}\n)").body:
        case [ast.Expr(value=expression)]:
            return expression
    raise SyntaxError("it is not a single expression")


def in_words(node: ast.AST) -> str:
    """The name of a kind of code for error messages, such as "a comprehension"."""
    match node:
        case ast.Expr(value=value):
            return in_words(value)
        case ast.Name(id=name):
            return f"the bare name {name[:40]}"
        case ast.BinOp(op=operator) if type(operator) in _OPERATORS:
            return f"the operator {_OPERATORS[type(operator)]}"
    return _IN_WORDS.get(type(node), f"Python's {type(node).__name__}")


_OPERATORS: Mapping[type[ast.operator], str] = {
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.MatMult: "@",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}
_IN_WORDS: Mapping[type[ast.AST], str] = {
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), "a comprehension"),
    **dict.fromkeys((ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr), "an assignment"),
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef), "a definition of a function"),
    **dict.fromkeys((ast.With, ast.AsyncWith), "a 'with' block"),
    **dict.fromkeys((ast.Import, ast.ImportFrom), "an import"),
    **dict.fromkeys((ast.For, ast.AsyncFor), "a 'for' loop"),
    ast.BoolOp: "'and' or 'or'",
    ast.Compare: "a comparison",
    ast.UnaryOp: "an operator",
    ast.IfExp: "a conditional expression",
    ast.JoinedStr: "an f-string",
    ast.Lambda: "a lambda",
    ast.Call: "a call",
    ast.Attribute: "an attribute",
    ast.Subscript: "a subscript",
    ast.Starred: "a starred value",
    ast.Constant: "a literal",
    ast.List: "a list",
    ast.Tuple: "a tuple",
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.If: "an 'if' statement",
    ast.While: "a 'while' loop",
    ast.Try: "a 'try' block",
    ast.ClassDef: "a class",
    ast.Return: "a 'return'",
    ast.Delete: "a 'del'",
}


def without_warnings(source: str) -> str:
    r"""The source respelt so that the parser has nothing to warn of.

    Unknown escapes get a second backslash (`"\d"` becomes `"\\d"`), octal ones above `\377` their code point, and a
    space parts a number from a keyword (`1is` becomes `1 is`). The text parses to the same tree. A formatted
    string (`f"…"`) is the exception: it is not a literal, and it is still refused.
    """
    return _TOKEN.sub(_respelt, source)


def _respelt(token: re.Match[str]) -> str:
    prefix, body = token["prefix"] or "", token["body"]
    if body is not None:
        if "\\" not in body or "r" in prefix.lower():
            return token[0]
        return prefix + _escaped(body, _OF_BYTES if "b" in prefix.lower() else _OF_TEXT)
    if token["formatted"] is not None:  # its end is not known: strings nest in it
        return _ANY_GLUED.sub(_parted, _escaped(token["formatted"], _OF_BOTH))
    return _parted(token)


def _parted(number: re.Match[str]) -> str:
    return f"{number[0]} " if number["keyword"] else number[0]


def _escaped(body: str, known: frozenset[str]) -> str:
    def swap(escape: re.Match[str]) -> str:
        what = escape[1]
        if len(what) == 3 and known is not _OF_BOTH:
            return f"\\u{int(what, 8):04x}" if known is _OF_TEXT else f"\\x{int(what, 8) & 255:02x}"
        return escape[0] if what in known else f"\\{escape[0]}"

    return _ESCAPE.sub(swap, body)
