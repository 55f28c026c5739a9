import pytest

from agentgym.errors import StoreError
from agentgym.store.lock import WriterLock, refuse_network_file_system


def test_network_file_system_is_refused(tmp_path):
    folder = tmp_path / "my runs"
    folder.mkdir()
    mounts = tmp_path / "mounts"
    escaped = str(folder).replace(" ", "\\040")
    mounts.write_text(f"/dev/vda / ext4 rw 0 0\nserver:/x {escaped} nfs4 rw 0 0\n")
    with pytest.raises(StoreError, match="network file system \\(nfs4\\)"):
        refuse_network_file_system(folder, mounts)
    refuse_network_file_system(tmp_path, mounts)


def test_local_mount_above_a_network_one_is_accepted(tmp_path):
    mounts = tmp_path / "mounts"
    mounts.write_text(f"server:/x / nfs rw 0 0\n/dev/vdb {tmp_path} ext4 rw 0 0\n")
    refuse_network_file_system(tmp_path, mounts)
    with pytest.raises(StoreError):
        refuse_network_file_system(tmp_path.parent, mounts)


def test_missing_table_of_mounts_checks_nothing(tmp_path):
    refuse_network_file_system(tmp_path, tmp_path / "none")


def test_stale_lock_file_does_not_block(tmp_path):
    (tmp_path / "run.lock").write_text("999999\n")
    WriterLock(tmp_path).release()
