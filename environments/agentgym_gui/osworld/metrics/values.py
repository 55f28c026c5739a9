"""Metrics over values: outputs of commands, lists and objects that a getter gives as they are."""

from __future__ import annotations

import ast
import functools
import json
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from agentgym.errors import TaskError
from agentgym.python_source import parse
from agentgym_gui.osworld.metrics.similarity import ratio

Metric = Callable[..., float]


def check_include_exclude(result: Any, rules: Mapping[str, Any]) -> float:
    """Whether a text holds every piece of `include` and none of `exclude`."""
    if result is None:
        return 0.0
    includes, excludes = rules.get("include", []), rules.get("exclude", [])
    return float(all(each in result for each in includes) and all(each not in result for each in excludes))


def exact_match(result: Any, rules: Mapping[str, Any]) -> float:
    """Whether a value is the expected one."""
    return float(result == rules["expected"])


def match_in_list(result: Any, rules: Mapping[str, Any]) -> float:
    """Whether a value is one of the expected ones."""
    return float(result in rules["expected"])


def is_in_list(result: Any, rules: Mapping[str, Any]) -> float:
    """Whether the expected value is in a list, or the expected text in a text."""
    return float(result is not None and rules["expected"] in result)


def literal_match(result: Any, expected: Any, **options: Any) -> float:
    """Whether two values read the same as text, or two lists item by item."""
    kind = options.get("type", "str")
    fold = str.lower if options.get("ignore_case", False) else str
    if kind == "str":
        return float(fold(str(result)) == fold(str(expected)))
    if kind != "list":
        raise TaskError(f"literal_match compares str or list: got {kind!r}")
    if not (isinstance(result, list | tuple) and isinstance(expected, list | tuple)) or len(result) != len(expected):
        return 0.0
    return float([fold(str(each)) for each in result] == [fold(str(each)) for each in expected])


def fuzzy_match(result: Any, rules: Mapping[str, Any]) -> float:
    """How alike two texts are."""
    return ratio(result, rules["expected"]) if isinstance(result, str) else 0.0


def check_direct_json_object(result: Any, rules: Mapping[str, Any]) -> float:
    """Whether an object has the expected values; with `expect_in_result`, whether it holds one or part of each."""
    found = result
    if isinstance(result, str):
        try:
            found = json.loads(result.strip().replace("'", '"'))
        except ValueError:
            return 0.0
    wanted = rules["expected"]
    if not isinstance(found, Mapping) or "__EVALUATION_FAILED__" in map(str, wanted.values()):
        return 0.0
    holds = _holds_part if rules.get("expect_in_result", False) else _holds_value
    return float(all(holds(found, wanted, key) for key in wanted))


def _holds_value(found: Mapping[str, Any], wanted: Mapping[str, Any], key: str) -> bool:
    if not wanted.get("ignore_list_order", False):
        return bool(found.get(key) == wanted[key])
    try:
        return sorted(found.get(key, ())) == sorted(wanted[key])
    except TypeError:
        return False


def _holds_part(found: Mapping[str, Any], wanted: Mapping[str, Any], key: str) -> bool:
    value, part = found.get(key), wanted[key]
    if isinstance(part, list):
        return any(
            (isinstance(value, list) and each in value) or (isinstance(value, str) and each == value) for each in part
        )
    return isinstance(part, str) and isinstance(value, str | list) and part in value


def is_in_vm_clickboard(rules: Mapping[str, Any], output: Any) -> float:
    """Whether the output of a command holds what is expected; the expected part comes first, as in OSWorld."""
    wanted = rules["expected"]
    pieces = wanted if isinstance(wanted, list) else [wanted]
    return float(isinstance(output, str) and all(each in output for each in pieces))


def check_gnome_favorite_apps(result: Any, rules: Mapping[str, Any]) -> float:
    """Whether a list that is written in Python's way has the expected items in any order; it is parsed, never run."""
    try:
        match parse(result.lstrip(" \t")).body if isinstance(result, str) else []:
            case [ast.Expr(value=written)]:
                found = ast.literal_eval(written)
            case _:
                return 0.0
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return 0.0
    wanted = rules["expected"]
    if not isinstance(found, list) or len(found) != len(wanted):
        return 0.0
    return float(set(map(str, found)) == set(wanted))


def is_utc_0(result: Any) -> float:
    """Whether the fourth line that timedatectl prints ends with the offset of UTC."""
    lines = result.split("\n") if isinstance(result, str) else []
    return float(len(lines) > 3 and lines[3].endswith("+0000)"))


def check_text_enlarged(result: Any) -> float:
    """Whether a scaling factor lies above one."""
    try:
        return float(float(result) > 1.0)
    except (TypeError, ValueError):
        return 0.0


def check_moved_jpgs(result: Any, rules: Mapping[str, Any]) -> float:
    """Whether a folder's tree has exactly the expected names on top."""
    children = result.get("children", ()) if isinstance(result, Mapping) else ()
    names = [each["name"] for each in children]
    return float(len(names) == len(rules["expected"]) and set(names) == set(rules["expected"]))


def is_extension_installed(result: Any, rules: Mapping[str, Any]) -> float:
    """Whether a text holds a piece, or does not, as `type` asks."""
    if rules["type"] not in ("contain", "not_contain"):
        raise TaskError(f"is_extension_installed needs the type contain or not_contain: got {rules['type']!r}")
    is_in = isinstance(result, str) and rules["expected"] in result
    return float(is_in == (rules["type"] == "contain")) if result is not None else 0.0


def compare_answer(result: Any, rules: Mapping[str, Any]) -> float:
    """Whether a text that is not empty is the expected one."""
    return float(bool(result) and result == rules["expected"])


def is_vlc_fullscreen(result: Any, expected: Any) -> float:
    """Whether a window is as large as the screen."""
    if not (isinstance(result, Mapping) and isinstance(expected, Mapping)):
        return 0.0
    return float(all(result.get(side) == expected.get(side) for side in ("width", "height")))


def matches_rule(value: Any, rule: Mapping[str, Any]) -> bool:
    """Whether a value fits a rule: its `method` and `ref`, in OSWorld's names of comparisons."""
    method, ref = str(rule["method"]), rule["ref"]
    try:
        if method in _ORDERS:
            return bool(_ORDERS[method](value, ref))
        if method.startswith("approx"):
            return bool(abs(float(value) - ref) <= float(method.partition(":")[2]))
        if method.startswith("range."):
            return bool(_ORDERS["l" + method[6]](ref[0], value) and _ORDERS["l" + method[7]](value, ref[1]))
        if method in ("str_list_eq", "str_set_eq"):
            parts = value.strip("\"'").split(",")
            return bool(parts == list(ref) if method == "str_list_eq" else set(parts) == set(ref))
        if method.startswith("re"):
            flags = (getattr(re, name) for name in method.split(".")[1:])
            return re.search(ref, value, functools.reduce(operator.or_, flags, re.RegexFlag(0))) is not None
    except (TypeError, ValueError, AttributeError, IndexError, KeyError):
        return False
    raise TaskError(f"a rule compares by {', '.join(METHODS)}: got {method!r}")


_ORDERS: Mapping[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name) for name in ("eq", "ne", "le", "lt", "ge", "gt")
}
METHODS = (*_ORDERS, "approx:N", "range.ee", "str_list_eq", "str_set_eq", "re")
"""How `matches_rule` compares; the two letters of a range are e where the bound itself is in, else t."""

METRICS: Mapping[str, Metric] = {
    each.__name__: each
    for each in (
        check_include_exclude,
        exact_match,
        match_in_list,
        is_in_list,
        literal_match,
        fuzzy_match,
        check_direct_json_object,
        is_in_vm_clickboard,
        check_gnome_favorite_apps,
        is_utc_0,
        check_text_enlarged,
        check_moved_jpgs,
        is_extension_installed,
        compare_answer,
        is_vlc_fullscreen,
    )
}
"""The metrics over values, by name."""
