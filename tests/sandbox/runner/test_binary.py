from __future__ import annotations

import os
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentgym.errors import SandboxStartError
from agentgym.sandbox.runner.binary import runner_binary, runner_sources

WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wshadow", "-Wstrict-prototypes")


PT_INTERP = 3


def segment_types(elf: bytes) -> set[int]:
    (offset,) = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 54)
    return {struct.unpack_from("<I", elf, offset + at * size)[0] for at in range(count)}


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    runner_binary.cache_clear()
    yield tmp_path / "cache" / "agentgym" / "runner"
    runner_binary.cache_clear()


def test_runner_binary_is_static_and_made_once(empty_cache: Path) -> None:
    binary = runner_binary()
    assert list(empty_cache.iterdir()) == [binary]
    assert PT_INTERP not in segment_types(binary.read_bytes())
    assert binary.stat().st_size < 2 << 20
    made = binary.stat().st_mtime_ns
    runner_binary.cache_clear()
    assert runner_binary() == binary
    assert binary.stat().st_mtime_ns == made


def test_runner_binary_of_many_threads_and_processes(empty_cache: Path) -> None:
    code = "from agentgym.sandbox.runner.binary import runner_binary; print(runner_binary())"
    others = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    paths: list[Path] = []
    threads = [threading.Thread(target=lambda: paths.append(runner_binary())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = {str(path) for path in paths} | {other.communicate(timeout=120)[0].strip() for other in others}
    assert found == {str(path) for path in empty_cache.iterdir()}
    assert len(found) == 1


def test_runner_binary_without_a_compiler_names_the_packages(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxStartError, match="apt-get install gcc libc6-dev"):
        runner_binary()


def test_runner_binary_shows_what_a_failing_compiler_says(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\necho cannot find -lc >&2\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(SandboxStartError, match="cannot find -lc"):
        runner_binary()
    assert list(empty_cache.iterdir()) == []


def test_runner_compiles_without_a_warning(tmp_path: Path) -> None:
    sources = [str(source) for source in runner_sources() if source.suffix == ".c"]
    argv = ["cc", "-std=c11", "-O2", "-static", *WARNINGS, "-o", str(tmp_path / "runner"), *sources]
    made = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert (made.returncode, made.stderr) == (0, "")


def test_runner_sources_are_small() -> None:
    for source in runner_sources():
        assert source.read_text().count("\n") < 400, source.name
