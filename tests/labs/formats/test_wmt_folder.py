"""Folders of WMT submissions: crossed references, windows of lines, official scores."""

from pathlib import Path

import pytest

from clirbench.corpora.base import CorpusSource
from clirbench.corpora.folder import FolderCorpus
from clirbench.labs.formats.wmt import WmtFolder


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    folder = tmp_path / "wmt22" / "de-fr"
    (folder / "systems").mkdir(parents=True)
    (folder / "source.txt").write_text("eins\nzwei\ndrei\n")
    for name in "AB":
        (folder / f"reference-{name}.txt").write_text(f"{name} un\ndeux\ntrois\n")
    for name in ("one", "two"):
        (folder / "systems" / f"{name}.txt").write_text("un\ndeux\ntrois\n")
    rows = [
        "system\tmetric\tscore",
        "one\tbleu-all\t99",
        "one\tCOMET-A\t0.5",
        "one\tCOMET-B\t0.25",
        "two\tCOMET-B\t0.75",
    ]
    (folder / "official-metrics.tsv").write_text("\n".join(rows) + "\n")
    rows = ["system\tscore_z\tscore_raw\tkind", "one\t-0.125\t70\tsystem", "refA\t0.5\t90\thuman"]
    (folder / "human.tsv").write_text("\n".join(rows) + "\n")
    return tmp_path


def test_the_first_reference_is_searched_and_scores(mirror: Path) -> None:
    source = WmtFolder(str(mirror), "wmt22/de-fr", documents_size=2)
    assert isinstance(source, CorpusSource)
    corpus = source.read()
    assert corpus.test.references == (("A un", "deux", "trois"),)
    assert corpus.english.text.lines() == ("A un", "deux", "trois")
    assert corpus.document_map.lengths.tolist() == [2, 1]
    assert corpus.notes == ("wmt22/de-fr: no docs.tsv; 2 consecutive lines are a document",)
    assert source.side_texts().where.endswith("wmt22/de-fr")


def test_crossed_references_search_one_and_score_against_the_other(mirror: Path) -> None:
    corpus = WmtFolder(str(mirror), "wmt22/de-fr/B-A").read()
    assert corpus.english.text.lines()[0] == "B un"
    assert corpus.test.references == (("A un", "deux", "trois"),)
    assert "reference B is searched, metrics score against reference A" in corpus.notes
    assert corpus.crossed == ("B", "A")


def test_one_reference_of_two_may_be_searched_and_score(mirror: Path) -> None:
    corpus = WmtFolder(str(mirror), "wmt22/de-fr/B-B").read()
    assert corpus.english.text.lines() == corpus.test.references[0] == ("B un", "deux", "trois")
    assert corpus.crossed is None


def test_a_folder_with_crossed_references_is_the_same_collection(shared_data: Path) -> None:
    ours = FolderCorpus(str(shared_data / "wmt22" / "de-en"), references="cross").read()
    theirs = WmtFolder(str(shared_data), "wmt22/de-en/A-B").read()
    assert ours.crossed == theirs.crossed == ("A", "B")
    assert ours.test == theirs.test
    assert [d.text for d in ours.english] == [d.text for d in theirs.english]
