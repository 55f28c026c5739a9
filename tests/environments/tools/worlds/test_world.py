"""An episode's world: what it changes, how it comes back, and what it refuses."""

from __future__ import annotations

import random
import sqlite3
import threading
from typing import Any

import pytest

from agentgym.errors import ContractError
from agentgym_tools.worlds import Base, Bench, World


def dump(world: World) -> list[Any]:
    with world.call(may_write=False):
        tables = ("customers", "orders", "lines")
        return [[tuple(row) for row in world.rows(f"SELECT * FROM {name} ORDER BY 1, 2")] for name in tables]


def cancel(world: World, number: str) -> None:
    with world.call():
        world.write("UPDATE orders SET note = 'cancelled' WHERE number = ?", number)


def scramble(world: World, rng: random.Random) -> None:
    """A call with random writes."""
    with world.call():
        for _ in range(rng.randrange(1, 5)):
            number = f"W{rng.randrange(1, 9)}"
            match rng.randrange(5):
                case 0:
                    world.write("INSERT OR IGNORE INTO orders VALUES (?, ?, ?, NULL)", number, rng.randrange(1, 4), 7)
                case 1:
                    world.write("DELETE FROM orders WHERE number = ?", number)
                case 2:
                    world.write("UPDATE orders SET cents = cents + 1 WHERE number = ?", number)
                case 3:
                    world.write("UPDATE OR IGNORE lines SET place = place + 1, item = ? WHERE number = ?", "“ü", number)
                case _:
                    world.write("REPLACE INTO lines VALUES (?, 1, ?)", number, str(rng.random()))


def test_world_changes_are_net(world: World) -> None:
    cancel(world, "W2")
    with world.call():
        world.write("UPDATE orders SET note = 'gift' WHERE number = 'W2'")
        world.write("INSERT INTO orders VALUES ('W9', 2, 5, NULL)")
        world.write("DELETE FROM orders WHERE number = 'W9'")
        world.write("DELETE FROM lines WHERE number = 'W1' AND place = 2")
        world.write("UPDATE customers SET name = 'Ilona' WHERE id = 2")
    found = world.changes()
    assert [(each.table, each.key, each.kind) for each in found] == [
        ("customers", (2,), "changed"),
        ("lines", ("W1", 2), "removed"),
    ]
    assert found[0].before == {"id": 2, "name": "Ilo"}
    assert found[0].after == {"id": 2, "name": "Ilona"}
    assert found[1].after is None


def test_world_reset_is_the_base(world: World) -> None:
    before = dump(world)
    scramble(world, random.Random(1))
    world.reset()
    assert dump(world) == before
    assert world.changes() == []


@pytest.mark.parametrize("seed", range(20))
def test_world_wakes_as_it_was_parked(bench: Bench, seed: int) -> None:
    """Worlds that share two seats behave as those that each have their own."""
    shared = [World(bench) for _ in range(5)]
    alone = [World(Bench(bench.base, 1)) for _ in range(5)]
    order = random.Random(seed)
    for step in range(40):
        which = order.randrange(5)
        for worlds in (shared, alone):
            scramble(worlds[which], random.Random(f"{seed} {step}"))
    assert [dump(world) for world in shared] == [dump(world) for world in alone]
    assert [world.changes() for world in shared] == [world.changes() for world in alone]
    assert [world.state() for world in shared] == [world.state() for world in alone]


def test_world_fork_goes_on_by_itself(world: World) -> None:
    cancel(world, "W1")
    twin = world.fork()
    assert dump(twin) == dump(world)
    cancel(twin, "W3")
    assert [change.key for change in world.changes()] == [("W1",)]
    assert [change.key for change in twin.changes()] == [("W1",), ("W3",)]


def fail(world: World) -> None:
    """A call that writes and then fails."""
    with world.call():
        world.write("DELETE FROM lines")
        assert world.new_id("customers") == 4
        world.now += 5
        raise ZeroDivisionError


def test_world_failing_call_changes_nothing(world: World) -> None:
    with pytest.raises(ZeroDivisionError):
        fail(world)
    assert world.changes() == []
    assert world.now == 0
    with world.call():
        assert world.new_id("customers") == 4


def test_world_ids_go_on_after_parking(bench: Bench) -> None:
    first = World(bench)
    with first.call():
        assert first.new_id("customers") == 4
    others = [World(bench) for _ in range(3)]
    for other in others:
        dump(other)
    with first.call():
        assert first.new_id("customers") == 5


def test_world_rows_of_the_task_do_not_count(world: World) -> None:
    with world.call():
        world.write("INSERT INTO orders VALUES ('W7', 3, 1, NULL)")
        world.write("UPDATE orders SET cents = 1 WHERE number = 'W1'")
    world.mark_start()
    with world.call():
        world.write("UPDATE orders SET cents = 990 WHERE number = 'W1'")
        world.write("DELETE FROM orders WHERE number = 'W7'")
    assert [(change.key, change.kind) for change in world.changes()] == [(("W1",), "changed"), (("W7",), "removed")]
    before = world.changes()[0].before
    assert before is not None
    assert before["cents"] == 1


def test_world_call_that_reads_may_not_write(world: World) -> None:
    with pytest.raises(ContractError, match="only reads has written"), world.call(may_write=False):
        world.write("DELETE FROM lines")
    assert world.changes() == []


def test_world_call_that_only_reads_is_undone_alone_where_it_writes(world: World) -> None:
    before = world.state()
    with pytest.raises(ContractError, match="only reads has written"), world.call(may_write=False):
        world.write("DELETE FROM lines")
    assert world.state() == before


def test_world_draft_is_undone_and_a_fork_made_inside_keeps_it(world: World) -> None:
    with world.draft():
        with world.call():
            world.write("DELETE FROM lines")
        kept = world.fork()
        assert world.changes() == kept.changes() != []
    assert world.changes() == []
    assert kept.changes() != []
    with kept.call(may_write=False):
        assert kept.rows("SELECT * FROM lines") == []
    with world.draft(), pytest.raises(ContractError, match="inside a call or a draft"), world.draft():
        pass
    kept.close()


def test_world_outside_a_call_is_refused(world: World) -> None:
    with pytest.raises(ContractError, match=r"with world\.call"):
        world.rows("SELECT 1")
    with world.call(), pytest.raises(ContractError, match="inside another call"), world.call():
        pass


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT random()",
        "SELECT datetime('now')",
        "SELECT CURRENT_TIMESTAMP",
        "SELECT last_insert_rowid()",
        "ATTACH ':memory:' AS other",
        "PRAGMA query_only = ON",
        "CREATE TABLE more (id INTEGER PRIMARY KEY)",
        "DROP TABLE lines",
        "COMMIT",
        "ROLLBACK",
        "DELETE FROM temp._log",
    ],
)
def test_world_refuses_what_would_not_come_back(world: World, sql: str) -> None:
    with pytest.raises(sqlite3.DatabaseError, match=r"not authorized|prohibited"), world.call():
        world.rows(sql)
    cancel(world, "W1")
    assert len(world.changes()) == 1


def test_world_broken_references_are_refused_also_after_waking(bench: Bench) -> None:
    world = World(bench)
    cancel(world, "W1")
    for other in [World(bench) for _ in range(2)]:
        dump(other)
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"), world.call():
        world.write("INSERT INTO orders VALUES ('W8', 77, 1, NULL)")


def test_world_parent_and_child_wake_in_any_order(bench: Bench) -> None:
    world = World(bench)
    with world.call():
        world.write("INSERT INTO customers VALUES (9, 'New')")
        world.write("INSERT INTO orders VALUES ('A0', 9, 1, NULL)")
        world.write("UPDATE customers SET name = 'Swap' WHERE id = 1")
        world.write("UPDATE customers SET name = 'Mara' WHERE id = 2")
    state = world.state()
    for other in [World(bench) for _ in range(2)]:
        dump(other)
    dump(world)
    assert world.state() == state


def test_worlds_step_from_many_threads(base: Base) -> None:
    bench = Bench(base, num_seats=2)
    worlds = [World(bench) for _ in range(8)]

    def play(world: World) -> None:
        for step in range(30):
            scramble(world, random.Random(step))

    threads = [threading.Thread(target=play, args=(world,)) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(dump(world) == dump(worlds[0]) for world in worlds)
    assert worlds[0].changes()


def test_world_that_is_dropped_frees_its_seat(base: Base) -> None:
    bench = Bench(base, num_seats=1)
    cancel(World(bench), "W1")
    fresh = World(bench)
    assert dump(fresh)[1][0] == ("W1", 1, 990, None)
    assert fresh.changes() == []


def interrupted_write(world: World, sql: str) -> None:
    with world.call(), world.under(lambda *_: sqlite3.SQLITE_OK) as db:
        db.set_progress_handler(lambda: True, 1)
        try:
            db.execute(sql)
        finally:
            db.set_progress_handler(None, 0)


def test_changes_outlive_a_foreign_write_that_is_interrupted(bench: Bench) -> None:
    world = World(bench)
    table = bench.base.tables[0]
    key = table.columns[table.key[0]]
    with world.call():
        world.write(f"DELETE FROM {table.name} WHERE {key} = (SELECT max({key}) FROM {table.name})")
    before = world.changes()
    for _ in range(2):
        with pytest.raises(sqlite3.OperationalError, match="interrupted"):
            interrupted_write(world, f"DELETE FROM {table.name}")
    assert world.changes() == before != []
    world.close()


def test_statements_under_another_authorizer_are_asked_about_anew(bench: Bench) -> None:
    world = World(bench)
    sql = f"SELECT count(*) FROM {bench.base.tables[0].name}"
    with world.call(may_write=False):
        assert world.rows(sql)
        with world.under(lambda *_: sqlite3.SQLITE_DENY) as db, pytest.raises(sqlite3.DatabaseError):
            db.execute(sql)
        assert world.rows(sql)
    with pytest.raises(ContractError, match="inside"), world.under(lambda *_: sqlite3.SQLITE_OK):
        pass
    world.close()


def test_a_new_world_leaves_statements_prepared(bench: Bench) -> None:
    """After some PRAGMA, SQLite prepares every statement anew; a world without changes needs none."""
    made: list[str] = []
    for _ in range(4):
        world = World(bench)
        with world.call(may_write=False):
            world._open.set_trace_callback(made.append)
            world.row("SELECT name FROM customers WHERE id = ?", 1)
        world.close()
    assert any(each.startswith("SELECT") for each in made)
    assert not [each for each in made if each.startswith("PRAGMA")]
