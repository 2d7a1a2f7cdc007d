"""BLEU and chrF equal sacreBLEU: statistics to the count, scores to 1e-9, and published scores of real systems.

Every statistic of every segment of real systems too: a part of one system of each test set in every run, one whole
system under `slow`, all systems before a release.
"""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sacrebleu.metrics import BLEU as SacreBLEU, CHRF

from clirbench.metrics.base import Metric
from clirbench.metrics.bleu import BLEU, reference_ngrams
from clirbench.metrics.chrf import ChrF, _counts, _reference_ngrams
from clirbench.types import TestSet
from tests.conftest import records
from tests.metrics.agreement import ALL, AWKWARD, FIRST, LAST, SETS, TWO, agree, check, corpus_score, lines

Options = dict[str, Any]
OF_BLEU: list[Options] = [
    {"tokenize": tokenize, "lowercase": lowercase}
    for tokenize in ("13a", "intl", "zh", "char", "none")
    for lowercase in (False, True)
]
SMOOTHED = [("exp", None), ("none", None), ("floor", None), ("floor", 0.5), ("add-k", None), ("add-k", 2.0)]
OF_BLEU += [
    {"smooth_method": method, "smooth_value": value, "effective_order": effective}
    for method, value in SMOOTHED
    for effective in (False, True)
]
OF_BLEU += [{"max_ngram_order": order} for order in (1, 2, 6)]
OF_CHRF: list[Options] = [
    {"beta": 1},
    {"beta": 2},
    {"beta": 3},
    {"word_order": 2},
    {"word_order": 1, "beta": 1},
    {"char_order": 0, "word_order": 3},
    {"lowercase": True, "word_order": 2},
    {"whitespace": True},
    {"eps_smoothing": True, "word_order": 2},
]
CASES = [("BLEU", options) for options in OF_BLEU] + [("chrF", options) for options in OF_CHRF]
CHARS = [(ChrF(**options), CHRF(**options)) for options in OF_CHRF[:4]]
NGRAMS: list[tuple[Metric, Any]] = [(BLEU(effective_order=True), SacreBLEU(effective_order=True, force=True)), *CHARS]


def both(name: str, options: Options) -> tuple[Metric, Any]:
    """Our metric, and the library's."""
    if name == "BLEU":
        return BLEU(**options), SacreBLEU(**options, force=True)
    return ChrF(**options), CHRF(**options)


def awkward_pairs() -> tuple[list[str], TestSet]:
    pairs = list(itertools.product(AWKWARD, AWKWARD))
    return [h for h, _ in pairs], TestSet((tuple(r for _, r in pairs),))


def agree_on(metric: Metric, library: Any, hypotheses: list[str], test: TestSet) -> None:
    library._ref_cache = library._cache_references([list(reference) for reference in test.references])
    agree(metric, library, hypotheses, test)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_awkward_text(name: str, options: Options) -> None:
    agree_on(*both(name, options), *awkward_pairs())


@given(
    st.lists(st.tuples(*[st.text("ab .,1-&;é(\u00a0\n", max_size=20)] * 3), min_size=1, max_size=5),
    st.sampled_from([case for case in CASES if "tokenize" not in case[1]]),
)
@settings(max_examples=300, deadline=None)
def test_two_references(segments: list[tuple[str, str, str]], case: tuple[str, Options]) -> None:
    hypotheses, *references = zip(*segments, strict=True)
    agree_on(*both(*case), list(hypotheses), TestSet(tuple(references)))


@pytest.mark.parametrize(
    ("metric", "column", "scale", "decimals"), [(BLEU(), "BLEU", 1, 2), (ChrF(beta=1), "CHRF1", 100, 3)]
)
def test_lignos_2019(shared_data: Path, metric: Metric, column: str, scale: int, decimals: int) -> None:
    """A column of the published table, 16 Czech-English systems."""
    folder = shared_data / "lignos2019" / "cs-en"
    test = TestSet((lines(folder / "reference.txt"),))
    published = records(shared_data / "papers" / "europarl-table5" / "MTIR-scores-all-corrected.txt")
    chosen = [r for r in published if (r["Lang"], r["Dataset"], r["Model"]) == ("cs", "europarl", "bm25")]
    assert len(chosen) == 16
    for row in chosen:
        path = folder / "systems" / f"{int(row['TrainSize']):06d}.bpe{row['BPEsize']}.txt"
        ours = corpus_score(metric, lines(path), test) / scale
        assert f"{ours:.{decimals}f}" == f"{float(row[column]):.{decimals}f}"


@pytest.mark.parametrize(
    "name", [n if n in ("wmt21/is-en", "wmt21/de-en") else pytest.param(n, marks=pytest.mark.slow) for n in SETS[:7]]
)
def test_wmt21_official_scores(shared_data: Path, name: str) -> None:
    """bleu-A, bleu-B, bleu-all and chrf-... of the WMT21 organisers, made with sacreBLEU."""
    folder = shared_data / name
    references = {p.stem[-1]: lines(p) for p in sorted(folder.glob("reference-?.txt"))}
    checked = 0
    for row in records(folder / "official-metrics.tsv"):
        kind, _, which = row["metric"].partition("-")
        path = folder / "systems" / f"{row['system']}.txt"
        if kind in ("bleu", "chrf") and path.is_file():
            chosen = tuple(references.values()) if which == "all" else (references[which],)
            score = corpus_score(BLEU() if kind == "bleu" else ChrF(), lines(path), TestSet(chosen))
            assert score == pytest.approx(float(row["score"]), abs=1e-9), (row["system"], row["metric"])
            checked += 1
    assert checked >= 20


def test_large_references_whose_tables_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of few segments, kept or made again, count as one does, with several references too."""
    hypotheses, test = awkward_pairs()
    test = TestSet((*test.references, tuple(reversed(test.references[0]))))
    metrics = (ChrF(word_order=2), BLEU(), BLEU(tokenize="intl"))
    expected = [metric.statistics(hypotheses, test) for metric in metrics]
    for kept in (0, 10**9):
        monkeypatch.setattr("clirbench.metrics.tokens.BLOCK", 100)
        monkeypatch.setattr("clirbench.metrics.tokens.KEPT", kept)
        for cached in (_reference_ngrams, _counts, reference_ngrams):
            cached.cache_clear()  # type: ignore[attr-defined]
        for metric, statistics in zip(metrics, expected, strict=True):
            np.testing.assert_array_equal(metric.statistics(hypotheses, test), statistics)
    _reference_ngrams.cache_clear()
    reference_ngrams.cache_clear()


@pytest.mark.parametrize("name", SETS)
def test_a_sample_of_real_text(shared_data: Path, name: str) -> None:
    check(shared_data / name, FIRST, 30, NGRAMS)


@pytest.mark.slow
@pytest.mark.parametrize("name", TWO)
def test_a_whole_system(shared_data: Path, name: str) -> None:
    check(shared_data / name, LAST, None, [NGRAMS[0], NGRAMS[2]])


@pytest.mark.release
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", SETS)
def test_all_systems(shared_data: Path, name: str) -> None:
    # The others of the family share chrF2's counts: one system shows that.
    check(shared_data / name, ALL, None, [NGRAMS[0], NGRAMS[2]])
    check(shared_data / name, FIRST, None, NGRAMS)
