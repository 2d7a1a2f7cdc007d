"""Files that change while a run reads them: what was read is what was scored, or the run ends with their names."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from clirbench.corpora.folder import FolderCorpus
from clirbench.engines.local import Serial
from clirbench.errors import InputError
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
from tests.store.test_snapshot import other


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


def longer(path: Path) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace("e", "ea"), encoding="utf-8")


@pytest.mark.parametrize(
    ("when", "change"), [("systems", other), ("systems", longer), ("intervals", longer), ("analyses", longer)]
)
def test_no_row_has_two_versions_of_a_system(
    experiment: Experiment, small_folder: Path, when: str, change: Callable[[Path], None]
) -> None:
    """A file of another content comes when the metrics, or all of it, are computed already."""
    expected = numbers(run(experiment))
    system = small_folder / "systems" / "every5.txt"
    original = system.read_text(encoding="utf-8")
    anew = replace(experiment, engine=Cached(Serial(), Store(small_folder.parent / "another")))
    with pytest.raises(InputError, match=r"every5\.txt changed while this run was reading it; run again once"):
        run_changing(anew, when, lambda: change(system))
    # Nothing wrong was kept: the original is put back, and has its own numbers.
    system.write_text(original, encoding="utf-8")
    assert numbers(run(anew)) == expected


@pytest.mark.parametrize("name", ["reference.txt", "source.txt", "docs.tsv"])
def test_what_all_systems_share_must_not_change(experiment: Experiment, small_folder: Path, name: str) -> None:
    path = small_folder / name
    content = path.read_bytes()
    with pytest.raises(InputError, match=f"{name} changed while this run was reading it"):
        run_changing(experiment, "systems", lambda: path.write_bytes(content.replace(b"1", b"2") + b" "))


def test_provenance_names_the_hashes_that_were_used(experiment: Experiment, small_folder: Path) -> None:
    system = small_folder / "systems" / "every5.txt"
    used = TextFile(system).fingerprint
    with read_through_snapshot():
        result = run(experiment)
        system.write_text("another text\n", encoding="utf-8")
        named = provenance({}, [], result)["inputs"]["systems"]["every5"]
    assert named == {"test": used, "collection": used}
    assert TextFile(system).fingerprint != used
