"""The demo's systems: what ships, in the order of the table."""

from clirbench.corpora.manifest import DemoCorpus
from clirbench.systems.base import SystemSource
from clirbench.systems.files import DemoSystems


def test_sixteen_systems_in_eight_families_with_a_line_for_each_of_the_reference() -> None:
    corpus = DemoCorpus().read()
    assert isinstance(DemoSystems(), SystemSource)
    found = DemoSystems().translations(corpus)
    assert [t.system for t in found[:3]] == ["unknown_words-1", "unknown_words-2", "wrong_words-1"]
    assert len({t.metadata["family"] for t in found}) == 8
    assert [t.metadata["dose"] for t in found] == ["1 of 2", "2 of 2"] * 8
    assert all(t.test is t.collection and len(t.test.lines()) == len(corpus.test) for t in found if t.test)
    assert len({t.test.lines() for t in found if t.test}) == 16
