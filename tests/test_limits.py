"""The whole program on inputs that would stall a machine: a result or one clear line, within bounds."""

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
GOOD = "".join(f"line {number} word{number % 7} word{number % 11}\n" for number in range(50))
MEGABYTE = 1 << 20


def packed(path: Path, piece: bytes, times: int) -> None:
    with gzip.open(path, "wb", compresslevel=9) as out:
        for _ in range(times):
            out.write(piece)


def one_packed_line(folder: Path) -> None:
    """3 MB that unpack to one line of 3 GB."""
    (folder / "reference.txt").unlink()
    packed(folder / "reference.txt.gz", b"a" * MEGABYTE, 3000)


def packed_short_lines(folder: Path) -> None:
    (folder / "reference.txt").unlink()
    packed(folder / "reference.txt.gz", b"a b\n" * (MEGABYTE // 4), 600)


def one_long_line(folder: Path) -> None:
    (folder / "reference.txt").write_text("word " * 40_000_000 + "\n")


def empty_lines(folder: Path) -> None:
    for path in (folder / "reference.txt", *(folder / "systems").iterdir()):
        path.write_text("\n" * 2_000_000)


def many_topics(folder: Path) -> None:
    lines = "".join(f"{number}\tword{number % 7} line\n" for number in range(100_000))
    (folder / "topics.tsv").write_text("topic_id\ttitle\n" + lines)


COUNTED = """
import atexit, sys
from clirbench import text
from clirbench.__main__ import main
path, pieces, n = sys.argv.pop(1), text._pieces, {"calls": 0, "bytes": 0}
def counted(*arguments):
    for piece in pieces(*arguments):
        n["bytes"] += len(piece)
        yield piece
def called(frame, event, argument):
    n["calls"] += 1
text._pieces = counted
atexit.register(lambda: open(path, "w").write(f"{n['calls']} {n['bytes']}"))
sys.settrace(called)
main()
"""
"""The program; at its end, how many functions of Python it has called and how many bytes of files it has read."""
MEASURED = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[2:]).returncode
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status)
"""
"""A small process between: a child's peak of memory begins with that of the process it was forked from."""


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (one_packed_line, "reference.txt.gz: a line of more than 67,108,864 bytes; limits.line_bytes=N allows more"),
        (packed_short_lines, "reference.txt.gz: more than 50,000,000 lines; limits.lines=N allows more"),
        (one_long_line, "reference.txt: a line of more than 67,108,864 bytes; limits.line_bytes=N allows more"),
        (empty_lines, "reference.txt: empty lines in an MT reference: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ... (2000000"),
        (many_topics, "topics: 100,000 are more than 50,000; limits.topics=N allows more"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_would_stall_ends_in_one_clear_line(tmp_path: Path, made: Callable[[Path], None], message: str) -> None:
    (tmp_path / "systems").mkdir()
    for name in ("reference.txt", "systems/a.txt", "systems/b.txt", "systems/c.txt"):
        (tmp_path / name).write_text(GOOD)
    made(tmp_path)
    topics = ["topics=tsv", f"topics.path={tmp_path / 'topics.tsv'}"] if made is many_topics else []
    keys = [f"folder={tmp_path}", f"hydra.run.dir={tmp_path / 'run'}", f"paths.cache={tmp_path / 'cache'}", *topics]
    counted = [sys.executable, "-c", COUNTED, str(tmp_path / "work"), *keys]
    measured = [sys.executable, "-c", MEASURED, str(tmp_path / "memory"), *counted]
    process = subprocess.run(measured, cwd=ROOT, capture_output=True, text=True, check=False)
    said = process.stdout + process.stderr
    calls, n_bytes = map(int, (tmp_path / "work").read_text().split())
    assert process.returncode == 1
    assert message in said
    assert "Traceback" not in said
    assert len(said) < 600
    assert calls < 12_000_000  # most, 4.2 million, for 8 million empty lines
    assert n_bytes < 2_000_000_000  # most, 942 million, for lines that unpack to 600 million bytes
    assert int((tmp_path / "memory").read_text()) * 1024 < 1e9
