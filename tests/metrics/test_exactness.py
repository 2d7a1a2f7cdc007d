"""Every statistic of every segment of real systems equals sacreBLEU's, and so do corpus and sentence scores.

A part of one system of each test set in every run, one whole system under `slow`, all systems before a release (TER,
at seconds a system in the library: one).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics import BLEU as SacreBLEU
from sacrebleu.metrics import CHRF
from sacrebleu.metrics import TER as SacreTER

from clirbench.metrics.base import Metric
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.ter import TER
from clirbench.types import TestSet
from tests.metrics.agreement import lines

SETS = [f"wmt21/{pair}-en" for pair in ("cs", "de", "ha", "is", "ja", "ru", "zh")]
SETS += ["lignos2019/cs-en", "papers/snmt-vs-unmt/de-en", "papers/snmt-vs-unmt/en-de"]
TWO = [
    name if name in ("wmt21/is-en", "lignos2019/cs-en") else pytest.param(name, marks=pytest.mark.release)
    for name in SETS
]
"""One with two references and one with one; a release has all."""
CHARS = [(ChrF(beta=beta), CHRF(beta=beta)) for beta in (1, 2, 3)] + [(ChrF(word_order=2), CHRF(word_order=2))]
NGRAMS = [(BLEU(effective_order=True), SacreBLEU(effective_order=True, force=True)), *CHARS]
ALL, FIRST, LAST = slice(None), slice(1), slice(-1, None)


def test_set(folder: Path, limit: int | None) -> TestSet:
    """All references together where there are several: what single ones give is tested with each metric."""
    return TestSet(tuple(lines(path)[:limit] for path in sorted(folder.glob("reference*.txt"))))


test_set.__test__ = False  # type: ignore[attr-defined]


def agree(metric: Metric, library: Any, hypotheses: Sequence[str], test: TestSet) -> None:
    """Rows to the count, the corpus score and every sentence score to 1e-9; `library` holds its references."""
    rows = np.asarray(metric.statistics(hypotheses, test))
    expected = np.array(library._extract_corpus_statistics(list(hypotheses), None), dtype=float)
    np.testing.assert_array_equal(rows, expected)
    corpus = library._compute_score_from_stats(list(expected.sum(axis=0))).score
    assert float(metric.score(rows.sum(axis=0))) == pytest.approx(corpus, abs=1e-9)
    sentences = [library._compute_score_from_stats(list(row)).score for row in expected]
    np.testing.assert_allclose(metric.score(rows), sentences, rtol=0, atol=1e-9)


def check(folder: Path, which: slice, limit: int | None, pairs: Sequence[tuple[Metric, Any]]) -> None:
    test = test_set(folder, limit)
    systems = sorted((folder / "systems").glob("*.txt"))[which]
    assert systems
    for metric, library in pairs:
        library._ref_cache = library._cache_references([list(reference) for reference in test.references])
        for path in systems:
            agree(metric, library, lines(path)[:limit], test)


@pytest.mark.parametrize("name", SETS)
def test_a_sample(shared_data: Path, name: str) -> None:
    check(shared_data / name, FIRST, 30, [*NGRAMS, (TER(), SacreTER())])


@pytest.mark.slow
@pytest.mark.parametrize("name", TWO)
def test_bleu_and_chrf_of_a_whole_system(shared_data: Path, name: str) -> None:
    check(shared_data / name, LAST, None, [NGRAMS[0], NGRAMS[2]])


@pytest.mark.slow
@pytest.mark.parametrize("name", TWO)
def test_ter_of_500_segments(shared_data: Path, name: str) -> None:
    check(shared_data / name, LAST, 500, [(TER(), SacreTER())])


@pytest.mark.release
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", SETS)
def test_bleu_and_chrf_of_all_systems(shared_data: Path, name: str) -> None:
    # The others of the family share chrF2's counts: one system shows that.
    check(shared_data / name, ALL, None, [NGRAMS[0], NGRAMS[2]])
    check(shared_data / name, FIRST, None, NGRAMS)


@pytest.mark.release
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", SETS)
def test_ter_of_a_whole_system(shared_data: Path, name: str) -> None:
    check(shared_data / name, LAST, None, [(TER(), SacreTER())])
