"""Metrics that count the same have one counter, whose statistics are theirs; a run counts and stores them once."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clirbench.corpora.base import Corpus
from clirbench.engines.local import Serial
from clirbench.experiment import compute_steps
from clirbench.metrics.base import Metric, counter
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF, MicroF
from clirbench.result import Experiment, Inputs, no_watch
from clirbench.store.cached import Cached
from clirbench.store.store import Store
from clirbench.types import Document, Documents, Doubles, TestSet, Translation
from tests.lines import made_texts
from tests.metrics.agreement import AWKWARD, corpus_score
from tests.metrics.test_bad_input import MATCHING, named

HYPOTHESES = ("the cat sat on the mat .", "a dog", *AWKWARD)
REFERENCES = ("the cat lay on a mat .", "a black dog", *reversed(AWKWARD))
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


def test_who_counts_together() -> None:
    assert len(signatures(ChrF(beta=1), ChrF(), ChrF(beta=3), ChrF(eps_smoothing=True), ChrF(name="mine"))) == 1
    assert len(signatures(MacroF(), MacroF(beta=2), MicroF(), MicroF(k=0))) == 1


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
    heads = [store.head(part)[0] for part in store.path.rglob("*.part")]
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
