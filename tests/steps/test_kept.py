"""Steps whose results are kept: decisions from the store are those that were made, topics are made once."""

import json
from functools import partial
from pathlib import Path

import pytest

from clirbench import steps as of_all
from clirbench.engines.local import Serial
from clirbench.errors import InputError
from clirbench.inputs import topics_of
from clirbench.statistics import decision
from clirbench.statistics.belonging import units_of
from clirbench.store.cached import Cached, cached_result
from clirbench.store.store import Store
from clirbench.text import TextFile, TextLines
from clirbench.topics.made import KeyTerms, Sentences, Titles
from clirbench.types import DocumentMap, Documents
from tests.conftest import write_lines
from tests.statistics.worlds import scores_only, world


@pytest.mark.parametrize("evidence", [world(), scores_only([[1, 2, 3]], [[1, 1, 1]])], ids=["decided", "with a reason"])
def test_a_rerun_finds_the_same_decision(evidence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    item = evidence, units_of(evidence.board)
    made = decision.decided(*item, "y0", seed=3)
    for _ in range(2):
        (held,) = cached_result(Cached(Serial(), Store(tmp_path)), partial(of_all.decision, measure="y0", seed=3), item)
        found = of_all.as_decision(held)
        assert repr(found) == repr(made)
        monkeypatch.setattr("clirbench.steps.decided", None)  # the second time nothing is computed


def test_what_is_stored_is_plain() -> None:
    evidence = world()
    held = of_all.decision((evidence, units_of(evidence.board)), measure="y0", seed=0)
    assert {row["system"] for row in json.loads(json.dumps(held))["standings"]} == set(evidence.systems)


LINES = ["the ports of oil", "oil and pearls in old ports", "pearls, oil, ports, tables and other old things"]


def documents(path: Path, lines: list[str]) -> Documents:
    write_lines(path, lines)
    return Documents(TextFile(path), DocumentMap.blocks_of(len(lines)))


@pytest.mark.parametrize("source", [KeyTerms(n=2, min_documents=2), Sentences(n=2), Titles(n=2)])
def test_topics_from_the_store_are_those_of_the_source(source, tmp_path: Path, monkeypatch) -> None:
    english, engine = documents(tmp_path / "a.txt", LINES), Cached(Serial(), Store(tmp_path / "store"))
    made = tuple(source.topics(english))
    assert made
    assert topics_of(source, english, engine) == made
    if not isinstance(source, Titles):
        monkeypatch.setattr(type(source), "topics", None)
    assert topics_of(source, english, engine) == made


def test_another_text_makes_other_topics(tmp_path: Path) -> None:
    engine, source = Cached(Serial(), Store(tmp_path / "store")), KeyTerms(min_documents=1)
    before = topics_of(source, documents(tmp_path / "a.txt", LINES), engine)
    other = documents(tmp_path / "b.txt", [*LINES[:2], "now five other words"])
    assert topics_of(source, other, engine) != before


def test_a_text_without_topics_is_an_error_each_time(tmp_path: Path) -> None:
    english = Documents(TextLines(("a", "b")), DocumentMap.blocks_of(2))
    for _ in range(2):
        with pytest.raises(InputError, match="choose another topics="):
            topics_of(Sentences(), english, Cached(Serial(), Store(tmp_path)))
