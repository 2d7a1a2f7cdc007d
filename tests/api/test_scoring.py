"""Scores and measures by themselves are those of a run, and of the libraries that others use."""

from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytest
import sacrebleu

import clirbench as cb
from clirbench.errors import ConfigError
from tests.conftest import DEMO


@pytest.mark.parametrize("metric", ["BLEU", "MacroF1"])
def test_a_score_is_that_of_the_run(texts: cb.Outcome, small_texts: Path, metric: str) -> None:
    for system in texts.systems.index:
        files = small_texts / "systems" / f"{system}.txt", small_texts / "reference.txt"
        hypotheses, reference = (path.read_text(encoding="utf-8").splitlines() for path in files)
        assert cb.score(hypotheses, reference, metric) == texts.systems[metric][system]
        assert cb.score(*files, metric) == texts.systems[metric][system]
        assert cb.score(pd.Series(hypotheses), [reference], metric) == texts.systems[metric][system]


def test_segments_are_scores_of_single_lines() -> None:
    reference = (DEMO / "reference.txt").read_text(encoding="utf-8").splitlines()[:20]
    lines = [line[: 3 * len(line) // 4] for line in reference]
    for name in ("chrF2", "MacroF1", "TER"):
        found = cb.score(lines, reference, name, segments=True)
        assert found.name == name
        expected = [cb.score([line], [other], name) for line, other in zip(lines, reference, strict=True)]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    theirs = [sacrebleu.sentence_chrf(line, [other]).score for line, other in zip(lines, reference, strict=True)]
    np.testing.assert_allclose(cb.score(lines, reference, "chrF2", segments=True), theirs)
    two = sacrebleu.corpus_bleu(lines, [reference, lines]).score
    assert cb.score(lines, [reference, lines], cb.metrics.BLEU()) == pytest.approx(two)


def test_objects_and_names_of_sacrebleu_are_metrics(small_texts: Path) -> None:
    """The library's own score of what it was given is expected, to the last bits."""
    reference = (small_texts / "reference.txt").read_text(encoding="utf-8").splitlines()
    files = sorted((small_texts / "systems").glob("*.txt"))
    given = [
        sacrebleu.metrics.BLEU(lowercase=True, tokenize="char", smooth_method="floor", smooth_value=0.2),
        sacrebleu.metrics.CHRF(word_order=2, lowercase=True),
        sacrebleu.metrics.CHRF(beta=3, whitespace=True, eps_smoothing=True),
        sacrebleu.metrics.TER(normalized=True, case_sensitive=True),
    ]
    found = cb.run(folder=small_texts, metric=[*given, "chrF2"], measures=["map"], topics__n=8, relevance__k=2)
    assert list(found.systems.columns) == ["BLEU", "chrF++", "chrF3", "TER", "chrF2", "map"]
    assert cb.score(["a b"], ["a c"], "chrF2++") == cb.score(["a b"], ["a c"], "chrFpp")
    for path in files:
        lines = path.read_text(encoding="utf-8").splitlines()
        for metric, name in zip(given, ("BLEU", "chrF++", "chrF3", "TER"), strict=True):
            theirs = metric.corpus_score(lines, [reference]).score
            assert found.systems[name][path.stem] == pytest.approx(theirs, rel=1e-12)
            assert cb.score(lines, reference, metric) == pytest.approx(theirs, rel=1e-12)
    with pytest.raises(ConfigError, match=r"is not a Metric; did you mean BLEU\(\)"):
        cb.score(["a"], ["a"], sacrebleu.metrics.BLEU)


MEASURES = ["AP", "nDCG@10", "P@5", "RR", "RBO(p=0.9)"]


def test_evaluate_takes_every_form_and_gives_the_run_s_values(texts: cb.Outcome, tmp_path: Path) -> None:
    trec = texts.save(tmp_path / "run") / "trec"
    qrels, ideal = trec / "qrels.txt", trec / "ideal.run"
    assert (trec / "topics.tsv").read_text(encoding="utf-8").startswith("topic_id\ttext\n")
    for system in texts.systems.index:
        path = trec / f"{system}.run"
        found = cb.evaluate(qrels, path, ["MAP", "RBO(p=0.9)"], ideal=ideal)
        assert found == pytest.approx(texts.systems.loc[system, ["MAP", "RBO(p=0.9)"]].to_dict(), rel=1e-6)
    judged, ranked = list(ir_measures.read_trec_qrels(str(qrels))), list(ir_measures.read_trec_run(str(path)))
    by_dict = {q: {d.doc_id: d.relevance for d in judged if d.query_id == q} for q in {d.query_id for d in judged}}
    scores = {q: {d.doc_id: d.score for d in ranked if d.query_id == q} for q in {d.query_id for d in ranked}}
    ours = cb.evaluate(cb.load(tmp_path / "run") and qrels, path, MEASURES)
    for one, other in ((judged, ranked), (pd.DataFrame(judged), pd.DataFrame(ranked)), (by_dict, scores)):
        assert cb.evaluate(one, other, MEASURES) == pytest.approx(ours)
    theirs = ir_measures.calc_aggregate([ir_measures.parse_measure(name) for name in MEASURES[:4]], judged, ranked)
    assert {str(measure): value for measure, value in theirs.items()} == pytest.approx(
        {str(ir_measures.parse_measure(name)): ours[name] for name in MEASURES[:4]}
    )
    each = cb.evaluate(qrels, path, MEASURES, per_topic=True)
    assert each.groupby("measure").value.mean().to_dict() == pytest.approx(ours)


@pytest.mark.parametrize(
    ("topic", "document", "grade", "score"),
    [
        ("query_id", "doc_id", "relevance", "score"),  # ir_measures
        ("qid", "docno", "label", "score"),  # PyTerrier
        ("q_id", "doc_id", "score", "score"),  # ranx: Qrels.to_dataframe()
        ("qid", "docid", "rel", "sim"),  # trec_eval's names of its columns
        ("topic_id", "doc_id", "relevance", "score"),  # ours
    ],
)
def test_columns_of_other_libraries_and_frames_of_polars(topic: str, document: str, grade: str, score: str) -> None:
    judged = {topic: ["q1", "q1", "q2"], document: ["a", "b", "x"], grade: [1, 0, 1], "query": ["w", "w", "v"]}
    ranked = {topic: ["q1", "q1", "q2"], document: ["b", "a", "x"], score: [2.0, 1.0, 3.0], "rank": [0, 1, 0]}
    expected = {"AP": 0.75, "P@1": 0.5}  # by hand: q1 has its document at rank 2, q2 at rank 1
    assert cb.evaluate(pd.DataFrame(judged), pd.DataFrame(ranked), ["AP", "P@1"]) == expected
    rows = [
        [dict(zip(kept, row, strict=True)) for row in zip(*kept.values(), strict=True)] for kept in (judged, ranked)
    ]
    assert cb.evaluate(*rows, ["AP", "P@1"]) == expected
    polars = pytest.importorskip("polars", reason="POLARS ABSENT: its frames are not tested")
    assert cb.evaluate(polars.DataFrame(judged), polars.DataFrame(ranked).lazy(), ["AP", "P@1"]) == expected
    arrow = pytest.importorskip("pyarrow", reason="PYARROW ABSENT: its tables are not tested").table
    assert cb.evaluate(arrow(judged), arrow(ranked), ["AP", "P@1"]) == expected


def test_qrels_and_runs_of_ranx() -> None:
    ranx = pytest.importorskip("ranx", reason="RANX ABSENT: its qrels and runs are not tested")
    judged, ranked = {"q1": {"a": 1, "b": 0}, "q2": {"x": 2}}, {"q1": {"b": 2.0, "a": 1.0}, "q2": {"x": 0.5}}
    names = ["map", "ndcg@10", "mrr", "precision@1"]
    theirs = ranx.evaluate(ranx.Qrels(judged), ranx.Run(ranked), names)
    assert cb.evaluate(ranx.Qrels(judged), ranx.Run(ranked), names) == pytest.approx(theirs)


def test_measures_of_ir_measures_are_measures(small_texts: Path) -> None:
    from ir_measures import AP, RBP, P, nDCG

    theirs = [AP, nDCG @ 10, P @ 1, RBP(p=0.8)]
    judged, ranked = {"q1": {"a": 1, "b": 0}}, {"q1": {"b": 2.0, "a": 1.0}}
    assert cb.evaluate(judged, ranked, theirs) == cb.evaluate(judged, ranked, list(map(str, theirs)))
    assert cb.evaluate(judged, ranked, AP) == {"AP": 0.5}
    assert cb.run(folder=small_texts, measures=AP, metric=["BLEU"], relevance__k=3).systems.AP.between(0, 1).all()
    found = cb.run("demo", measures=[AP, nDCG @ 10], metric=["BLEU"])
    assert {"AP", "nDCG@10"} <= set(found.systems.columns)


def test_the_ideal_run_of_judgments_scores_one() -> None:
    qrels = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"x": 1}}
    best = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"x": 1.0}}
    assert cb.evaluate(qrels, best, ["AP", "RBO"]) == pytest.approx({"AP": 1.0, "RBO": 1.0})
    assert cb.evaluate(qrels, {"q1": {"a": 1.0}}, ["AP"]) == {"AP": 0.25}


JUDGED, FOUND = {"q": {"d": 1}}, {"q": {"d": 1.0}}


@pytest.mark.parametrize(
    ("qrels", "run", "measures", "said"),
    [
        ({"q": {"d": "x"}}, FOUND, ["AP"], "relevance .a whole number."),
        (JUDGED, {"q": {"d": "high"}}, ["AP"], "run: expected .* score .a number."),
        ({"q": 1}, FOUND, ["AP"], "qrels: expected"),
        (JUDGED, FOUND, [cb.measures.RBO], "did you mean RBO"),
        (JUDGED, FOUND, [None], "None is not a Measure"),
    ],
)
def test_wrong_types_are_told(qrels: object, run: object, measures: list[str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        cb.evaluate(qrels, run, measures)
    assert cb.evaluate(JUDGED, FOUND, "AP") == {"AP": 1.0}
