"""Files that are still being written: named as pending with `unfinished=skip`, an error otherwise."""

import gzip
import os
import time
from pathlib import Path

import pytest

from clirbench.engines.local import Serial
from clirbench.errors import AlignmentError, InputError, NothingCompared, Problems
from clirbench.inputs import read_inputs
from clirbench.result import Experiment
from clirbench.systems.checkpoints import CheckpointSystems
from clirbench.systems.files import FileSystems
from tests.systems.sides import ENGLISH, folder_corpus, two_sided, write

LONG_AGO = 1_000_000_000


def settled(path: Path, lines: "tuple[str, ...] | list[str]") -> Path:
    write(path, lines)
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


def sweep(root: Path, unfinished: str = "skip") -> CheckpointSystems:
    return CheckpointSystems(pattern=f"{root}/ckpt_%step%.txt", unfinished=unfinished)


def test_every_way_to_be_unfinished_is_named(tmp_path: Path) -> None:
    settled(tmp_path / "ckpt_1.txt", ENGLISH)
    settled(tmp_path / "ckpt_2.txt", ENGLISH[:3])
    write(tmp_path / "ckpt_3.txt", ENGLISH)
    settled(tmp_path / "ckpt_4.txt", ())
    packed = settled(tmp_path / "ckpt_5.txt.gz", ())
    packed.write_bytes(gzip.compress("\n".join(ENGLISH).encode())[:-12])
    os.utime(packed, (LONG_AGO, LONG_AGO))
    cut = settled(tmp_path / "ckpt_6.txt", ())
    cut.write_bytes("\n".join(ENGLISH).encode()[:-4] + "ä".encode()[:1])  # in the middle of a letter
    recent = time.time() - 10
    os.utime(cut, (recent, recent))
    corpus = folder_corpus(tmp_path / "d")
    found = sweep(tmp_path).translations(corpus)
    said = {t.system: t.pending.rpartition(": ")[2] for t in found}
    assert said == {
        "step1": "",
        "step2": "3 of 5 lines",
        "step3": "touched just now",
        "step4": "0 of 5 lines",
        "step6": "its last line has no end yet",
    }
    assert all((t.test is None) == bool(t.pending) and (t.collection is None) == bool(t.pending) for t in found)
    (zipped,) = CheckpointSystems(pattern=f"{tmp_path}/ckpt_%step%.txt.gz", unfinished="skip").translations(corpus)
    assert zipped.pending == f"{packed}: a gzip file that has no end yet"
    with pytest.raises(Problems, match="has 3 lines"):
        sweep(tmp_path, "error").translations(folder_corpus(tmp_path / "d"))


def test_a_last_line_without_an_end_is_written_after_a_minute(tmp_path: Path) -> None:
    path = settled(tmp_path / "ckpt_1.txt", ())
    path.write_bytes("\n".join(ENGLISH).encode())
    os.utime(path, (LONG_AGO, LONG_AGO))
    (found,) = sweep(tmp_path).translations(folder_corpus(tmp_path / "d"))
    assert not found.pending


def test_too_many_lines_are_an_error_all_the_same(tmp_path: Path) -> None:
    settled(tmp_path / "ckpt_1.txt", [*ENGLISH, "one more"])
    with pytest.raises(AlignmentError, match="6 lines"):
        sweep(tmp_path).translations(folder_corpus(tmp_path / "d"))


def test_systems_of_a_folder(tmp_path: Path) -> None:
    corpus = two_sided(tmp_path)
    for folder, lines in (("collection", ENGLISH), ("test", ("a", "b"))):
        settled(tmp_path / folder / "systems" / "done.txt", lines)
        settled(tmp_path / folder / "systems" / "short.txt", lines[:1])
    settled(tmp_path / "test" / "systems" / "half.txt", ("a", "b"))
    corpus = two_sided(tmp_path)
    found = {t.system: t.pending for t in FileSystems(unfinished="skip").translations(corpus)}
    assert found["done"] == ""
    assert found["short"].endswith("short.txt: 1 of 5 lines")
    assert found["half"] == "one of its two sides is not there yet"
    with pytest.raises(InputError, match="no file of half, which the other side has"):
        FileSystems().translations(corpus)


def test_a_run_leaves_them_out_by_name(tmp_path: Path) -> None:
    settled(tmp_path / "ckpt_1.txt", ENGLISH)
    settled(tmp_path / "ckpt_2.txt", ENGLISH[:3])
    corpus = folder_corpus(tmp_path / "d")

    class Source:
        signature = "made"

        def read(self) -> object:
            return corpus

    experiment = Experiment("x", Serial(), corpus=Source(), systems=sweep(tmp_path))  # type: ignore[arg-type]
    inputs = read_inputs(experiment)
    assert inputs is not None
    assert [t.system for t in inputs.translations] == ["step1"]
    assert inputs.pending["step2"].endswith("3 of 5 lines")
    (tmp_path / "ckpt_1.txt").unlink()
    with pytest.raises(NothingCompared, match="every system is pending: step2"):
        read_inputs(experiment)
