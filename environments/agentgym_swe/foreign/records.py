"""What a run said of each test, read from a junit file or from output; every word of it may have been forged.

Whether a wanted test passed is decided in `outcomes`.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from agentgym_swe.foreign.instance import RecordForm

Outcome = Literal["passed", "failed", "error", "skipped", "xfailed", "missing"]
MAX_RECORDS = 200_000


class Record(NamedTuple):
    """One outcome.

    Attributes:
        name: Of the test, as data sets name it.
        outcome: What it came to.
    """

    name: str
    outcome: Outcome


class RecordError(ValueError):
    """What should say how the tests ended cannot be read; says why."""


_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_PYTEST: Mapping[str, Outcome] = {
    "PASSED": "passed",
    "FAILED": "failed",
    "ERROR": "error",
    "SKIPPED": "skipped",
    "XFAIL": "xfailed",
    "XPASS": "passed",
}
_WORDS = "|".join(_PYTEST)
_STATUS_FIRST = re.compile(rf"({_WORDS}) (\S.*)")
_TEST_FIRST = re.compile(rf"(\S+::.*?) ({_WORDS})(?:\s+\[\s*\d+%\])?\s*")
_UNITTEST: Mapping[str, Outcome] = {
    "ok": "passed",
    "fail": "failed",
    "error": "error",
    "skipped": "skipped",
    "expected failure": "xfailed",
    "unexpected success": "failed",
}
_UNITTEST_END = re.compile(
    r"(?:^|.*\s)(ok|FAIL|ERROR|expected failure|unexpected success|skipped(?: .*)?)$", re.IGNORECASE
)
_UNITTEST_NAME = re.compile(r"\w+ \([\w.<>]+\)")
_UNITTEST_REPORT = re.compile(r"(FAIL|ERROR): (\w+ \([\w.<>]+\))")
_SYMPY_LINE = re.compile(r"(test_\w*) (ok|F|E|f|X|s|w)(?:\s+\[(?:OK|FAIL)\])?(?:\s.*)?")
_SYMPY: Mapping[str, Outcome] = {
    "ok": "passed",
    "F": "failed",
    "E": "error",
    "f": "xfailed",
    "X": "failed",
    "s": "skipped",
    "w": "skipped",
}
_SYMPY_REPORT = re.compile(r"_{3,} (\S+\.py):(test_\w+) _{3,}")


def from_output(form: RecordForm, output: str) -> list[Record]:
    """What the output of a run says.

    Args:
        form: Whose output it is.
        output: The output.
    """
    reader = {"django": _from_unittest, "unittest": _from_unittest, "sympy": _from_sympy}.get(form, _from_pytest)
    text = _COLOUR.sub("", output).replace("\r", "")
    found: list[Record] = []
    for record in reader(text.split("\n")):
        if len(found) >= MAX_RECORDS:
            break
        found.append(record)
    return found


def from_junit(content: bytes) -> list[Record]:
    """What a junit file of pytest says; names are "dotted.module.Class::test[parameters]".

    Raises:
        RecordError: It is no such file.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise RecordError("the junit file is not UTF-8") from None
    if "<!" in text.partition("<testsuite")[0] or "<!ENTITY" in text or "<!DOCTYPE" in text:
        raise RecordError("the junit file declares entities")
    try:
        tree = ElementTree.fromstring(text)  # noqa: S314 - entities are refused above
    except (ElementTree.ParseError, ValueError) as error:
        raise RecordError(f"the junit file is no XML: {error}") from None
    found: list[Record] = []
    for case in tree.iter("testcase"):
        if len(found) >= MAX_RECORDS:
            raise RecordError(f"the junit file has more than {MAX_RECORDS} tests")
        name, place = case.get("name", ""), case.get("classname", "")
        found.append(Record(f"{place}::{name}" if place else name, _junit_outcome(case)))
    return found


def junit_name(name: str) -> str:
    """How a junit file names a test that pytest names "folder/file.py::Class::test[parameters]"."""
    address, bracket, parameters = name.partition("[")
    path, *inner = [part for part in address.split("::") if part != "()"]
    dotted = ".".join([path.removesuffix(".py").replace("/", "."), *inner[:-1]])
    return f"{dotted}::{inner[-1]}{bracket}{parameters}" if inner else name


def _junit_outcome(case: ElementTree.Element) -> Outcome:
    kinds = {child.tag: child for child in case}
    if "error" in kinds:
        return "error"
    if "failure" in kinds:
        return "failed"
    if "skipped" in kinds:
        return "xfailed" if kinds["skipped"].get("type") == "pytest.xfail" else "skipped"
    return "passed"


def _from_pytest(lines: list[str]) -> Iterator[Record]:
    """Lines of pytest -rA, and of pytest -v."""
    for line in lines:
        first = _STATUS_FIRST.fullmatch(line.rstrip())
        if first:
            name = _before_reason(first[2]) if first[1] != "PASSED" else first[2]
            if first[1] != "SKIPPED" or "::" in name:  # the others are counts of places
                yield Record(name, _PYTEST[first[1]])
            continue
        last = _TEST_FIRST.fullmatch(line)
        if last:
            yield Record(last[1], _PYTEST[last[2]])


def _before_reason(text: str) -> str:
    """A name without the reason behind it; parameters may hold what looks like the start of one."""
    at = text.find(" - ")
    while at >= 0:
        name = text[:at]
        if "[" not in name or name.endswith("]"):
            return name
        at = text.find(" - ", at + 1)
    return text


def _from_unittest(lines: list[str]) -> Iterator[Record]:
    """Lines of unittest -v and of Django's runner, where what a test prints may stand before its outcome.

    A test with a docstring is named by its first line too, as data sets do.
    """
    names: list[str] = []
    is_open = False
    for line in lines:
        text = line.strip()
        report = _UNITTEST_REPORT.fullmatch(text)
        if report:
            yield Record(report[2], "failed" if report[1] == "FAIL" else "error")
            names, is_open = [], False
        elif " ... " in text or text.endswith(" ..."):
            before, _, after = text.partition(" ...")
            names = [*names, before] if names and not is_open else [before]
            outcome = _unittest_outcome(after.strip())
            is_open = outcome is None
            if outcome:
                yield from (Record(name, outcome) for name in names)
                names = []
        elif is_open and (outcome := _unittest_outcome(text)):
            yield from (Record(name, outcome) for name in names)
            names, is_open = [], False
        elif not is_open:
            names = [text] if _UNITTEST_NAME.fullmatch(text) else []


def _unittest_outcome(text: str) -> Outcome | None:
    """The outcome at the end of a text, behind what the test itself wrote."""
    found = _UNITTEST_END.match(text)
    if found is None:
        return None
    word = found[1].lower()
    return "skipped" if word.startswith("skipped") else _UNITTEST[word]


def _from_sympy(lines: list[str]) -> Iterator[Record]:
    """Lines of SymPy's runner, which names functions alone; its reports of failures name files too."""
    for line in lines:
        text = line.strip()
        ended = _SYMPY_LINE.fullmatch(text)
        if ended:
            yield Record(ended[1], _SYMPY[ended[2]])
        report = _SYMPY_REPORT.fullmatch(text)
        if report:
            yield Record(report[2], "failed")
