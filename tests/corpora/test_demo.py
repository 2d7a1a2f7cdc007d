"""The embedded data: both sides align, the systems are in the order of the table, files are named or refused."""

from pathlib import Path

import pytest

from clirbench.corpora.manifest import FOLDER, DemoCorpus, demo_file
from clirbench.errors import InputError
from clirbench.systems.files import DemoSystems


def test_both_sides_and_sixteen_systems_align() -> None:
    """What is in them is in the digests of the demo."""
    corpus = DemoCorpus().read()
    found = DemoSystems().translations(corpus)
    assert [(t.system, dict(t.metadata)) for t in found[1:3]] == [
        ("unknown_words-2", {"family": "unknown_words", "dose": "2 of 2"}),
        ("wrong_words-1", {"family": "wrong_words", "dose": "1 of 2"}),
    ]
    assert len({t.test.lines() for t in found if t.test}) == 16
    assert all(t.test is t.collection and len(t.test.lines()) == len(corpus.test) for t in found if t.test)


def test_a_file_of_the_demo_is_named_or_refused() -> None:
    assert Path(demo_file("qrels.txt")) == FOLDER / "qrels.txt"
    with pytest.raises(InputError, match=r"no file 'topics.tsv'; it has README.md, docs.tsv"):
        demo_file("topics.tsv")
