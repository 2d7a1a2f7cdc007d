"""The embedded data: both sides align, the systems are in the order of the table, files are named or refused."""

from pathlib import Path

import pytest

from clirbench.corpora.base import CorpusSource
from clirbench.corpora.manifest import FOLDER, DemoCorpus, demo_file
from clirbench.errors import InputError
from clirbench.systems.base import SystemSource
from clirbench.systems.files import DemoSystems


def test_both_sides_and_sixteen_systems_align() -> None:
    assert isinstance(DemoCorpus(), CorpusSource)
    corpus = DemoCorpus().read()
    assert corpus.test.source is not None
    assert corpus.source is not None
    assert len(corpus.test) == len(corpus.test.source) == corpus.document_map.n_lines
    assert corpus.test.references[0] == corpus.english.text.lines()
    first = next(iter(corpus.english))
    assert first.doc_id == "fisheries-01"
    assert first.text.split("\n")[-1].startswith("A short period of sacrifice")
    assert isinstance(DemoSystems(), SystemSource)
    found = DemoSystems().translations(corpus)
    assert [t.system for t in found[:3]] == ["unknown_words-1", "unknown_words-2", "wrong_words-1"]
    assert len({t.metadata["family"] for t in found}) == 8
    assert [t.metadata["dose"] for t in found] == ["1 of 2", "2 of 2"] * 8
    assert all(t.test is t.collection and len(t.test.lines()) == len(corpus.test) for t in found if t.test)
    assert len({t.test.lines() for t in found if t.test}) == 16


def test_a_file_of_the_demo_is_named_or_refused() -> None:
    assert Path(demo_file("qrels.txt")) == FOLDER / "qrels.txt"
    with pytest.raises(InputError, match=r"no file 'topics.tsv'; it has README.md, docs.tsv"):
        demo_file("topics.tsv")
