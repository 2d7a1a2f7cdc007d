"""`clirbench translate`: the files it writes, what is kept, and what it refuses."""

from pathlib import Path

import pytest

from clirbench.labs.models.commands.translate import main
from tests.conftest import put

COMMANDS = "systems.commands={back: rev, loud: 'tr a-z A-Z', through: {chain: [rev, rev]}}"


@pytest.fixture
def arguments(small_folder: Path, tmp_path: Path) -> list[str]:
    cache, out = tmp_path / "cache", tmp_path / "out"
    keys = [f"folder={small_folder}", "systems=command", COMMANDS, f"paths.cache={cache}", "engine=serial"]
    return [*keys, "--out", str(out)]


def test_files_of_every_system_are_written_and_kept(
    arguments: list[str], small_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The source is the reference backwards, so `rev` gives the reference; a chain of two gives the source."""
    assert main(arguments) == 0
    out = tmp_path / "out" / "systems"
    assert capsys.readouterr().out.split() == [str(out / f"{name}.txt") for name in ("back", "loud", "through")]
    assert (out / "back.txt").read_text() == (small_folder / "reference.txt").read_text()
    assert (out / "through.txt").read_text() == (small_folder / "source.txt").read_text()
    assert not (tmp_path / "out" / "collection").exists()  # the same text
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.txt")}
    assert main(arguments) == 0
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.txt")} == kept


def test_another_collection_has_a_folder_of_its_own(arguments: list[str], small_folder: Path, tmp_path: Path) -> None:
    put(tmp_path / "test" / "source.txt", "ab\ncd\n")
    put(tmp_path / "test" / "reference.txt", "ba\ndc\n")
    assert main([*arguments, f"test_folder={tmp_path / 'test'}"]) == 0
    assert (tmp_path / "out" / "systems" / "back.txt").read_text() == "ba\ndc\n"
    collection = tmp_path / "out" / "collection" / "systems" / "back.txt"
    assert collection.read_text() == (small_folder / "reference.txt").read_text()


def test_a_system_that_fails_stops_no_other(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments[2] = "systems.commands={back: rev, broken: {chain: [rev, head -n 3]}}"
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out.split() == [str(tmp_path / "out" / "systems" / "back.txt")]
    assert "broken: not translated: command rev | command head: 60 source lines were given, 3 lines" in said.err


def test_other_files_are_not_written_over_and_files_are_not_translated(
    arguments: list[str], small_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path / "out" / "systems" / "back.txt", "mine\n")
    assert main(arguments) == 1
    assert "back.txt: is there with another content" in capsys.readouterr().err
    assert (tmp_path / "out" / "systems" / "back.txt").read_text() == "mine\n"
    assert main([f"folder={small_folder}", "--out", str(tmp_path / "out")]) == 1
    assert "these systems are files already" in capsys.readouterr().err
    assert main(["scores.tables=[x.tsv]", "--out", str(tmp_path / "out")]) == 1
    assert "name what is to be translated" in capsys.readouterr().err
