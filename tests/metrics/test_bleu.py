"""BLEU equals sacreBLEU: statistics to the count, scores to 1e-9, and published scores of real systems."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU as SacreBLEU

from clirbench.errors import AlignmentError, ConfigError
from clirbench.metrics.bleu import BLEU
from clirbench.types import TestSet
from tests.metrics.agreement import AWKWARD, corpus_score, library_rows, lines, rows

PAIRS = ["cs", "de", "ha", "is", "ja", "ru", "zh"]


def awkward_pairs() -> tuple[list[str], TestSet]:
    pairs = list(itertools.product(AWKWARD, AWKWARD))
    return [h for h, _ in pairs], TestSet((tuple(r for _, r in pairs),))


@pytest.mark.parametrize("tokenize", ["13a", "intl", "zh", "char", "none"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_counts_equal_the_librarys_on_awkward_text(tokenize: str, lowercase: bool) -> None:
    hypotheses, test = awkward_pairs()
    ours = BLEU(tokenize=tokenize, lowercase=lowercase).statistics(hypotheses, test)
    library = SacreBLEU(tokenize=tokenize, lowercase=lowercase, force=True)
    np.testing.assert_array_equal(ours, library_rows(library, hypotheses, test))


@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize(
    ("method", "value"),
    [("exp", None), ("none", None), ("floor", None), ("floor", 0.5), ("add-k", None), ("add-k", 2.0)],
)
def test_segment_scores_equal_the_librarys(method: str, value: float | None, effective_order: bool) -> None:
    hypotheses, test = awkward_pairs()
    metric = BLEU(smooth_method=method, smooth_value=value, effective_order=effective_order)
    library = SacreBLEU(smooth_method=method, smooth_value=value, effective_order=effective_order, force=True)
    ours = metric.score(metric.statistics(hypotheses, test))
    for hypothesis, reference, score in zip(hypotheses, test.references[0], ours.tolist(), strict=True):
        assert score == pytest.approx(library.sentence_score(hypothesis, [reference]).score, abs=1e-9)


@given(
    st.lists(st.tuples(*[st.text("ab .,1-&;é\u00a0\n", max_size=20)] * 3), min_size=1, max_size=5),
    st.sampled_from([1, 2, 4, 6]),
)
@settings(max_examples=200, deadline=None)
def test_two_references_and_any_order_equal_the_library(segments: list[tuple[str, str, str]], order: int) -> None:
    hypotheses = [h for h, _, _ in segments]
    test = TestSet((tuple(a for _, a, _ in segments), tuple(b for _, _, b in segments)))
    metric = BLEU(max_ngram_order=order)
    library = SacreBLEU(max_ngram_order=order, force=True)
    np.testing.assert_array_equal(metric.statistics(hypotheses, test), library_rows(library, hypotheses, test))
    expected = library.corpus_score(hypotheses, [list(r) for r in test.references]).score
    assert corpus_score(metric, hypotheses, test) == pytest.approx(expected, abs=1e-9)


def test_score_is_vectorised_over_leading_axes() -> None:
    hypotheses, test = awkward_pairs()
    metric = BLEU()
    statistics = metric.statistics(hypotheses, test)
    weights = np.random.default_rng(0).multinomial(len(test), np.full(len(test), 1 / len(test)), size=(2, 3))
    scores = metric.score(weights.astype(float) @ statistics)
    assert scores.shape == (2, 3)
    one = weights[1, 2]
    drawn = [h for h, n in zip(hypotheses, one, strict=True) for _ in range(n)]
    references = [r for r, n in zip(test.references[0], one, strict=True) for _ in range(n)]
    expected = SacreBLEU(force=True).corpus_score(drawn, [references]).score
    assert scores[1, 2] == pytest.approx(expected, abs=1e-9)


def test_lignos_2019_published_bleu(shared_data: Path) -> None:
    """Column BLEU of the published table (two decimals), 16 Czech-English systems."""
    folder = shared_data / "lignos2019" / "cs-en"
    test = TestSet((lines(folder / "reference.txt"),))
    published = rows(shared_data / "papers" / "europarl-table5" / "MTIR-scores-all-corrected.txt")
    chosen = [r for r in published if (r["Lang"], r["Dataset"], r["Model"]) == ("cs", "europarl", "bm25")]
    assert len(chosen) == 16
    for row in chosen:
        path = folder / "systems" / f"{int(row['TrainSize']):06d}.bpe{row['BPEsize']}.txt"
        assert f"{corpus_score(BLEU(), lines(path), test):.2f}" == f"{float(row['BLEU']):.2f}"


@pytest.mark.parametrize("pair", [p if p in ("is", "de") else pytest.param(p, marks=pytest.mark.slow) for p in PAIRS])
def test_wmt21_official_bleu(shared_data: Path, pair: str) -> None:
    """bleu-A, bleu-B and bleu-all of the WMT21 organisers, made with sacreBLEU."""
    folder = shared_data / "wmt21" / f"{pair}-en"
    references = {p.stem[-1]: lines(p) for p in sorted(folder.glob("reference-?.txt"))}
    checked = 0
    for row in rows(folder / "official-metrics.tsv"):
        kind, _, which = row["metric"].partition("-")
        path = folder / "systems" / f"{row['system']}.txt"
        if kind == "bleu" and path.is_file():
            chosen = tuple(references.values()) if which == "all" else (references[which],)
            score = corpus_score(BLEU(), lines(path), TestSet(chosen))
            assert score == pytest.approx(float(row["score"]), abs=1e-9), (row["system"], row["metric"])
            checked += 1
    assert checked >= 10


def test_bad_values_are_config_errors() -> None:
    with pytest.raises(ConfigError, match="tokenize='13b' is not one of 13a, intl"):
        BLEU(tokenize="13b")
    with pytest.raises(ConfigError, match="smooth_method='add' is not one of exp, floor"):
        BLEU(smooth_method="add")
    with pytest.raises(ConfigError, match="max_ngram_order=0 must be a number of at least 1"):
        BLEU(max_ngram_order=0)


def test_unequal_line_counts_are_an_error() -> None:
    with pytest.raises(AlignmentError, match="1 hypotheses for references of 2 lines"):
        BLEU().statistics(["a"], TestSet((("a", "b"),)))
