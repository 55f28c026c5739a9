from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import pytest

from agentgym.config import (
    ADVICE,
    Source,
    above,
    build,
    dotted_keys,
    merged,
    pruned,
    read_tables,
    tables_of,
)
from agentgym.errors import ConfigError
from agentgym.ranges import Range, Ranged


@dataclass(frozen=True)
class Inner(Ranged):
    rate: float = 0.5
    sizes: tuple[int, ...] = ()
    limit: Annotated[int | None, Range(0)] = 3


@dataclass(frozen=True)
class Choice:
    suite: str = field(metadata={ADVICE: "run `list` to see them"})
    size: int = 1


@dataclass(frozen=True)
class Advised:
    inner: Choice


@dataclass(frozen=True)
class Outer:
    name: str
    mode: Literal["slow", "fast"] = "slow"
    is_on: bool = False
    inner: Inner = field(default_factory=Inner)

    def __post_init__(self) -> None:
        if self.name == "bad":
            raise ConfigError("name must not be bad")


def load(path: Path | None, *overrides: str) -> Outer:
    tables, source = read_tables(path, overrides)
    return build(Outer, tables, source)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "run.toml"
    path.write_text('name = "a"\nmode = "fast"\n\n[inner]\nrate = 2\nsizes = [1, 2]\n')
    return path


def test_build_reads_nested_tables_and_keeps_defaults(file: Path) -> None:
    assert load(file) == Outer("a", "fast", False, Inner(2.0, (1, 2), 3))


def test_overrides_stand_above_the_file(file: Path) -> None:
    read = load(file, "inner.rate=0.25", "mode=slow", "is_on=true", "inner.limit=none", "inner.sizes=[7]")
    assert read == Outer("a", "slow", True, Inner(0.25, (7,), None))


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_numbers_that_are_not_finite_are_refused(file: Path, value: str) -> None:
    with pytest.raises(ConfigError, match=f"override 'inner.rate' must be a finite number, got {value}"):
        load(file, f"inner.rate={value}")


def test_a_key_without_its_table_is_named_with_it(file: Path) -> None:
    with pytest.raises(ConfigError, match=r"override 'rate' is unknown; did you mean inner\.rate\?"):
        load(file, "rate=0.25")


def test_an_override_of_nothing_takes_out_what_the_file_says(file: Path) -> None:
    assert load(file).inner.rate != Inner().rate
    assert load(file, "inner.rate=").inner.rate == Inner().rate
    assert load(file, "inner=").inner == Inner()
    assert load(None, "name=").name == ""


def test_overrides_are_enough_without_a_file() -> None:
    assert load(None, 'name="x y"', "inner.limit=4") == Outer("x y", inner=Inner(limit=4))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "a"\n[inner]\nrte = 1\n', r"run\.toml:3: key 'inner\.rte' is unknown; did you mean rate\?"),
        ('name = "a"\n\n[iner]\nrate = 1\n', r"run\.toml:3: key 'iner' is unknown; did you mean inner"),
        ('name = "a"\nzzz = 1\n', r"run\.toml:2: key 'zzz' is unknown; known: inner, is_on, mode, name"),
        ('name = "a"\nmode = "quick"\n', r"run\.toml:2: key 'mode' is 'quick'; expected one of 'slow', 'fast'"),
        ("name = 3\n", r"run\.toml:1: key 'name' must be text, got 3$"),
        ('name = "a"\nis_on = 1\n', r"run\.toml:2: key 'is_on' must be true or false, got 1"),
        ('name = "a"\ninner = 1\n', r"run\.toml:2: key 'inner' must be a table"),
        ('name = "a"\n[inner]\nsizes = 1\n', r"run\.toml:3: key 'inner\.sizes' must be a list"),
        ('name = "a"\n[inner]\nsizes = [1.5]\n', r"key 'inner\.sizes' must be a whole number, got 1\.5"),
        ('name = "a"\ninner = { limit = -1 }\n', r"run\.toml:2: key 'inner\.limit'"),
        ('name = "a"\n[inner]\nlimit = true\n', r"run\.toml:3: key 'inner\.limit' must be a whole number, got true"),
        ('mode = "slow"\n', r"run\.toml: key 'name' is missing"),
        ('name = "bad"\n', r"run\.toml:1: key 'name' must not be bad"),
        ('name = "a"\n[inner]\nlimit = -1\n', r"run\.toml:3: key 'inner\.limit' must be at least 0, got -1"),
        ('name = "a"\n[inner]\nrate = "x"\n', r"run\.toml:3: key 'inner\.rate' must be a number, got 'x'"),
        ('name = "a"\n[inner]\nmode = \n', r"run\.toml:3: the file is not valid TOML: Invalid value at column 8"),
        ('name = "a', r"run\.toml is not valid TOML: Unterminated string"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "run.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        load(path)


def test_a_mistake_in_an_override_names_the_override(file: Path) -> None:
    with pytest.raises(ConfigError, match=r"override 'inner\.rte' is unknown; did you mean rate"):
        load(file, "inner.rte=1")
    with pytest.raises(ConfigError, match=r"^override 'inner\.rate' has no value; write inner\.rate=VALUE$"):
        load(file, "inner.rate")
    with pytest.raises(ConfigError, match="override '=3' names no key"):
        load(file, "=3")
    with pytest.raises(ConfigError, match="'name' is a value and not a table"):
        load(file, "name.first=1")


def test_a_refused_value_of_an_override_is_not_blamed_on_the_file(file: Path) -> None:
    with pytest.raises(ConfigError, match=r"^override 'inner\.limit' must be at least 0, got -1$"):
        load(file, "inner.limit=-1")
    with pytest.raises(ConfigError, match=r"^override 'name' must not be bad$"):
        load(None, "name=bad")


def test_an_unknown_table_of_an_override_is_not_blamed_on_the_file(file: Path) -> None:
    with pytest.raises(ConfigError, match=r"^override 'iner\.limit' is unknown; did you mean inner"):
        load(file, "iner.limit=1")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^there is no file .*nowhere\.toml; check the path$"):
        load(tmp_path / "nowhere.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"bytes\.toml is not text in UTF-8"):
        load(tmp_path / "bytes.toml")
    with pytest.raises(ConfigError, match="is a folder; name a file in it"):
        load(tmp_path)


def test_a_missing_key_says_where_to_find_a_value_and_its_table_may_be_missing_too() -> None:
    with pytest.raises(ConfigError, match=r"^key 'inner\.suite' is missing; run `list` to see them$"):
        build(Advised, {})
    with pytest.raises(ConfigError, match=r"^key 'inner\.suite' is missing; run `list` to see them$"):
        build(Advised, {"inner": {"size": 2}})


def test_merged_leaves_its_arguments_alone() -> None:
    lower, upper = {"a": {"b": 1, "c": 2}}, {"a": {"c": 3}, "d": 4}
    assert merged(lower, upper) == {"a": {"b": 1, "c": 3}, "d": 4}
    assert (lower, upper) == ({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}, "d": 4})


def test_dotted_keys_name_values_not_tables() -> None:
    assert dotted_keys({"a": {"b": 1, "c": {"d": 2}}, "e": 3}) == {"a.b", "a.c.d", "e"}


def test_a_place_without_a_file_is_the_key() -> None:
    assert Source().place("a.b") == "key 'a.b'"


# Choices


@dataclass(frozen=True)
class Walk:
    kind: Literal["walk"] = "walk"
    pace: float = 1.0


@dataclass(frozen=True)
class Ride:
    kind: Literal["ride"] = "ride"
    gears: int = 3
    in_: str = "town"
    home_town: str = ""


@dataclass(frozen=True)
class Trip:
    way: Walk | Ride = field(default_factory=Walk)
    back: Walk | Ride | None = None


def test_a_choice_is_made_by_its_tag_and_the_first_one_is_the_default() -> None:
    assert build(Trip, {"way": {"kind": "ride", "gears": 5}}) == Trip(Ride(gears=5))
    assert build(Trip, {"way": {"pace": 2.0}, "back": "none"}) == Trip(Walk(pace=2.0))


@pytest.mark.parametrize(
    ("way", "message"),
    [
        ({"kind": "swim"}, "key 'way.kind' is 'swim'; expected one of 'walk', 'ride'"),
        ({"gears": 5}, "^'gears' is not a key of way with kind = \"walk\"; it has kind, pace"),
        (
            {"kind": "ride", "gear": 5},
            r"^'gear' is not a key of way with kind = \"ride\"; did you mean gears\? It has gears, home_town, in,",
        ),
        ("ride", "key 'way' must be a table, got 'ride'"),
    ],
)
def test_a_choice_knows_the_keys_of_its_own_alone(way: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        build(Trip, {"way": way})


@dataclass(frozen=True)
class Journey:
    trip: Trip = field(default_factory=Trip)


@pytest.mark.parametrize(("key", "path"), [("gears", "gears"), ("town", "home_town")])
def test_an_unknown_key_that_an_inner_table_has_is_named_with_its_path(key: str, path: str) -> None:
    with pytest.raises(ConfigError, match=rf"did you mean trip\.way\.{path} or trip\.back\.{path}"):
        build(Journey, {key: 5})


def test_tables_are_read_back_with_words_of_python_as_keys() -> None:
    trip = Trip(Ride(in_="snow"), Walk())
    assert tables_of(trip)["way"] == {"kind": "ride", "gears": 3, "in": "snow", "home_town": ""}
    assert build(Trip, tables_of(trip)) == trip


def test_another_choice_drops_what_stands_below_for_the_first() -> None:
    lower = {"way": {"kind": "ride", "gears": 5}}
    assert above(Trip, lower, {"way": {"gears": 7}}) == {"way": {"kind": "ride", "gears": 7}}
    assert above(Trip, lower, {"way": {"kind": "walk"}}) == {"way": {"kind": "walk"}}
    assert above(Trip, lower, {"way": {"kind": "walk", "gears": 7}}) == {"way": {"kind": "walk", "gears": 7}}


def test_pruned_tables_keep_what_their_choice_knows() -> None:
    assert pruned(Trip, {"way": {"kind": "walk", "gears": 5, "pace": 2.0}, "far": 1}) == {
        "way": {"kind": "walk", "pace": 2.0}
    }
