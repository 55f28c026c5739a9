"""What tests of repairs share: a small package with tests of its own, as an sdist and as a prepared layer."""

import hashlib
import io
import shutil
import tarfile

import pytest

from agentgym_swe.repositories import catalogue
from agentgym_swe.repositories.catalogue import Package
from agentgym_swe.repositories.preparing import prepare_one

SOURCE = '''
"""Small sums."""


def clamp(value, low, high):
    """The value, or the bound that it crossed."""
    if value < low:
        return low
    if value > high:
        return high
    return value


def total(values, start=0):
    """The sum of some values."""
    for value in values:
        if value is None:
            continue
        start += value
    return start


def _spread(values):
    return max(values) - min(values)


def describe(values):
    """Sum and spread of some values."""
    return total(values), _spread(values)


NOTHING = total([])
'''
TESTS = """
import small
from small import clamp, describe, total

SEEN = []


def test_clamp():
    assert clamp(5, 0, 3) == 3
    assert clamp(-1, 0, 3) == 0
    assert clamp(2, 0, 3) == 2


def test_total():
    assert total([1, None, 2]) == 3


def test_describe():
    values = [4, 1]
    assert describe(values) == (5, 3)


def test_needs_to_be_first():
    assert not SEEN
    SEEN.append(1)


def test_needs_to_be_second():
    assert SEEN
"""
FILES = {
    "small/__init__.py": SOURCE,
    "tests/test_small.py": TESTS,
    "setup.py": "open('/tmp/agentgym-it-ran', 'w').close()\n",
    "PKG-INFO": "Metadata-Version: 2.1\nName: small\nVersion: 1.0\n",
    "LICENSE": "MIT\n",
    "small/__pycache__/__init__.cpython-311.pyc": "stale",
}


def write_sdist(folder, files=FILES):
    """An archive of some files; returns it and its hash."""
    path = folder / "small-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            content = text.encode()
            member = tarfile.TarInfo(f"small-1.0/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


def small_package(sha256, **changes):
    facts = {"name": "small", "version": "1.0", "licence": "MIT", "sources": ("small",), "tests": ("tests",)}
    return Package(sha256=sha256, **{**facts, **changes})


@pytest.fixture(scope="session")
def small_layer(tmp_path_factory):
    """The package, prepared."""
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    folder = tmp_path_factory.mktemp("small")
    sdist, sha256 = write_sdist(folder)
    left_out = {"tests/test_small.py::test_needs_to_be_second": "needs another test"}
    package = small_package(sha256, left_out=left_out)
    return prepare_one(package, sdist, folder / "layer", sandbox="bubblewrap")


@pytest.fixture
def small_catalogue(monkeypatch):
    """Knows the small package alone."""
    known = {"small": small_package("0" * 64)}
    monkeypatch.setattr(catalogue, "packages", lambda: known)
    return known
