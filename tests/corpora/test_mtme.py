"""mt-metrics-eval's folders."""

from pathlib import Path

import pytest

from clirbench.corpora.base import CorpusSource
from clirbench.corpora.mtme import MtmeCorpus
from clirbench.errors import AlignmentError, ConfigError, InputError, UnknownName
from clirbench.systems.files import FileSystems


def write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "sources" / "de-en.txt", "Eins\nZwei\nDrei\n")
    write(tmp_path / "documents" / "de-en.docs", "news\tdoc.1\nnews doc.1\ntalk   doc.2\n")
    for name in ("refA", "refB"):
        write(tmp_path / "references" / f"de-en.{name}.txt", f"{name} one\ntwo\nthree\n")
    write(tmp_path / "references" / "de-fr.refA.txt", "un\n")
    for name in ("refB", "sys.1"):
        write(tmp_path / "system-outputs" / "de-en" / f"{name}.txt", "1\n2\n3\n")
    return tmp_path


def test_a_test_set_is_read(folder: Path) -> None:
    source = MtmeCorpus(folder, "de-en", references="all")
    assert isinstance(source, CorpusSource)
    corpus = source.read()
    assert [lines[0] for lines in corpus.test.references] == ["refA one", "refB one"]
    assert corpus.test.source == ("Eins", "Zwei", "Drei")
    assert corpus.document_map.doc_ids == ("doc.1", "doc.2")
    assert corpus.document_map.lengths.tolist() == [2, 1]
    assert [t.system for t in FileSystems().translations(corpus)] == ["sys.1"]


def test_the_reference_that_is_searched_is_the_first_named(folder: Path) -> None:
    corpus = MtmeCorpus(folder, "de-en", references=["refB", "refA"]).read()
    assert next(iter(corpus.english)).text == "refB one\ntwo"
    with pytest.raises(UnknownName, match="unknown reference of .* 'refC'.*Choices: refA, refB"):
        MtmeCorpus(folder, "de-en", references="refC").read()


def test_what_is_wrong_is_refused(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"corpus\.folder and corpus\.pair are not set"):
        MtmeCorpus(folder)
    with pytest.raises(InputError, match="no references/en-cs"):
        MtmeCorpus(folder, "en-cs").read()
    with pytest.raises(InputError, match="no such folder"):
        MtmeCorpus(folder / "none", "de-en").read()
    write(folder / "documents" / "de-en.docs", "news doc.1\n")
    with pytest.raises(AlignmentError, match=r"de-en\.docs has 1 lines.*has 3"):
        MtmeCorpus(folder, "de-en").read()
    write(folder / "documents" / "de-en.docs", "news doc.1\ndoc.1\n")
    with pytest.raises(InputError, match=r"de-en\.docs: line 2: 1 fields, expected 2: DOMAIN DOCNAME"):
        MtmeCorpus(folder, "de-en").read()
