"""In / In+Ext: everything is searched, MT metrics see some documents."""

from pathlib import Path

import pytest

from clirbench.corpora.base import CorpusSource
from clirbench.errors import ConfigError, InputError
from clirbench.labs.planning.corpus import SubsetCorpus
from clirbench.systems.files import FileSystems


def write(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "reference.txt", "r1\nr2\nr3\nr4\n")
    write(tmp_path / "source.txt", "s1\ns2\ns3\ns4\n")
    write(tmp_path / "docs.tsv", "line\tdoc_id\n1\ta\n2\ta\n3\tb\n4\tc\n")
    write(tmp_path / "systems" / "x.txt", "x1\nx2\nx3\nx4\n")
    write(tmp_path / "in.txt", "c\na\n\n")
    return tmp_path


def test_the_test_set_is_a_part_of_what_is_searched(folder: Path) -> None:
    source = SubsetCorpus(str(folder), folder / "in.txt")
    assert isinstance(source, CorpusSource)
    corpus = source.read()
    assert corpus.test.references == (("r1", "r2", "r4"),)
    assert corpus.test.source == ("s1", "s2", "s4")
    assert [document.doc_id for document in corpus.english] == ["a", "b", "c"]
    (translation,) = FileSystems().translations(corpus)
    assert translation.test is not None
    assert translation.collection is not None
    assert translation.test.lines() == ("x1", "x2", "x4")
    assert b"".join(translation.test.blocks()) == b"x1\nx2\nx4\n"
    assert translation.collection.lines() == ("x1", "x2", "x3", "x4")
    assert translation.test.fingerprint != translation.collection.fingerprint
    assert "2 of 3 documents (3 of 4 lines)" in corpus.notes[0]


def test_what_is_wrong_is_refused(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"corpus\.test_documents are not set"):
        SubsetCorpus(str(folder))
    with pytest.raises(InputError, match=r"other\.txt: not in .*: d \(line 2\), e \(line 3\)"):
        SubsetCorpus(folder, write(folder / "other.txt", "a\nd\ne\n")).read()
    with pytest.raises(InputError, match=r"other\.txt: lists no document"):
        SubsetCorpus(folder, write(folder / "other.txt", "\n")).read()
