import base64
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from agentgym.errors import ContractError, StoreError, UnknownNameError
from agentgym.outcome import Outcome
from agentgym.reward import RewardEvent
from agentgym.store import DATABASE, RunStore, codec
from agentgym.store.codec import pack_tokens
from agentgym.store.schema import APPLICATION_ID, MIGRATIONS, READINGS, VERSION
from agentgym.task import Limits, Task
from agentgym.trajectory import Group, Turn, TurnTimes

FAULT = Outcome("infrastructure", "StepTimeoutError")


def test_episode_reads_back_exactly(store, make_trajectory, same):
    written = make_trajectory("e1", group_id="g", attempt=3, parent_id="e0", parent_turn=2, is_derived=True)
    store.write_episode(written, iteration=4)
    (found,) = store.episodes(purpose="train", iteration=4, policy="tiny")
    assert same(found, written)


def test_episode_without_reward_or_turns_reads_back_exactly(store, make_trajectory, same):
    written = make_trajectory(
        "e1", 0, events=[], outcome=FAULT, score=None, success=None, split=None, error="hung\ud800"
    )
    store.write_episode(written)
    (found,) = store.episodes()
    assert same(found, written)
    assert store.episode_rows()[0].reward is None


def test_text_only_turns_and_empty_logprobs_are_told_apart(store, make_trajectory, same):
    silent = Turn(0, [], {"role": "assistant", "content": "a"}, "a")
    empty = Turn(1, [], {"role": "assistant", "content": ""}, "", behaviour_logprobs=np.zeros(0, np.float32))
    for name, turns in (("text", [silent]), ("mixed", [silent, empty])):
        store.write_episode(make_trajectory(name, turns=turns))
    first, second = store.episodes()
    assert first.turns[0].behaviour_logprobs is None
    assert same(second, make_trajectory("mixed", turns=[silent, empty]))


def test_arrays_that_were_read_can_be_written_apart(store, make_trajectory):
    store.write_episode(make_trajectory("e1"))
    (found,) = store.episodes()
    found.turns[0].prompt_ids[:] = -1
    assert (found.turns[0].action_ids >= 0).all()
    assert (found.turns[1].prompt_ids >= 0).all()


def test_reading_without_tokens_leaves_them_out(store, make_trajectory):
    store.write_episode(make_trajectory("e1"))
    (found,) = store.episodes(with_tokens=False)
    assert len(found.turns) == 5
    assert found.turns[0].text.startswith("search")
    assert found.num_action_tokens == 0
    assert store.episode_rows()[0].num_action_tokens == 60


def test_images_are_stored_once_and_come_back(store, make_trajectory, same):
    url = "data:image/png;base64," + base64.b64encode(b"\x89PNG picture").decode()
    odd = "data:image/png;base64,@@@"
    parts = [{"type": "image_url", "image_url": {"url": one}} for one in (url, odd, "https://x/y.png")]
    turns = [
        Turn(i, [{"role": "user", "content": [{"type": "text", "text": "see"}, *parts]}], {"role": "assistant"}, "")
        for i in range(3)
    ]
    written = make_trajectory("e1", turns=turns)
    store.write_episode(written)
    (found,) = store.episodes()
    assert same(found, written)
    assert store.counts()["images"] == 1
    assert b"data:image/png;base64,iVBOR" not in (store.folder / DATABASE).read_bytes()


def test_filters_combine_and_order_is_of_writing(store, make_trajectory):
    for index in range(600):
        policy = "a" if index % 2 else "b"
        store.write_episode(make_trajectory(f"e{index}", 1, policy=policy, split=None), index // 100, "validation")
    found = [trajectory.id for trajectory in store.episodes(policy="a", iteration=3, purpose="validation", split=None)]
    assert found == [f"e{index}" for index in range(301, 400, 2)]
    assert [row.id for row in store.episode_rows(after=598)] == ["e598", "e599"]
    assert store.watermark() == 600
    assert len(list(store.episodes(with_tokens=False))) == 600
    with pytest.raises(UnknownNameError, match="did you mean policy"):
        store.episode_rows(polici="a")


def test_taken_episode_id_is_refused_and_a_replacement_is_not(store, make_trajectory, same):
    store.write_episode(make_trajectory("e1", outcome=FAULT, score=None, success=None))
    with pytest.raises(StoreError, match="holds an episode 'e1' already"):
        store.write_episode(make_trajectory("e1"))
    store.write_episode(make_trajectory("e1", seed=5), is_replacement=True)
    (found,) = store.episodes()
    assert same(found, make_trajectory("e1", seed=5))
    assert store.counts()["turns"] == 5


def test_unended_or_unstorable_episode_leaves_nothing(store, make_trajectory):
    with pytest.raises(ContractError, match="has no outcome yet"):
        store.write_episode(make_trajectory("e1", outcome=None))
    with pytest.raises(ContractError, match=r"episode 'e1' cannot be stored: set is no JSON value"):
        store.write_episode(make_trajectory("e1", metadata={"x": {1}}))
    assert store.counts()["episodes"] == 0


def test_numpy_numbers_are_stored_as_numbers(store, make_trajectory):
    store.write_episode(make_trajectory("e1", usage={"n": np.float32(0.5)}, score=np.float32(0.25), success=np.True_))
    (found,) = store.episodes()
    assert (found.usage, found.score, found.success) == ({"n": 0.5}, 0.25, True)


def test_group_reads_back_when_sealed(store, make_trajectory, same):
    group = Group("g1", "tools/lookup:train-00001", 4)
    for attempt in (2, 0, 1, 3):
        outcome = FAULT if attempt == 1 else Outcome("terminated")
        trajectory = make_trajectory(f"e{attempt}", seed=attempt, group_id="g1", attempt=attempt, outcome=outcome)
        store.write_episode(trajectory, 7)
        assert list(store.groups()) == []
        group.add(trajectory)
    (in_flight,) = store.groups(sealed=False)
    assert (in_flight.size, in_flight.is_sealed, len(in_flight.members)) == (4, False, 3)
    store.seal_group(group, 7)
    (found,) = store.groups(iteration=7)
    assert (found.id, found.task_id, found.size, found.is_sealed) == ("g1", group.task_id, 4, True)
    assert [member.attempt for member in found.members] == [0, 2, 3]
    assert all(same(a, b) for a, b in zip(found.members + found.missing, group.members + group.missing, strict=True))
    assert list(store.groups(iteration=8)) == []


def test_group_with_unwritten_episodes_cannot_be_sealed(store, make_trajectory):
    group = Group("g1", "t", 1)
    group.add(make_trajectory("e1", group_id="g1"))
    with pytest.raises(StoreError, match="0 of its 1 episodes are stored"):
        store.seal_group(group)
    store.write_episode(group.members[0])
    store.seal_group(group)
    assert len(list(store.groups())) == 1


def test_whole_group_is_written_at_once_or_not_at_all(store, make_trajectory, same):
    group = Group("g1", "t", 3)
    for attempt in range(3):
        group.add(make_trajectory(f"e{attempt}", seed=attempt, group_id="g1", attempt=attempt))
    store.write_episode(make_trajectory("e2"))
    with pytest.raises(StoreError, match="'e2' already"):
        store.write_group(group, 1)
    assert store.counts()["episodes"] == 1
    group.members[2].id = "e3"
    store.write_group(group, 1)
    (found,) = store.groups(iteration=1)
    assert all(same(a, b) for a, b in zip(found.members, group.members, strict=True))
    with pytest.raises(StoreError, match="cannot seal"):
        store.write_group(Group("g2", "t", 2), 1)


def test_rollback_drops_later_iterations_and_groups_in_flight(store, make_trajectory):
    for iteration in range(4):
        group = Group(f"g{iteration}", "t", 2)
        for attempt in range(2):
            group.add(make_trajectory(f"e{iteration}-{attempt}", group_id=group.id, attempt=attempt))
            store.write_episode(group.members[-1], iteration)
        store.seal_group(group, iteration)
        store.log_metrics(iteration, {"reward": iteration})
    store.write_episode(make_trajectory("flying", group_id="open"), 1)
    store.write_episode(make_trajectory("demo"), purpose="demo")
    assert store.rollback_after(1) == 5
    assert {row.id for row in store.episode_rows()} == {"e0-0", "e0-1", "e1-0", "e1-1", "demo"}
    assert [group.id for group in store.groups()] == ["g0", "g1"]
    assert list(store.groups(sealed=False)) == []
    np.testing.assert_array_equal(store.metrics()["reward"][0], [0, 1])
    assert store.counts()["turns"] == 25


def test_metrics_come_back_in_order_of_iteration(store):
    for iteration in (2, 0, 1):
        store.log_metrics(iteration, {"kl": iteration / 2, "loss": float("nan")})
    store.log_metrics(1, {"kl": 9.0})
    store.log_metrics(0, {"success": 1}, phase="validation")
    iterations, values = store.metrics(["kl"])["kl"]
    assert iterations.dtype == np.int64
    np.testing.assert_array_equal(iterations, [0, 1, 2])
    np.testing.assert_array_equal(values, [0.0, 9.0, 1.0])
    assert np.isnan(store.metrics()["loss"][1]).all()
    assert len(store.metrics(["nothing"])["nothing"][0]) == 0
    assert store.phases() == ["train", "validation"]


def test_tasks_are_stored_without_their_answers(store):
    task = Task("a/b:1", 3, "find it", config={"hops": 2}, private={"answer": "Ada"}, limits=Limits(max_turns=5))
    store.write_tasks([task])
    assert store.tasks()["a/b:1"]["limits"] == {"max_turns": 5}
    assert store.tasks()["a/b:1"]["content_hash"] == task.content_hash
    assert b"Ada" not in (store.folder / (DATABASE + "-wal")).read_bytes()


def test_second_writer_is_refused_and_readers_are_not(store, make_trajectory):
    store.write_episode(make_trajectory("e1"))
    with pytest.raises(StoreError, match=f"being written by process {os.getpid()}"):
        RunStore.open(store.folder)
    with RunStore.open(store.folder, read_only=True) as reader:
        assert reader.counts()["episodes"] == 1
        store.write_episode(make_trajectory("e2"))
        assert reader.counts()["episodes"] == 2
        with pytest.raises(StoreError, match="open read-only"):
            reader.write_episode(make_trajectory("e3"))


def test_lock_is_free_after_close_and_close_twice_is_harmless(tmp_path):
    store = RunStore.create(tmp_path, {"a": 1})
    store.close()
    store.close()
    with RunStore.open(tmp_path) as again:
        assert again.meta["a"] == 1
    with pytest.raises(StoreError, match="Cannot operate on a closed database"):
        again.counts()


def test_run_folder_of_another_run_is_refused(store):
    store.close()
    with pytest.raises(StoreError, match="holds a run already"):
        RunStore.create(store.folder, {})
    with pytest.raises(StoreError, match="another run: its seed is 1, expected 2"):
        RunStore.open(store.folder, expected_meta={"seed": 2})
    RunStore.open(store.folder, expected_meta={"seed": 1}).close()


def test_folder_without_run_is_refused(tmp_path):
    with pytest.raises(StoreError, match="holds no run"):
        RunStore.open(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_unusable_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot make the run folder"):
        RunStore.create(tmp_path / "file", {})
    with pytest.raises(StoreError, match="cannot write in the run folder /proc/self"):
        RunStore.create("/proc/self", {})


@pytest.mark.parametrize("content", [b"no database at all, only text " * 50, b"\0" * 9000])
def test_foreign_file_is_refused_and_untouched(tmp_path, content):
    (tmp_path / DATABASE).write_bytes(content)
    for read_only in (True, False):
        with pytest.raises(StoreError, match="choose another run folder"):
            RunStore.open(tmp_path, read_only=read_only)
    assert (tmp_path / DATABASE).read_bytes() == content


def test_database_of_another_program_is_refused(tmp_path):
    with sqlite3.connect(tmp_path / DATABASE) as other:
        other.execute("CREATE TABLE songs (name)")
    other.close()
    with pytest.raises(StoreError, match="no run's database"):
        RunStore.open(tmp_path)


def test_newer_schema_is_refused(store):
    store.close()
    with sqlite3.connect(store.folder / DATABASE) as raw:
        raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(StoreError, match="schema version 99"):
        RunStore.open(store.folder)


def test_damaged_database_is_reported(store, make_trajectory):
    for index in range(50):
        store.write_episode(make_trajectory(f"e{index}"))
    store.close()
    path = store.folder / DATABASE
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="restore the run folder"), RunStore.open(store.folder) as damaged:
        list(damaged.episodes())


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        ("UPDATE turns SET record = '[[}'", "episode 'e1' is damaged"),
        ("UPDATE turns SET record = '7'", "episode 'e1' is damaged"),
        ("UPDATE turns SET record = '[1]'", "episode 'e1' is damaged"),
        ("UPDATE tokens SET arrays = x'00ff00'", "episode 'e1' is damaged"),
        ("DELETE FROM turns WHERE position = 0", "episode 'e1' is damaged"),
        ("UPDATE episodes SET record = '{}'", "episode 'e1' is damaged"),
        ("UPDATE meta SET value = '{'", "what is known about the run is damaged"),
        ("UPDATE credit SET events = '[[1]]'", "credit 'mine' is damaged"),
        ("UPDATE attributions SET record = 'x'", "the list of credit labels is damaged"),
    ],
)
def test_damaged_records_are_told_with_what_is_damaged(store, make_trajectory, damage, named):
    store.write_episode(make_trajectory("e1"))
    store.write_credit("mine", {}, {1: [RewardEvent(0, 0, "agent", "mine", 1.0, "shaping")]})
    store.set_meta({"known": 1})
    with store._connection.transaction() as sqlite:
        sqlite.execute(damage)
    with pytest.raises(StoreError, match=f"{named} .*; restore the run folder from a copy") as refused:
        list(store.episodes()), store.meta, store.credit("mine")
    assert str(store.folder) in str(refused.value)


def _write_many(store, make_trajectory):
    for index in range(1, 50):
        store.write_episode(make_trajectory(f"e{index}"))


def test_full_disk_keeps_what_was_stored(store, make_trajectory, same):
    store.write_episode(make_trajectory("e0"))
    with store._connection.transaction() as raw:  # the engine itself then reports a full disk
        pages = raw.execute("PRAGMA page_count").fetchone()[0]
    store._connection._sqlite.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError, match="free some space and resume"):
        _write_many(store, make_trajectory)
    num_stored = store.counts()["episodes"]
    assert store.counts()["turns"] == 5 * num_stored
    assert same(next(store.episodes()), make_trajectory("e0"))
    store._connection._sqlite.execute("PRAGMA max_page_count = 100000")
    store.write_episode(make_trajectory("later"))
    assert store.counts()["episodes"] == num_stored + 1


def test_threads_share_one_store(store, make_trajectory):
    def write(thread):
        for index in range(50):
            store.write_episode(make_trajectory(f"e{thread}-{index}"), index)
            store.log_metrics(index, {f"m{thread}": index})
            list(store.episodes(iteration=index, with_tokens=False))

    threads = [threading.Thread(target=write, args=(thread,)) for thread in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.counts() == {"tasks": 0, "episodes": 400, "turns": 2000, "metrics": 400, "groups": 0, "images": 0}


def _start_writer(folder: Path) -> subprocess.Popen:
    code = (
        "import sys, itertools\n"
        "from agentgym.store import RunStore\n"
        "from agentgym.trajectory import Trajectory, Turn\n"
        "from agentgym.outcome import Outcome\n"
        "store = RunStore.create(sys.argv[1], {'seed': 1})\n"
        "for n in itertools.count():\n"
        "    turns = [Turn(i, [], {'role': 'assistant', 'content': 'x' * 3000}, 'x') for i in range(5)]\n"
        "    store.write_episode(Trajectory(f'e{n}', 't', turns=turns, outcome=Outcome('terminated')), n)\n"
        "    print(n, flush=True)\n"
    )
    return subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True)


def test_killed_writer_leaves_whole_episodes_and_a_free_lock(tmp_path):
    writer = _start_writer(tmp_path)
    try:
        assert writer.stdout.readline() == "0\n"
        with pytest.raises(StoreError, match=f"being written by process {writer.pid}"):
            RunStore.open(tmp_path)
        for _ in range(20):
            writer.stdout.readline()
        os.kill(writer.pid, signal.SIGKILL)
        reported = [*range(21), *map(int, writer.stdout.read().split())]
    finally:
        writer.kill()
        writer.wait()
        writer.stdout.close()
    with RunStore.open(tmp_path, expected_meta={"seed": 1}) as store:
        stored = list(store.episodes())
        assert len(stored) >= len(reported) > 10
        assert all(len(trajectory.turns) == 5 for trajectory in stored)
        assert store._connection.rows("PRAGMA integrity_check") == [("ok",)]
        store.write_episode(stored[0], is_replacement=True)


def test_run_killed_at_birth_can_be_started_again(tmp_path):
    (tmp_path / DATABASE).touch()
    RunStore.create(tmp_path, {"a": 1}).close()


def test_forked_process_is_refused(store, make_trajectory):
    store._connection._process = -1
    with pytest.raises(StoreError, match="forked process"):
        store.write_episode(make_trajectory("e1"))


def test_long_token_arrays_are_compressed_and_short_ones_are_read_back_too(store, make_trajectory, same):
    short, long = make_trajectory("short", num_turns=1), make_trajectory("long", num_turns=40)
    for trajectory in (short, long):
        store.write_episode(trajectory)
    assert all(same(one, other) for one, other in zip(store.episodes(), (short, long), strict=True))
    plain = 4 * sum(len(turn.prompt_ids) + 2 * len(turn.action_ids) for turn in long.turns)
    assert len(pack_tokens(long.turns)) < 0.8 * plain


def make_first_version(folder):
    """A run as version 1 of the schema left it, with one episode of one turn."""
    folder.mkdir()
    with sqlite3.connect(folder / DATABASE) as raw:
        raw.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for statement in MIGRATIONS[0]:
            raw.execute(statement)
        raw.execute("PRAGMA user_version = 1")
        record = {"content_hash": "", "seed": 1, "is_derived": False, "parent_id": None, "parent_turn": None}
        record |= {"usage": {}, "error": "", "metadata": {}, "events": [], "weights": {}}
        values = ("e1", "train", None, "", "", None, "", "t", "agent", 0, "", "terminated", "", 1, 1.0, 0.0, 1, 0)
        raw.execute(
            f"INSERT INTO episodes ({codec.EPISODE_COLUMNS}) VALUES ({','.join('?' * 19)})",
            (*values, json.dumps(record)),
        )
        turn = (1, 0, 0, json.dumps([[], {"role": "assistant"}, "up", "start"]), 3, 1, 0, 0, 0.1, 0.2, 0.3, 0.4)
        raw.execute(f"INSERT INTO turns VALUES ({','.join('?' * 12)})", turn)
        raw.execute("INSERT INTO meta VALUES ('kind', '\"old\"')")
    raw.close()


@pytest.mark.parametrize("read_only", [True, False])
def test_a_run_of_the_first_version_reads_as_one_of_today(tmp_path, read_only):
    make_first_version(tmp_path / "run")
    with RunStore.open(tmp_path / "run", read_only=read_only) as store:
        (found,) = store.episodes()
        assert (found.turns[0].text, found.turns[0].anchor, found.turns[0].progress) == ("up", "start", None)
        assert found.turns[0].times == TurnTimes(0.1, 0.2, 0.3, 0.4)
        assert store.credit_labels() == {}
        (columns,) = store.columns()
        assert columns.turn_version.tolist() == [3]


def test_reading_a_run_of_the_first_version_leaves_it_as_it_was(tmp_path):
    make_first_version(tmp_path / "run")
    before = (tmp_path / "run" / DATABASE).read_bytes()
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        assert len(list(store.episodes())) == 1
    assert [path.name for path in (tmp_path / "run").iterdir()] == [DATABASE]
    assert (tmp_path / "run" / DATABASE).read_bytes() == before


def test_every_version_can_be_read():
    assert len(READINGS) == VERSION - 1


def test_credit_is_kept_under_labels_beside_the_recorded_events(store, make_trajectory, same):
    numbers = [store.write_episode(make_trajectory(f"e{index}")) for index in range(3)]
    event = RewardEvent(1, 4, "agent", "uniform", 0.1 + 0.2, "shaping")
    store.write_credit("uniform", {"method": "uniform"}, {numbers[0]: [event, event], numbers[2]: [event]})
    store.write_credit("other", {"method": "anchors", "options": {"gamma": 0.95}}, {numbers[1]: [event]})
    assert store.credit("uniform") == {numbers[0]: [event, event], numbers[2]: [event]}
    assert store.credit_labels()["other"] == {"method": "anchors", "options": {"gamma": 0.95}}
    assert all(same(found, make_trajectory(found.id)) for found in store.episodes())
    with pytest.raises(UnknownNameError, match="did you mean uniform"):
        store.credit("unifrom")


def test_credit_of_some_episodes_is_read_alone(store, make_trajectory):
    numbers = [store.write_episode(make_trajectory(name)) for name in ("a", "b", "c")]
    events = {number: [RewardEvent(0, 0, "player", "x", float(number), "shaping")] for number in numbers[:2]}
    store.write_credit("x", {}, events)
    assert store.credited("x") == set(numbers[:2])
    assert store.credit("x", numbers[1:]) == {numbers[1]: events[numbers[1]]}
    assert store.credit("x", []) == {}
    with pytest.raises(UnknownNameError):
        store.credited("y")


def test_credit_is_written_whole_or_not_at_all(store, make_trajectory):
    number = store.write_episode(make_trajectory("e1"))
    event = RewardEvent(0, 4, "agent", "a", 1.0, "shaping")
    store.write_credit("a", {}, {number: [event]})
    with pytest.raises(StoreError, match="label 'a' already"):
        store.write_credit("a", {}, {})
    with pytest.raises(StoreError, match="not stored"):
        store.write_credit("b", {}, {number: [event], number + 1: [event]})
    assert store.credit_labels() == {"a": {}}
    store.write_credit("a", {"again": True}, {}, is_replacement=True)
    assert store.credit("a") == {}


def test_credit_goes_with_its_episode(store, make_trajectory):
    number = store.write_episode(make_trajectory("e1"), iteration=5)
    store.write_credit("a", {}, {number: [RewardEvent(0, 4, "agent", "a", 1.0, "shaping")]})
    store.rollback_after(4)
    assert store.credit("a") == {}
