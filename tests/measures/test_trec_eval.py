"""Agreement with trec_eval, through pytrec_eval, on the run and qrels files that an experiment writes.

The files are read here by a few lines of their own, in their own order, and handed to pytrec_eval; expected values are
trec_eval's, ours come from the runs in memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from clirbench.corpora.folder import FolderCorpus
from clirbench.files.trec import write_qrels, write_run
from clirbench.measures.ir import score_run
from clirbench.measures.parsing import parse
from clirbench.relevance.top_k import TopK
from clirbench.retrieval.analyzers import English
from clirbench.retrieval.bm25 import BM25
from clirbench.text import TextFile
from clirbench.topics.files import TrecTopics
from clirbench.topics.made import KeyTerms
from clirbench.types import Documents, Judged, Qrels, Run, Topic

NAMES = {
    "MAP": "map",
    "P@10": "P_10",
    "R@10": "recall_10",
    "R@100": "recall_100",
    "nDCG": "ndcg",
    "nDCG@20": "ndcg_cut_20",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "Bpref": "bpref",
    "Success@5": "success_5",
    "AP@100": "map_cut_100",
    "IPrec@0.2": "iprec_at_recall_0.20",
}


def trec_evals(folder: Path, run: Run, qrels: Qrels) -> dict[str, dict[str, float]]:
    """trec_eval's values by our names, then topic, of the two written files; topics it passes over are absent."""
    write_run(folder / "x.run", run, "x")
    write_qrels(folder / "qrels.txt", qrels)
    scores: dict[str, dict[str, float]] = {}
    for line in (folder / "x.run").read_text(encoding="utf-8").split("\n")[:-1]:
        topic_id, _, doc_id, _, score, _ = line.split(" ")
        scores.setdefault(topic_id, {})[doc_id] = float(score)
    grades: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.txt").read_text(encoding="utf-8").split("\n")[:-1]:
        topic_id, _, doc_id, grade = line.split(" ")
        grades.setdefault(topic_id, {})[doc_id] = int(grade)
    if not grades:
        return {name: {} for name in NAMES}
    found = pytrec_eval.RelevanceEvaluator(grades, set(NAMES.values())).evaluate(scores)
    return {name: {topic_id: values[theirs] for topic_id, values in found.items()} for name, theirs in NAMES.items()}


def check(folder: Path, run: Run, judged: Judged) -> None:
    """Of the topics that have a relevant document: the measures of trec_eval leave the others out of their means."""
    expected = trec_evals(folder, run, judged.qrels)
    known = {ours: ours for ours in NAMES} | {theirs: ours for ours, theirs in NAMES.items() if "iprec" not in theirs}
    found = score_run([parse(name) for name in known], run, judged)
    for name, values in found.items():
        theirs = [expected[known[name]].get(topic_id, 0.0) for topic_id in judged.with_relevant.topic_ids]
        np.testing.assert_allclose(values, theirs, rtol=0, atol=1e-6, err_msg=name)


@dataclass(frozen=True)
class Graded:
    """Grades by the rank of the reference side: 3, 2, 1 by thirds of the first 3 k documents."""

    k: int

    def judge(self, ideal: Run, english: Documents, topics: Sequence[Topic]) -> Qrels:
        listed = {topic_id: ideal.ranking(topic_id)[: 3 * self.k] for topic_id in ideal.topic_ids}
        return Qrels({t: {d: 3 - at // self.k for at, d in enumerate(ids)} for t, ids in listed.items() if ids})


def experiment(folder: Path, topics: Sequence[Topic] | None, k: int, systems: Sequence[str], out: Path) -> list[Run]:
    """BM25 over the reference side and some systems, binary and graded judgments; all checked against trec_eval."""
    corpus = FolderCorpus(str(folder)).read()
    retriever = BM25(analyzer=English())
    topics = topics or KeyTerms(English(), n=150).topics(corpus.english)
    ideal = retriever.rank(corpus.english, topics)
    runs = [ideal]
    for system in systems:
        (path,) = (folder / "systems").glob(f"{system}.txt*")
        runs.append(retriever.rank(Documents(TextFile(path), corpus.document_map), topics))
    for rule in (TopK(k), Graded(k)):
        judged = Judged(rule.judge(ideal, corpus.english, topics), ideal, len(corpus.english))
        assert len(judged.topic_ids) >= 60
        for run in runs:
            check(out, run, judged)
    return runs


def test_wmt21(shared_data: Path, tmp_path: Path) -> None:
    """Known-item topics on German-English news (61 documents); BM25 ties some of them."""
    runs = experiment(shared_data / "wmt21" / "de-en", None, 10, ["Online-B", "Facebook-AI"], tmp_path)
    assert any((np.diff(run.values(topic_id, tied=True)) == 0).any() for run in runs for topic_id in run.topic_ids)


def test_the_ladder(shared_data: Path, tmp_path: Path) -> None:
    """TREC topics 701-850 on 1,100 Europarl documents; the weakest systems leave topics without any document."""
    topics = TrecTopics(str(shared_data / "queries" / "trec-terabyte" / "topics.701-850.txt"))
    folder = shared_data / "europarl" / "fr-en-ladder" / "collection"
    read = topics.topics(FolderCorpus(str(folder)).read().english)
    runs = experiment(folder, read, 100, ["word-001k", "phrase-200k"], tmp_path)
    assert any(not len(run.values(topic_id)) for run in runs[1:] for topic_id in run.topic_ids)


def test_nothing_but_ties(tmp_path: Path) -> None:
    """All scores equal: the written scores fall strictly in our order, which trec_eval then keeps."""
    run = Run.of({"1": {f"d{i}": 2.5 for i in range(30)}, "2": dict.fromkeys("cab", 0.0)})
    judged = Judged(Qrels({"1": {"d0": 1, "d29": 2, "d7": 0}, "2": {"a": 1}, "3": {"a": 1}}), run)
    check(tmp_path, run, judged)
    assert parse("RR").per_topic(run, judged).tolist() == [1, 1, 0]


@pytest.mark.parametrize("qrels", [Qrels({}), Qrels({"1": {"a": 0}}), Qrels({"other": {"a": 1}})])
def test_empty_qrels_and_topics_without_relevant_documents(tmp_path: Path, qrels: Qrels) -> None:
    run = Run.of({"1": {"a": 1.0, "b": 0.5}})
    judged = Judged(qrels, run)
    check(tmp_path, run, judged)
    # Asked for it all the same, a measure gives what trec_eval gives.
    expected = trec_evals(tmp_path, run, qrels)
    for name in NAMES:
        theirs = [expected[name].get(topic_id, 0.0) for topic_id in judged.topic_ids]
        assert parse(name).per_topic(run, judged).tolist() == pytest.approx(theirs)


def test_gmap_is_trec_evals(tmp_path: Path) -> None:
    """gm_map: trec_eval adds log(max(AP, 1e-5)) of every topic; the mean's exponential is worked out here."""
    run = Run.of({"1": {"a": 2, "b": 1}, "2": {"x": 2, "b": 1}, "3": {"x": 1}})
    judged = Judged(Qrels({"1": {"a": 1}, "2": {"b": 1}, "3": {"b": 1}}), run)
    measure = parse("GMAP")
    qrels = {topic_id: dict(grades) for topic_id, grades in judged.qrels.grades.items()}
    scores = {t: dict(zip(run.ranking(t), run.values(t).tolist(), strict=True)) for t in run.topic_ids}
    found = pytrec_eval.RelevanceEvaluator(qrels, {"gm_map"}).evaluate(scores)
    expected = pytrec_eval.compute_aggregated_measure("gm_map", [values["gm_map"] for values in found.values()])
    assert float(measure.aggregate(measure.per_topic(run, judged))) == pytest.approx(expected)
