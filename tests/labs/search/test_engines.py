"""One contract for all engines: what every `Retriever` does with the same small collections."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clirbench.errors import ClirbenchError, ConfigError, InputError, ResourceError
from clirbench.labs.search.libraries import BM25S, RankBM25
from clirbench.labs.search.lucene import Lucene
from clirbench.retrieval.base import Retriever
from clirbench.retrieval.bm25 import BM25
from clirbench.text import TextFile
from clirbench.types import Document, DocumentMap, Documents, Run, Topic

Engine = Callable[..., Any]
NEEDS = {BM25: "numpy", Lucene: "jnius_config", RankBM25: "rank_bm25", BM25S: "bm25s"}


@pytest.fixture(params=list(NEEDS), ids=lambda engine: engine.__name__)
def engine(request: pytest.FixtureRequest) -> Engine:
    pytest.importorskip(NEEDS[request.param], reason=f"{NEEDS[request.param]} ABSENT: its engine is not tested")
    return request.param  # type: ignore[no-any-return]


def documents(**texts: str) -> Documents:
    return Documents.of(Document(doc_id, text) for doc_id, text in texts.items())


SMALL = documents(d3="oil price", d1="price of oil", d2="pearl farming", d4="", d5="oil oil oil history")


def rank(engine: Engine, text: str, held: Documents = SMALL, **arguments: Any) -> Run:
    run: Run = engine(**arguments).rank(held, [Topic.of("t", text)])
    return run


def test_is_a_retriever_whose_signature_says_all(engine: Engine) -> None:
    made = engine(k1=1.2, b=0.75, depth=10)
    assert isinstance(made, Retriever)
    for part in ("k1:1.2", "b:0.75", "idf:", "lengths:", "an:", "depth:10", "ties:doc_id"):
        assert part in made.signature
    assert hash(made) == hash(engine(k1=1.2, b=0.75, depth=10))


def test_an_empty_query_ranks_nothing(engine: Engine) -> None:
    assert len(engine().rank(SMALL, [])) == 0
    for text in ("", "the of and", "?!"):
        run = rank(engine, text)
        assert (run.ranking("t"), run.n_matched.tolist()) == ((), [0])


def test_an_unknown_term_matches_nothing_and_is_named(engine: Engine) -> None:
    run = rank(engine, "quux")
    assert (run.ranking("t"), run.n_matched.tolist()) == ((), [0])
    assert rank(engine, "quux pearl").ranking("t") == ("d2",)


def test_ties_are_in_order_of_doc_id_as_a_string(engine: Engine) -> None:
    ids = ["9", "10", "1", "b", "a", "B", "\u00e9", "\U0001f600", "\uff21"]
    held = Documents.of(Document(doc_id, "oil") for doc_id in [*ids, "rest", "more"])
    held = Documents.of([*held, *(Document(f"z{i}", "pearl") for i in range(12))])
    run = rank(engine, "oil", held, depth=9)
    assert run.ranking("t") == tuple(sorted([*ids, "rest", "more"])[:9])
    assert len(set(run.values("t", tied=True).tolist())) == 1
    assert (np.diff(run.values("t")) < 0).all()
    assert run.n_matched.tolist() == [11]


def test_depth_cuts(engine: Engine) -> None:
    assert len(rank(engine, "oil", depth=2).ranking("t")) == 2
    assert "d4" not in rank(engine, "oil price pearl farming history").ranking("t"), "it is empty"
    assert rank(engine, "oil", depth=2).ranking("t") == rank(engine, "oil").ranking("t")[:2]


def test_weights_of_parts_multiply_and_add(engine: Engine) -> None:
    once, twice, parts = (
        engine().rank(SMALL, [topic]).values("t", tied=True)
        for topic in (
            Topic.of("t", "pearl"),
            Topic.of("t", "pearl pearl"),
            Topic("t", (("pearl", 0.5), ("pearls", 1.5), ("oil", 0.0))),
        )
    )
    np.testing.assert_allclose(twice, 2 * once, rtol=1e-6)
    np.testing.assert_allclose(parts, twice, rtol=1e-6)
    with pytest.raises(InputError, match="topic t: the weight of a part must be a number of 0 or above"):
        engine().rank(SMALL, [Topic("t", (("oil", -1.0),))])


@pytest.mark.parametrize("held", [documents(d1="", d2="the of"), Documents.of([])], ids=["no term", "no document"])
def test_an_empty_collection_is_an_error(engine: Engine, held: Documents) -> None:
    with pytest.raises(InputError, match=r"\(memory\): the collection is empty: none of its \d documents has a term"):
        rank(engine, "oil", held)


def test_documents_of_several_lines(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("oil\nprice\n\npearl\noil", encoding="utf-8")
    held = Documents(TextFile(path), DocumentMap(("b", "a", "c"), np.array([2, 2, 1])))
    run = rank(engine, "oil", held)
    assert run.ranking("t") == ("c", "b")
    assert run.n_matched.tolist() == [2]


def test_bytes_that_are_not_utf8_are_refused(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(b"oil\nb\xffd\n")
    with pytest.raises(InputError, match="line 2, byte 2: 0xff is not valid UTF-8"):
        rank(engine, "oil", Documents(TextFile(path), DocumentMap.blocks_of(2)))


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("a\x00oil\x01b", "oil", True),
        ("\x00", "oil", False),
        ("oil\ud800 price", "oil", True),  # what a JSON escape can bring in
        ("o" * 300, "o" * 255, True),  # a long word is cut at 255, the rest is a word of its own
        ("o" * 300, "o" * 45, True),
        ("o" * 300, "o" * 300, True),
        ("\u1e9e\u0130 \U0001f600", "\u00dfi", True),
        ("oil\u2028price\x85x\x0cy\rz", "z", True),
    ],
)
def test_odd_characters_are_what_they_are_to_lucene(engine: Engine, text: str, query: str, found: bool) -> None:
    run = rank(engine, query, documents(d1=text, d2="pearl"))
    assert run.ranking("t") == (("d1",) if found else ())


def test_a_lone_surrogate_in_a_query(engine: Engine) -> None:
    assert rank(engine, "\udfffoil\ud800").ranking("t")[0] == "d5"


def test_a_document_of_a_million_words(engine: Engine) -> None:
    run = rank(engine, "pearl", documents(d1="oil price " * 500_000 + "pearl", d2="pearl", d3="x"))
    assert run.ranking("t") == ("d2", "d1")


@pytest.mark.parametrize("arguments", [{"k1": -0.1}, {"b": 2}, {"depth": 0}])
def test_impossible_parameters_are_refused(engine: Engine, arguments: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=f"retrieval.{next(iter(arguments))}="):
        engine(**arguments)


@pytest.mark.parametrize(("made", "library", "extra"), [(Lucene(), "pyserini", "lucene"), (BM25S(), "bm25s", "bm25s")])
def test_a_missing_extra_says_what_to_install(
    made: Any, library: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_spec = importlib.util.find_spec

    def missing(name: str, package: str | None = None) -> Any:
        return None if name == library else find_spec(name, package)

    for module in ("clirbench.labs.search.lucene", "clirbench.checks"):
        monkeypatch.setattr(f"{module}.find_spec", missing)
    with pytest.raises(ResourceError, match=rf"needs the library {library}: .*pip install '\.\[{extra}\]'"):
        _ = made.signature
    if made != Lucene():  # the Java machine of this process is running already
        with pytest.raises(ClirbenchError, match="pip install"):
            rank(BM25S, "oil")
