"""Locks on files: one holder, in threads too, and no holder of a file that has gone."""

import threading

from agentgym.sandbox.leasing.file_lock import FileLock, locked


def test_lock_has_one_holder_within_a_process_too(tmp_path):
    held = locked(tmp_path / "lock")
    other = FileLock(tmp_path / "lock", creates=False)
    assert not other.try_to_take()
    held.close()
    assert other.try_to_take()
    other.close()


def test_close_twice_closes_no_file_that_was_opened_since(tmp_path):
    first = locked(tmp_path / "first")
    first.close()
    second = locked(tmp_path / "second")
    first.close()
    assert second.is_at_path()
    second.close()


def test_who_waited_for_a_file_that_was_removed_locks_the_new_one(tmp_path):
    path = tmp_path / "lock"
    held = locked(path)
    found = []
    waiting = threading.Thread(target=lambda: found.append(locked(path)))
    waiting.start()
    waiting.join(0.2)
    assert found == []
    path.unlink()
    held.close()
    waiting.join()
    assert not FileLock(path, creates=False).try_to_take()
    found[0].close()
