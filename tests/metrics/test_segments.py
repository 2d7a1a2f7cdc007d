"""Scores of samples, documents and segments from sums of statistics, for every metric."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from clirbench.corpora.base import Corpus
from clirbench.engines.local import Serial
from clirbench.errors import AlignmentError
from clirbench.experiment import compute_steps
from clirbench.metrics.base import Metric, counter
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF, MicroF
from clirbench.metrics.segments import SegmentScores, mean, ratio
from clirbench.result import Experiment, Inputs, no_watch
from clirbench.store.cached import Cached
from clirbench.store.store import Store
from clirbench.types import Document, Documents, Doubles, TestSet, Translation
from tests.lines import made_texts
from tests.metrics.agreement import AWKWARD, corpus_score
from tests.metrics.test_bad_input import MATCHING, named

HYPOTHESES = ("the cat sat on the mat .", "a dog", "no", *AWKWARD)
REFERENCES = ("the cat lay on a mat .", "a black dog", "yes", *reversed(AWKWARD))
LENGTHS = np.array([3, 0, 5, len(HYPOTHESES) - 8])
# Whose segment scores depend on the rest of the test set: information and idf weights, and the number of the line.


@pytest.mark.parametrize("metric", MATCHING, ids=named)
def test_a_weighted_sum_scores_like_the_sample_it_stands_for(metric: Metric) -> None:
    """score(W @ statistics), on which every bootstrap rests, against scoring the drawn segments anew; also of each
    segment alone, and of documents."""
    n = len(HYPOTHESES)
    documents = np.repeat(np.eye(len(LENGTHS), dtype=int), LENGTHS, axis=1)
    weights = np.random.default_rng(5).multinomial(n, np.full(n, 1 / n), size=3)
    weights = np.vstack([np.eye(n, dtype=int), documents, weights])
    statistics = metric.statistics(HYPOTHESES, TestSet((REFERENCES,), REFERENCES))
    scores = metric.score(np.asarray(weights.astype(float) @ statistics))
    np.testing.assert_allclose(metric.score(statistics), scores[:n], atol=1e-9)
    for row, score in zip(weights, scores, strict=True):
        drawn = np.repeat(np.arange(n), row)
        references = tuple(REFERENCES[i] for i in drawn)
        expected = corpus_score(metric, [HYPOTHESES[i] for i in drawn], TestSet((references,), references))
        assert score == pytest.approx(expected, abs=1e-9)


def test_nothing_over_nothing_is_0_and_the_mean_of_nothing_is_unknown() -> None:
    assert np.isnan(mean(np.zeros(2)))
    assert ratio(np.array([1.0, 4.0]), np.array([0.0, 2.0])).tolist() == [0.0, 2.0]


def sums(metric: SegmentScores, weights: list[list[int]]) -> np.ndarray:
    n = len(weights[0])
    test = TestSet((("x",) * n,))
    return metric.score(np.array(weights, dtype=float) @ metric.statistics(["x"] * n, test))


@given(
    st.integers(1, 8).flatmap(
        lambda n: st.tuples(*[st.lists(st.integers(i, 3), min_size=n, max_size=n) for i in (-3, 0)])
    )
)
@settings(max_examples=300, deadline=None)
def test_means_and_medians_of_resamples_are_numpys(case: tuple[list[int], list[int]]) -> None:
    scores, weights = case
    drawn = np.repeat(np.array(scores, dtype=float), weights)
    values = tuple(map(float, scores))
    median = sums(SegmentScores(values, "m", "median"), [weights])[0]
    mean = sums(SegmentScores(values, "m"), [weights])[0]
    if len(drawn):
        assert median == pytest.approx(np.median(drawn))
        assert mean == pytest.approx(drawn.mean())
    else:
        assert np.isnan(median)
        assert np.isnan(mean)


def test_a_system_score_cannot_be_resampled() -> None:
    metric = SegmentScores((42.5,), "m", "system")
    scores = sums(metric, [[1, 1, 1], [2, 2, 2], [0, 1, 2], [0, 0, 0]])
    assert scores[:2].tolist() == [42.5, 42.5]
    assert np.isnan(scores[2:]).all()


def test_as_many_scores_as_segments() -> None:
    with pytest.raises(AlignmentError, match="m: 1 scores for 2 segments"):
        SegmentScores((1.0,), "m").statistics(["a", "b"], TestSet((("a", "b"),)))


ONE = TestSet((REFERENCES,), REFERENCES)
TWO = TestSet((REFERENCES, HYPOTHESES), REFERENCES)


@pytest.mark.parametrize("test", [ONE, TWO], ids=["one reference", "two references"])
@pytest.mark.parametrize("metric", MATCHING, ids=named)
def test_a_counter_has_the_statistics_of_its_metric(metric: Metric, test: TestSet) -> None:
    counts = counter(metric, test)
    own, other = (one.statistics(HYPOTHESES, test) for one in (counts, metric))
    assert repr(own.tolist() if isinstance(own, np.ndarray) else own.todense().tolist()) == repr(
        other.tolist() if isinstance(other, np.ndarray) else other.todense().tolist()
    )
    assert counter(counts, test) == counts


def signatures(*metrics: Metric, test: TestSet = ONE) -> set[str]:
    return {counter(metric, test).signature for metric in metrics}


def test_who_does_not() -> None:
    apart = [ChrF(), ChrF(word_order=2), ChrF(lowercase=True), ChrF(whitespace=True), ChrF(char_order=4)]
    apart += [MacroF(), MacroF(tokenize="none"), MacroF(lowercase=True), BLEU()]
    assert len(signatures(*apart)) == len(apart)
    # With several references, which one a segment is counted against depends on beta.
    assert len(signatures(ChrF(beta=1), ChrF(), ChrF(eps_smoothing=True), test=TWO)) == 3


def test_a_run_counts_them_once_and_scores_each(tmp_path: Path) -> None:
    test, texts = made_texts(tmp_path, 3)
    store = Store(tmp_path / "store")
    translations = tuple(Translation(text.path.stem, text, None) for text in texts)
    inputs = Inputs(Corpus(test, Documents.of([Document("1", "w1")])), translations, {})
    metrics = (ChrF(beta=1), ChrF(), MacroF(), MicroF(), BLEU())
    experiment = Experiment("counted", Cached(Serial(), store), metrics=metrics, keep_copies=True)
    work = compute_steps(experiment, inputs, no_watch)
    assert not work.failed
    assert (
        list(work.scores)
        == list(work.statistics)
        == [(metric.name, text.path.stem) for text in texts for metric in metrics]
    )
    for text in texts:
        for metric in metrics:
            assert work.scores[metric.name, text.path.stem] == corpus_score(metric, text.lines(), test)
    heads = [store.head(part) for part in store.path.rglob("*.part")]
    sizes = sorted(one["size"] for head in heads if len(head) >= 8 for one in head.values())
    # Three counts and five scores of each system (and of one its health, its wording).
    assert len(sizes) in range(3 * (3 + 5), 3 * (3 + 5 + 2) + 1)
    assert sizes[3 * 5 - 1] < 1000


@dataclass(frozen=True)
class Loud(MacroF):
    """Counts in its own way: everything in upper case."""

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Any:
        return super().statistics([line.upper() for line in hypotheses], test)


@dataclass(frozen=True)
class Words:
    """Words of each line, times `unit`; like a metric written in a hurry, it is signed without its name."""

    name: str
    unit: float
    higher_is_better: bool = True
    signature: str = "case:mixed|v:1"

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        return np.array([[self.unit * len(line.split())] for line in hypotheses])

    def score(self, totals: Doubles) -> Doubles:
        return np.asarray(totals[..., 0])


def test_a_metric_that_counts_in_its_own_way_is_asked(tmp_path: Path) -> None:
    assert counter(Loud(name="loud"), ONE) == Loud(name="loud")
    test, texts = made_texts(tmp_path, 1)
    inputs = Inputs(Corpus(test, Documents.of([Document("1", "w1")])), (Translation("s", texts[0], None),), {})
    metrics = (MacroF(), Loud(name="loud"), Words("one", 1), Words("hundred", 100))
    scores = compute_steps(Experiment("own", Serial(), metrics=metrics, keep_copies=True), inputs, no_watch).scores
    words = sum(len(line.split()) for line in texts[0].lines())
    assert scores["one", "s"] == words
    assert scores["hundred", "s"] == 100 * words
    assert scores["MacroF1", "s"] > scores["loud", "s"] == corpus_score(metrics[1], texts[0].lines(), test)
