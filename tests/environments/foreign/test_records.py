"""What runs say of tests, and what a wanted test came to by it. The outputs are written by us, in their forms."""

import pytest

from agentgym_swe.foreign.outcomes import Outcomes
from agentgym_swe.foreign.records import Record, RecordError, from_junit, from_output, junit_name

PYTEST = """\
tests/test_a.py::test_one PASSED                                       [ 10%]
=========================== short test summary info ============================
PASSED tests/test_a.py::test_two[a b - c]
PASSED tests/test_a.py::test_two[a d]
\x1b[31mFAILED\x1b[0m tests/test_a.py::test_three[x - y] - AssertionError: 1 - 2
FAILED tests/test_a.py::test_four - assert x[0] == 1
ERROR tests/test_b.py::test_five - NameError
XFAIL tests/test_a.py::test_six - one day
XPASS tests/test_a.py::test_seven
SKIPPED [2] tests/test_a.py:9: slow
"""
UNITTEST = """\
test_ok (queries.tests.Ordering) ... ok
test_noise (queries.tests.Ordering) ... Testing against Django
System check identified no issues (0 silenced).
ok
test_doc (queries.tests.Ordering)
The first line of its docstring. ... FAIL
test_skip (queries.tests.Ordering.test_skip) ... skipped 'no ... backend'
test_xfail (queries.tests.Ordering) ... expected failure
test_xpass (queries.tests.Ordering) ... unexpected success
test_same (queries.tests.Ordering) ... noise on the line ok
======================================================================
ERROR: test_late (queries.tests.Ordering)
----------------------------------------------------------------------
"""
SYMPY = """\
sympy/core/tests/test_x.py[5]
test_a ok
test_b F
test_c E
test_d f
test_e X
test_f ok                                                            [OK]
______________ sympy/core/tests/test_y.py:test_g ______________
"""


def as_map(form: str, output: str) -> dict[str, str]:
    return {record.name: record.outcome for record in from_output(form, output)}  # type: ignore[arg-type]


def test_output_of_pytest() -> None:
    assert as_map("pytest", PYTEST) == {
        "tests/test_a.py::test_one": "passed",
        "tests/test_a.py::test_two[a b - c]": "passed",
        "tests/test_a.py::test_two[a d]": "passed",
        "tests/test_a.py::test_three[x - y]": "failed",
        "tests/test_a.py::test_four": "failed",
        "tests/test_b.py::test_five": "error",
        "tests/test_a.py::test_six": "xfailed",
        "tests/test_a.py::test_seven": "passed",
    }


@pytest.mark.parametrize("form", ["django", "unittest"])
def test_output_of_unittest(form: str) -> None:
    place = "(queries.tests.Ordering)"
    assert as_map(form, UNITTEST) == {
        f"test_ok {place}": "passed",
        f"test_noise {place}": "passed",
        f"test_doc {place}": "failed",
        "The first line of its docstring.": "failed",
        "test_skip (queries.tests.Ordering.test_skip)": "skipped",
        f"test_xfail {place}": "xfailed",
        f"test_xpass {place}": "failed",
        f"test_same {place}": "passed",
        f"test_late {place}": "error",
    }


def test_output_of_sympy() -> None:
    assert as_map("sympy", SYMPY) == {
        "test_a": "passed",
        "test_b": "failed",
        "test_c": "error",
        "test_d": "xfailed",
        "test_e": "failed",
        "test_f": "passed",
        "test_g": "failed",
    }


JUNIT = b"""<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest">
<testcase classname="tests.test_a.TestA" name="test_b[a b]"/>
<testcase classname="tests.test_a" name="test_c"><failure message="x">no</failure></testcase>
<testcase classname="tests.test_a" name="test_d"><skipped type="pytest.xfail" message=""/></testcase>
<testcase classname="tests.test_a" name="test_e"><skipped type="pytest.skip" message=""/></testcase>
<testcase classname="tests.test_a" name="test_f"/>
<testcase classname="tests.test_a" name="test_f"><error message="teardown">no</error></testcase>
</testsuite></testsuites>"""


def test_junit_and_what_wanted_tests_came_to() -> None:
    found = Outcomes(from_junit(JUNIT), is_junit=True)
    came = {name: found.of(f"tests/test_a.py::{name}") for name in ("TestA::test_b[a b]", "test_c", "test_d", "test_e")}
    assert list(came.values()) == ["passed", "failed", "xfailed", "skipped"]
    assert found.of("tests/test_a.py::test_f") == "error"  # the worst of what was said
    assert found.of("tests/test_a.py::test_x") == "missing"
    assert found.of("TestA.test_b[a b]", is_short=True) == "passed"
    assert found.of("test_c", is_short=True) == "failed"
    assert junit_name("tests/test_a.py::TestA::()::test_b[x::y]") == "tests.test_a.TestA::test_b[x::y]"


def test_cut_name_needs_all_tests_that_begin_with_it() -> None:
    names = [
        Record("t.py::test[a b]", "passed"),
        Record("t.py::test[a c]", "passed"),
        Record("t.py::testing", "failed"),
    ]
    assert Outcomes(names, is_junit=False).of("t.py::test[a") == "passed"
    one_fails = [*names, Record("t.py::test[a d]", "failed")]
    assert Outcomes(one_fails, is_junit=False).of("t.py::test[a") == "failed"
    assert Outcomes(names, is_junit=False).of("t.py::test[z") == "missing"
    assert Outcomes(names, is_junit=False).of("t.py::test") == "missing"  # only within parameters


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"not xml", "no XML"),
        (b"\xff\xfe", "not UTF-8"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><testsuite><testcase name="&a;"/></testsuite>', "entities"),
    ],
)
def test_hostile_junit_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(RecordError, match=why):
        from_junit(content)
