import re
import sqlite3
from collections import Counter

import pytest

from agentgym.suite import load_suite
from agentgym_tools.sql import vocabulary
from agentgym_tools.sql.databases import SIZES, bench_of, create_statements
from agentgym_tools.sql.filling import draw_rows
from agentgym_tools.sql.generate import HELD_OUT_SCHEMA, SIZES_OF_SMALL, SIZES_OF_STRATA
from agentgym_tools.sql.schema import load_schema, read_schema, schema_names
from agentgym_tools.sql.scripts import SCRIPTS
from agentgym_tools.sql.templates import TEMPLATES


def test_splits_have_the_declared_strata_and_sizes(suite_tasks):
    counts = {stratum: count for strata in SIZES_OF_STRATA.values() for stratum, count in strata.items()}
    assert {stratum: len(tasks) for stratum, tasks in suite_tasks.items()} == counts
    assert sum(count for name, count in counts.items() if "changes" in name) == 300
    assert sum(count for name, count in counts.items() if "changes" not in name and "ambiguous" not in name) == 1500


def test_test_databases_templates_and_schema_are_unseen(suite_tasks):
    suite = load_suite("tools/sql")
    train = suite.tasks("train")
    seen = {(task.config["schema"], task.config["database"]) for task in train}
    assert not {(task.config["schema"], task.config["database"]) for task in suite.tasks("test")} & seen
    assert {task.config["schema"] for task in train} == set(schema_names()) - {HELD_OUT_SCHEMA}
    assert {task.config["schema"] for task in suite_tasks["unseen_schema"]} == {HELD_OUT_SCHEMA}
    shown = {task.config["template"] for task in train}
    for task in suite.tasks("test"):
        is_unseen = task.stratum.startswith("unseen_templates")
        assert (task.config["template"] not in shown) == TEMPLATES[task.config["template"]].is_held_out == is_unseen


def test_no_request_is_made_twice():
    for name in ("tools/sql", "tools/sql-small"):
        suite = load_suite(name)
        requests = Counter(task.instruction for split in suite.splits for task in suite.tasks(split))
        assert max(requests.values()) == 1


def test_private_part_is_not_told(suite_tasks):
    for task in (task for name, tasks in suite_tasks.items() if "ambiguous" in name for task in tasks):
        assert task.private["meanings"]
        for word, meaning in task.private["meanings"].items():
            assert word in task.instruction
            assert meaning not in task.instruction


def test_databases_are_the_same_on_every_run_and_differ_from_each_other():
    schema = load_schema("farm")
    assert draw_rows(schema, 12, "0 0") == draw_rows(schema, 12, "0 0")
    images = {bench_of("farm", number, sibling, False).base.image for number in range(5) for sibling in range(6)}
    assert len(images) == 30


@pytest.mark.parametrize("name", schema_names())
def test_every_schema_fills_and_has_dates_in_order_and_ends_without_children(name):
    schema = load_schema(name)
    db = sqlite3.connect(":memory:")
    db.executescript(create_statements(schema))
    rows = draw_rows(schema, SIZES[2], "test")
    for table in schema.tables:
        assert table.words
        db.executemany(f"INSERT INTO {table.name} VALUES ({', '.join('?' * len(table.columns))})", rows[table.name])
        for column in table.of_kind("later", nullable=None):
            sql = f"SELECT COUNT(*) FROM {table.name} WHERE {column.name} < {column.target}"
            assert db.execute(sql).fetchone() == (0,)
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    db.close()


def test_column_of_an_unknown_kind_is_refused():
    table = {"name": "a", "plural": "as", "rows": 1, "words": [], "columns": ["a_id key", "b colour"]}
    with pytest.raises(ValueError, match="kind 'colour'"):
        read_schema("x", {"title": "x", "tables": [table]})


def test_small_suite_keeps_to_short_questions_in_known_words(play):
    suite = load_suite("tools/sql-small")
    assert {split: len(suite.tasks(split)) for split in suite.splits} == {
        split: sum(strata.values()) for split, strata in SIZES_OF_SMALL.items()
    }
    known = set(re.findall(r"[A-Za-z_]+", " ".join(vocabulary.texts())))
    for task in suite.tasks("test")[::10]:
        assert len(task.private["sql"]) < 200
        assert set(re.findall(r"[A-Za-z_]+", task.instruction + task.private["sql"])) <= known
        assert len(str(play(task, SCRIPTS["oracle"](task, 0)).messages)) < 4_000
