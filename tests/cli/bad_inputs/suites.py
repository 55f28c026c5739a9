"""Suites that are damaged: what is changed in a good one, and a piece of what must be said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

Damage = Callable[[Path], None]

TOML = """name = "bad/{name}"
env = "agentgym/GuessNumber-v0"
description = "Guess."
license = "CC0-1.0"
source = "here"
headline = "all"
[splits]
train = ["all"]
test = ["all"]
[strata]
all = "All."
[scores]
oracle = {{ success = 1.0 }}
"""


def write_good(folder: Path) -> None:
    """A suite of two tasks."""
    folder.mkdir(parents=True)
    (folder / "suite.toml").write_text(TOML.format(name=folder.name))
    for number, split in enumerate(("train", "test")):
        (folder / f"{split}.jsonl").write_text(json.dumps(task(folder.name, number)) + "\n")


def task(name: str, number: int, **changes: object) -> dict[str, object]:
    config = {"low": 1, "high": 50 + number, "tries": 6}
    fields = {"id": f"bad/{name}:{number}", "seed": number, "stratum": "all", "instruction": "Guess.", "config": config}
    return {**fields, "private": {"secret": 7}, **changes}


def in_toml(old: str, new: str) -> Damage:
    def damage(folder: Path) -> None:
        path = folder / "suite.toml"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    return damage


def as_test(text: str | bytes) -> Damage:
    content = text if isinstance(text, bytes) else text.encode()
    return lambda folder: (folder / "test.jsonl").write_bytes(content) and None


def with_task(**changes: object) -> Damage:
    return lambda folder: as_test(json.dumps(task(folder.name, 1, **changes)) + "\n")(folder)


def without(name: str) -> Damage:
    return lambda folder: (folder / name).unlink()


def repeated(folder: Path) -> None:
    line = (folder / "test.jsonl").read_text()
    (folder / "test.jsonl").write_text(line + line)


def copied(folder: Path) -> None:
    (folder / "test.jsonl").write_text(json.dumps(task(folder.name, 0, id=f"bad/{folder.name}:copy")) + "\n")


SUITES: dict[str, tuple[Damage, str]] = {
    "task-nested-too-deep": (as_test("[" * 100_000), "test.jsonl:1: "),
    "task-of-thousands-of-digits": (as_test(f'{{"seed": {"9" * 5000}}}'), "test.jsonl:1: "),
    "no-toml-text": (in_toml('name = "bad', "name = bad"), "not valid TOML"),
    "other-name": (in_toml('name = "bad/', 'name = "worse/'), "the folder says"),
    "no-env": (in_toml('env = "agentgym/GuessNumber-v0"\n', ""), "['env'] are missing"),
    "unknown-env": (in_toml("GuessNumber-v0", "GuesNumber-v0"), "did you mean agentgym/GuessNumber-v0"),
    "unknown-key": (in_toml('source = "here"', 'source = "here"\nsorce = 1'), "['sorce'] are unknown"),
    "no-headline": (in_toml('headline = "all"', 'headline = "most"'), "headline 'most'"),
    "other-split": (in_toml("train = [", "training = ["), "split 'training' does not exist"),
    "splits-no-table": (in_toml('[splits]\ntrain = ["all"]\ntest = ["all"]\n', "splits = 3\n"), "must be a table"),
    "other-stratum": (in_toml('test = ["all"]', 'test = ["all", "hard"]'), "['hard']"),
    "odd-score": (in_toml("success = 1.0", "sucess = 1.0"), "expected success, tolerance, score"),
    "unseen-text": (in_toml('source = "here"', 'source = "here"\nis_unseen_env = "yes"'), "true or false"),
    "unseen-train": (in_toml('source = "here"', 'source = "here"\nis_unseen_env = true'), "no train split"),
    "odd-options": (in_toml('source = "here"', 'source = "here"\nenv_options = 3'), "must be a table"),
    "wrong-options": (in_toml("[splits]", "[env_options]\nsize = 3\n[splits]"), "size"),
    "no-test-file": (without("test.jsonl"), "there is no file"),
    "empty-test": (as_test(""), "is empty"),
    "blank-test": (as_test("\n\n"), "is empty"),
    "binary-test": (as_test(b"\xff\xfe\x00"), "not text in UTF-8"),
    "no-json": (as_test("{\n"), "test.jsonl:1:"),
    "a-list": (as_test("[1, 2]\n"), "expected an object"),
    "a-number": (as_test("3\n"), "expected an object"),
    "half-a-line": (as_test('{"id": "bad/half-a-line:1", "se'), "test.jsonl:1:"),
    "no-id": (as_test('{"seed": 1, "stratum": "all"}\n'), "test.jsonl:1:"),
    "other-id": (with_task(id="other/suite:1"), "must start with"),
    "id-number": (with_task(id=3), "test.jsonl:1:"),
    "two-ids": (repeated, "must be unique"),
    "seed-text": (with_task(seed="one"), "seed must be an int"),
    "seed-negative": (with_task(seed=-1), "seed must be an int >= 0"),
    "seed-true": (with_task(seed=True), "seed must be an int"),
    "task-stratum": (with_task(stratum="hard"), "key 'stratum'"),
    "unknown-field": (with_task(secret=3), "secret"),
    "config-list": (with_task(config=[1]), "config"),
    "config-empty": (with_task(config={}), "needs low, high and tries"),
    "private-empty": (with_task(private={}), "lacks 'secret'"),
    "limits-text": (with_task(limits="none"), "limits"),
    "limits-unknown": (with_task(limits={"max_truns": 3}), "max_truns"),
    "limits-zero": (with_task(limits={"max_turns": 0}), "max_turns"),
    "limits-negative": (with_task(limits={"max_seconds": -1}), "max_seconds"),
    "copied-task": (copied, "is the same as"),
}
