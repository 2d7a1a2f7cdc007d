"""The straight line over a corpus small enough to do by hand: every number of the board, and every count."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from clirbench.columns import holes, tied_runs, unwritten_runs_note
from clirbench.corpora.base import Corpus
from clirbench.engines.local import Serial
from clirbench.errors import NothingCompared
from clirbench.experiment import compute_steps, retrieve, run, with_store
from clirbench.measures.parsing import parse
from clirbench.relevance.top_k import TopK
from clirbench.report.tables import run_tables
from clirbench.result import MANY_SYSTEMS, Experiment, Inputs, Retrieval, count, no_watch
from clirbench.retrieval.bm25 import BM25
from clirbench.store.cached import Cached
from clirbench.store.store import UNFINISHED, Store
from clirbench.text import TextLines
from clirbench.types import DocumentMap, Documents, Failure, Judge, Judged, Qrels, Run, TestSet, Topic, Translation
from tests.wrong_words import WrongWords

ENGLISH = ("oil price", "gold ring", "old song", "cold rain", "long road")
COPIES = {
    "good": ENGLISH,
    "half": ("oil price", "iron ring", "gold song", "cold rain", "long road"),
    "bad": ("fat price", "iron ring", "gold song", "oil rain", "long road"),
}
SENTENCES = {"good": "a b c", "half": "a b x", "bad": "y b x"}
TOPICS = (Topic.of("1", "oil"), Topic.of("2", "zebra"), Topic.of("3", "gold"))


@dataclass(frozen=True, eq=False)
class Held:
    """A corpus, its systems and its topics, held in memory."""

    corpus: Corpus
    systems: tuple[Translation, ...]
    signature: str = "three"

    def read(self) -> Corpus:
        return self.corpus

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        return self.systems

    def topics(self, documents: Documents) -> Sequence[Topic]:
        return TOPICS


def held(copies: Mapping[str, Sequence[str]] = COPIES) -> Held:
    english = Documents(TextLines(ENGLISH), DocumentMap.blocks_of(len(ENGLISH)))
    systems = (Translation(s, TextLines((SENTENCES[s],)), TextLines(tuple(copy))) for s, copy in copies.items())
    return Held(Corpus(TestSet((("a b c",),)), english), tuple(systems))


def experiment(sources: Held) -> Experiment:
    return Experiment(
        "by hand",
        Serial(),
        sources,
        sources,
        {"": sources},
        BM25(),
        relevance={"": TopK(1)},
        metrics=(WrongWords(),),
        measures=(parse("RR"), parse("P@1")),
    )


def test_every_number_of_a_small_run() -> None:
    """Documents 1 and 2 are relevant to topics 1 and 3; no document matches topic 2.

    Wrong words: 0, 1 and 2 of 3 words. RR: 1, 1/2 and 0, as `bad` finds other documents than those; so is P@1.
    """
    result = run(experiment(held()))
    assert result.board.systems == ("good", "half", "bad")
    assert result.board["Wrong"].values == pytest.approx([0, 100 / 3, 200 / 3], rel=1e-12)
    assert result.board["RR"].values.tolist() == [1, 0.5, 0]
    assert result.board["P@1"].values.tolist() == [1, 0.5, 0]
    taus = {(row.measure, row.metric, row.coefficient): row.value for row in result.correlations}
    assert taus["RR", "Wrong", "kendall"] == taus["P@1", "Wrong", "kendall"] == 1
    assert taus["RR", "Wrong", "pearson"] == pytest.approx(1)
    retrieval = result.retrieval[""]
    assert retrieval.judged[""].n_documents == 5
    assert retrieval.judged[""].qrels.grades == {"1": {"1": 1}, "3": {"2": 1}}
    assert retrieval.runs["half"].ranking("3") == ("3",)
    assert (result.failed, result.notes) == ((), ())


def test_a_system_that_cannot_be_searched_or_scored_is_a_hole_with_its_reason(tmp_path: Path) -> None:
    sources = held({**COPIES, "half": ENGLISH[:4]})
    damaged = replace(sources.systems[2], test=TextLines(("a", "b")))
    made = experiment(replace(sources, systems=(*sources.systems[:2], damaged)))
    result = run(replace(made, engine=Cached(Serial(), Store(tmp_path))))
    assert result.board["Wrong"].values == pytest.approx([0, 100 / 3, np.nan], nan_ok=True)
    assert np.array_equal(result.board["RR"].values, [1, np.nan, 0], equal_nan=True)
    assert result.failed == ("bad", "half")
    assert [note.partition(":")[0] for note in result.notes] == ["bad has no Wrong", "half has no IR measures"]


def test_what_a_worker_was_writing_when_it_was_killed_is_removed_at_the_end_of_the_run(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as killed:
        pass
    unfinished = tmp_path / "store" / UNFINISHED
    with with_store(experiment(held()), tmp_path, tmp_path / "plan.tsv") as ready:
        run(ready)
        (unfinished / f"{os.uname().nodename}~{killed.pid}~0").write_bytes(b"half")
    assert list(unfinished.iterdir()) == []


def test_metrics_that_failed_for_one_reason_are_one_note() -> None:
    why, other = Failure("no such line"), Failure("too long")
    failed = {("BLEU", "a"): why, ("Wrong", "a"): why, ("chrF", "a"): other, ("BLEU", "b"): why}
    assert list(holes(failed, {})) == [
        "a has no BLEU, Wrong: no such line",
        "a has no chrF: too long",
        "b has no BLEU: no such line",
    ]


def test_topics_are_counted_by_what_became_of_them() -> None:
    """a: 4 documents match, of which the list has 3 and one is relevant: 1/4. e: both that match are relevant: 1."""
    map_ = DocumentMap.blocks_of(6)
    lists = {"a": [0, 1, 2], "b": [], "c": [3], "d": [4], "e": [5, 1]}
    ranked = [
        (topic_id, np.array(found, dtype=np.int64), np.arange(len(found), 0, -1, dtype=np.float32))
        for topic_id, found in lists.items()
    ]
    ideal = Run.build(map_, ranked, n_matched=[4, 0, 1, 1, 2])
    qrels = Qrels({"a": {"1": 1, "2": 0, "6": 1}, "c": {"4": 0}, "e": {"6": 2, "2": 1}})
    topics = [Topic.of(topic_id, "text") for topic_id in lists]
    found = count(map_.doc_ids, topics, Judged(qrels, ideal, 6))
    assert (found.documents, found.topics, found.scored) == (6, 5, 2)
    assert (found.unmatched, found.without_relevant, found.unjudged) == (("b",), ("c",), ("d",))
    assert found.median_matched == 3
    assert found.share_relevant == pytest.approx((1 / 4 + 1) / 2)
    assert found.unordered


def test_without_an_english_side_nothing_is_known_of_matches() -> None:
    found = count(("1", "2"), TOPICS[:2], Judged(Qrels({"1": {"2": 1}}), Run.of({}), 2))
    assert (found.scored, found.unmatched, found.unjudged) == (1, (), ("2",))
    assert (found.median_matched, found.share_relevant) == (None, None)
    assert not found.unordered


def test_topics_of_which_none_can_be_scored_are_an_error_that_says_why() -> None:
    sources = held()
    inputs = Inputs(sources.corpus, sources.systems, {"": TOPICS[1:2]})
    with pytest.raises(NothingCompared, match="none of 1 is left to score: the reference side matches 0 of them"):
        retrieve(experiment(sources), inputs, "", no_watch)


def test_scores_are_those_of_the_summed_segments_unrounded() -> None:
    """1 and 2 wrong words of 3 and 4 words: 300/7."""
    sources = held()
    corpus = replace(sources.corpus, test=TestSet((("a b c", "d e f g"),)))
    texts = {"s": Translation("s", TextLines(("a b x", "d x x g")), None), "none": Translation("none", None, None)}
    work = compute_steps(experiment(sources), Inputs(corpus, tuple(texts.values()), {}), no_watch)
    assert work.scores == {("Wrong", "s"): pytest.approx(300 / 7, rel=1e-12)}
    assert work.statistics["Wrong", "s"].tolist() == [[1, 3], [2, 4]]
    assert work.failures == {}


def test_what_a_reader_must_know_of_run_files_is_noted() -> None:
    tied, plain = Run.of({"1": {"a": 2.0, "b": 2.0}, "2": {"a": 1.0}}), Run.of({"1": {"a": 2.0, "b": 1.0}})

    def found(runs: Mapping[str, Run]) -> dict[str, Retrieval]:
        return {"": Retrieval(plain, {}, {}, runs, {})}

    made = experiment(held())
    others = Experiment(**{**vars(made), "runs": "folder"})
    assert list(tied_runs(made, found({"s": tied}))) == []
    (note,) = tied_runs(others, found({"s": tied, "t": plain}))
    assert note.endswith("(topics with ties): s (1)")
    many = {f"s{i}": plain for i in range(MANY_SYSTEMS + 1)}
    assert list(unwritten_runs_note(made, found({"s": plain}))) == []
    assert len(list(unwritten_runs_note(made, found(many)))) == 1
    assert list(unwritten_runs_note(replace(made, write_runs="all"), found(many))) == []


@dataclass(frozen=True)
class Others:
    """Another kind of topics."""

    kind: str = "others"
    signature: str = "others"

    def topics(self, documents: Documents) -> Sequence[Topic]:
        return (Topic.of("a", "rain"), Topic.of("b", "ring"), Topic.of("c", "price"))


def test_the_second_kind_and_another_reference_are_searched_and_make_no_column() -> None:
    """`bad` has price and rain in the second and third place of their documents, and ring in none. By reference B gold
    is in the third line, where `good` does not have it; C is A."""
    lines = ("oil price", "iron ring", "gold song", "cold rain", "a road")
    texts = {"A": TextLines(ENGLISH), "B": TextLines(lines), "C": TextLines(ENGLISH)}
    sources = replace(held(), corpus=replace(held().corpus, references=texts))
    made = replace(experiment(sources), second_topics=Others(), primary="RR")
    result, alone = run(made), run(experiment(held()))
    assert [column.name for column in result.board.columns] == [column.name for column in alone.board.columns]
    assert list(result.retrieval) == [""]
    values = result.second["second kind"].per_topic["", "RR"]
    assert values.shape == (3, 3)
    assert values[0].tolist() == [1, 1, 1]
    assert list(result.second) == list(result.kinds) == ["second kind", "reference B"]
    assert result.second["reference B"].per_topic["", "RR"].tolist() == [[1, 0], [1, 1], [0, 1]]
    assert list(run(replace(made, second_references=False)).second) == ["second kind"]
    kinds = result.kinds["second kind"]
    assert (kinds.kind, kinds.topics, kinds.said) == ("others", 2, "2 topics")
    assert "topic_kinds" in run_tables(result)


def test_people_judge_one_kind_of_topics() -> None:
    @dataclass(frozen=True)
    class People(TopK):
        judged_by: ClassVar[Judge] = "people"

    made = replace(experiment(held()), second_topics=Others(), relevance={"": People(1)})
    assert (run(made).second, run(made).kinds) == ({}, {})
    assert run(replace(made, measures=())).kinds == {}
