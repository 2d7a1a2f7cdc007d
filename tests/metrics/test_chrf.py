"""chrF equals sacreBLEU: statistics to the count, scores to 1e-9, and published scores of real systems."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from clirbench.errors import AlignmentError, ConfigError
from clirbench.metrics.bleu import BLEU, reference_ngrams
from clirbench.metrics.chrf import ChrF, _counts, _kept_ngrams
from clirbench.types import TestSet
from tests.metrics.agreement import AWKWARD, corpus_score, library_rows, lines, rows

PAIRS = ["cs", "de", "ha", "is", "ja", "ru", "zh"]
OPTIONS: list[dict[str, Any]] = [
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


def awkward_pairs() -> tuple[list[str], TestSet]:
    pairs = list(itertools.product(AWKWARD, AWKWARD))
    return [h for h, _ in pairs], TestSet((tuple(r for _, r in pairs),))


@pytest.mark.parametrize("options", OPTIONS)
def test_counts_and_segment_scores_equal_the_librarys(options: dict[str, Any]) -> None:
    hypotheses, test = awkward_pairs()
    metric, library = ChrF(**options), CHRF(**options)
    ours = metric.statistics(hypotheses, test)
    np.testing.assert_array_equal(ours, library_rows(library, hypotheses, test))
    for hypothesis, reference, score in zip(hypotheses, test.references[0], metric.score(ours).tolist(), strict=True):
        assert score == pytest.approx(library.sentence_score(hypothesis, [reference]).score, abs=1e-9)


@given(
    st.lists(st.tuples(*[st.text("ab .,é(\u00a0", max_size=15)] * 3), min_size=1, max_size=5),
    st.sampled_from(OPTIONS),
)
@settings(max_examples=200, deadline=None)
def test_two_references_equal_the_library(segments: list[tuple[str, str, str]], options: dict[str, Any]) -> None:
    hypotheses = [h for h, _, _ in segments]
    test = TestSet((tuple(a for _, a, _ in segments), tuple(b for _, _, b in segments)))
    metric, library = ChrF(**options), CHRF(**options)
    np.testing.assert_array_equal(metric.statistics(hypotheses, test), library_rows(library, hypotheses, test))
    expected = library.corpus_score(hypotheses, [list(r) for r in test.references]).score
    assert corpus_score(metric, hypotheses, test) == pytest.approx(expected, abs=1e-9)


def test_lignos_2019_published_chrf1(shared_data: Path) -> None:
    """Column CHRF1 of the published table (0-1, three decimals), 16 Czech-English systems."""
    folder = shared_data / "lignos2019" / "cs-en"
    test = TestSet((lines(folder / "reference.txt"),))
    published = rows(shared_data / "papers" / "europarl-table5" / "MTIR-scores-all-corrected.txt")
    chosen = [r for r in published if (r["Lang"], r["Dataset"], r["Model"]) == ("cs", "europarl", "bm25")]
    assert len(chosen) == 16
    for row in chosen:
        path = folder / "systems" / f"{int(row['TrainSize']):06d}.bpe{row['BPEsize']}.txt"
        assert f"{corpus_score(ChrF(beta=1), lines(path), test) / 100:.3f}" == f"{float(row['CHRF1']):.3f}"


@pytest.mark.parametrize("pair", [p if p in ("is", "de") else pytest.param(p, marks=pytest.mark.slow) for p in PAIRS])
def test_wmt21_official_chrf(shared_data: Path, pair: str) -> None:
    """chrf-A, chrf-B and chrf-all of the WMT21 organisers, made with sacreBLEU (chrF2)."""
    folder = shared_data / "wmt21" / f"{pair}-en"
    references = {p.stem[-1]: lines(p) for p in sorted(folder.glob("reference-?.txt"))}
    checked = 0
    for row in rows(folder / "official-metrics.tsv"):
        kind, _, which = row["metric"].partition("-")
        path = folder / "systems" / f"{row['system']}.txt"
        if kind == "chrf" and path.is_file():
            chosen = tuple(references.values()) if which == "all" else (references[which],)
            score = corpus_score(ChrF(beta=2), lines(path), TestSet(chosen))
            assert score == pytest.approx(float(row["score"]), abs=1e-9), (row["system"], row["metric"])
            checked += 1
    assert checked >= 10


def test_large_references_whose_tables_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks and stretches of few segments, kept or made again, count as one does, with several references too."""
    hypotheses, test = awkward_pairs()
    test = TestSet((*test.references, tuple(reversed(test.references[0]))))
    metrics = (ChrF(word_order=2), BLEU(), BLEU(tokenize="intl"))
    expected = [metric.statistics(hypotheses, test) for metric in metrics]
    for kept, stretch in ((0, 20_000), (10**9, 20_000), (0, 70)):
        monkeypatch.setattr("clirbench.metrics.reference_ngrams.BLOCK", 100)
        monkeypatch.setattr("clirbench.metrics.chrf.STRETCH", stretch)
        monkeypatch.setattr("clirbench.metrics.reference_ngrams.KEPT", kept)
        for cached in (_kept_ngrams, _counts, reference_ngrams):
            cached.cache_clear()  # type: ignore[attr-defined]
        for metric, statistics in zip(metrics, expected, strict=True):
            np.testing.assert_array_equal(metric.statistics(hypotheses, test), statistics)
    _kept_ngrams.cache_clear()
    reference_ngrams.cache_clear()


def test_names_are_the_fields() -> None:
    assert [ChrF(beta=b).name for b in (1, 2, 3)] == ["chrF1", "chrF2", "chrF3"]
    assert ChrF(word_order=2).name == "chrF++"


def test_bad_values_are_config_errors() -> None:
    with pytest.raises(ConfigError, match="beta=-1 must be a number of at least 0"):
        ChrF(beta=-1)
    with pytest.raises(ConfigError, match="char_order [+] word_order=0"):
        ChrF(char_order=0)


def test_unequal_line_counts_are_an_error() -> None:
    with pytest.raises(AlignmentError, match="3 hypotheses for references of 2 lines"):
        ChrF().statistics(["a", "b", "c"], TestSet((("a", "b"),)))
