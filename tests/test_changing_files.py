"""Files that change while a run reads them: what was read is what was scored, or the row is a named hole."""

import csv
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from clirbench.corpora.folder import FolderCorpus
from clirbench.engines.local import Serial
from clirbench.errors import InputError, Problems
from clirbench.experiment import run
from clirbench.measures.parsing import parse
from clirbench.metrics.bleu import BLEU
from clirbench.relevance.top_k import TopK
from clirbench.report.provenance import provenance
from clirbench.result import Experiment, Result
from clirbench.retrieval.analyzers import English
from clirbench.retrieval.bm25 import BM25
from clirbench.store.cached import Cached
from clirbench.store.store import Store, read_through_snapshot
from clirbench.systems.files import FileSystems
from clirbench.text import TextFile
from clirbench.topics.made import KeyTerms
from tests.conftest import PACKAGE, Cli
from tests.waiting import wait_until

COLUMNS = ("BLEU", "TER", "MAP", "RBO")

# A moment after each entry, so that the run can be stopped between two.
PROGRAM = """
import time
from clirbench.store.store import Store
put = Store.put
def slowly(*arguments):
    put(*arguments)
    time.sleep(0.05)
Store.put = slowly
from clirbench.__main__ import main
main()
"""


def rows(run_folder: Path) -> dict[str, dict[str, str]]:
    text = (run_folder / "systems.tsv").read_text(encoding="utf-8")
    return {row["system"]: row for row in csv.DictReader(io.StringIO(text), delimiter="\t")}


def replaced_unseen(path: Path, content: bytes) -> None:
    """Another text of equal size, whose modification time is that of the one before."""
    status = path.stat()
    assert len(content) == status.st_size
    path.write_bytes(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs SIGSTOP")
@pytest.mark.timeout(240)
def test_a_file_replaced_while_the_run_is_stopped_is_a_hole_and_never_a_number(small_folder: Path) -> None:
    home = small_folder.parent
    system = small_folder / "systems" / "every9.txt"
    original = system.read_bytes()
    arguments = [
        f"folder={small_folder}",
        "metric=[BLEU,TER]",
        "measures=[MAP,RBO]",
        "topics.n=10",
        "relevance.k=3",
        "engine=serial",
    ]

    def entries() -> int:
        return sum(1 for _ in (home / "cache").rglob("*.part"))

    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments, "hydra.run.dir=first", "paths.cache=cache"],
        cwd=home,
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        wait_until(lambda: entries() >= 3, unless=lambda: process.poll() is not None)
        process.send_signal(signal.SIGSTOP)
        assert process.poll() is None
        # every9 is the last in the order of names: nothing of it has been read by a step.
        replaced_unseen(system, b"".join(b"z" if byte not in b" \n" else bytes([byte]) for byte in original))
        process.send_signal(signal.SIGCONT)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 2, said
    row = rows(home / "first")["every9"]
    assert [row[column] for column in COLUMNS] == [""] * 4
    report = (home / "first" / "report.md").read_text(encoding="utf-8")
    assert f"every9 is left out: {system} changed while this run was reading it" in report

    replaced_unseen(system, original)
    for name, cache in (("again", "cache"), ("undisturbed", "apart")):
        done = Cli(home)(*arguments, f"hydra.run.dir={name}", f"paths.cache={cache}")
        assert done.returncode == 0, done.stderr
    assert rows(home / "again") == rows(home / "undisturbed")
    assert all(rows(home / "again")["every9"].values())


@pytest.fixture
def experiment(small_folder: Path) -> Experiment:
    return Experiment(
        "changing",
        Cached(Serial(), Store(small_folder.parent / "store")),
        corpus=FolderCorpus(str(small_folder)),
        systems=FileSystems(),
        topics={"": KeyTerms(English(), n=10)},
        retriever=BM25(),
        relevance={"": TopK(3)},
        metrics=(BLEU(),),
        measures=(parse("MAP"), parse("RBO")),
    )


def run_changing(experiment: Experiment, when: str, change: Callable[[], object]) -> Result:
    """The result of a run during which something changes, before the work of this title begins."""

    def watch(title: str, values: Iterable[object], total: int) -> Iterator[object]:
        if title == when:
            change()
        return iter(values)

    return run(experiment, watch)


def numbers(result: Result) -> dict[str, list[float]]:
    return {system: [c.values[i] for c in result.board.columns] for i, system in enumerate(result.board.systems)}


@pytest.mark.parametrize("when", ["systems", "intervals", "analyses"])
def test_no_row_has_two_versions_of_a_system(experiment: Experiment, small_folder: Path, when: str) -> None:
    """A file of another size comes when the metrics, or all of it, are computed already."""
    expected = numbers(run(experiment))
    system = small_folder / "systems" / "every5.txt"
    original = system.read_text(encoding="utf-8")
    other = replace(experiment, engine=Cached(Serial(), Store(small_folder.parent / "another")))
    result = run_changing(other, when, lambda: system.write_text(original.replace("e", "ea"), encoding="utf-8"))
    found = numbers(result)
    assert {name: row for name, row in found.items() if name != "every5"} == {
        name: row for name, row in expected.items() if name != "every5"
    }
    assert all(value != value for value in found["every5"])
    reason = f"{system} changed while this run was reading it; run again once it is complete"
    assert [note for note in result.notes if "every5" in note] == [f"every5 is left out: {reason}"]
    assert all("every5" not in part.runs for part in result.retrieval.values())
    assert not any(name == "every5" for _, name in result.statistics)
    # Nothing wrong was kept: the original is put back, and has its own numbers.
    system.write_text(original, encoding="utf-8")
    assert numbers(run(other)) == expected


@pytest.mark.parametrize("name", ["reference.txt", "source.txt", "docs.tsv"])
def test_what_all_systems_share_must_not_change(experiment: Experiment, small_folder: Path, name: str) -> None:
    path = small_folder / name
    content = path.read_bytes()
    with pytest.raises(InputError, match=f"{name} changed while this run was reading it"):
        run_changing(experiment, "systems", lambda: path.write_bytes(content.replace(b"1", b"2") + b" "))


def test_a_file_that_is_touched_or_written_anew_has_not_changed(experiment: Experiment, small_folder: Path) -> None:
    expected = numbers(run(experiment))
    system = small_folder / "systems" / "every5.txt"

    def touch() -> None:
        content = system.read_bytes()
        system.unlink()
        system.write_bytes(content)
        (small_folder / "reference.txt").touch()

    result = run_changing(experiment, "systems", touch)
    assert numbers(result) == expected
    assert not any("left out" in note for note in result.notes)


def test_all_systems_that_change_are_an_error(experiment: Experiment, small_folder: Path) -> None:
    def change() -> None:
        for path in (small_folder / "systems").iterdir():
            path.write_bytes(path.read_bytes() + b"x\n")

    with pytest.raises(Problems, match=r"every2\.txt changed while"):
        run_changing(experiment, "systems", change)


def test_provenance_names_the_hashes_that_were_used(experiment: Experiment, small_folder: Path) -> None:
    system = small_folder / "systems" / "every5.txt"
    used = TextFile(system).fingerprint
    with read_through_snapshot():
        result = run(experiment)
        system.write_text("another text\n", encoding="utf-8")
        named = provenance({}, [], result)["inputs"]["systems"]["every5"]
    assert named == {"test": used, "collection": used}
    assert TextFile(system).fingerprint != used
