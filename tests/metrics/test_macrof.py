"""MacroF and MicroF reproduce the published per-type tables (Table 6: labs/papers/test_scores.py); a case by hand."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from clirbench.metrics.macrof import MacroF, MicroF
from clirbench.types import TestSet
from tests.metrics.agreement import AWKWARD, corpus_score, lines

HYPOTHESES = ("the cat sat", "a a b")
TEST = TestSet((("the cat the", "a c"),))
# type  REFS PREDS MATCH   F1            REFS + 1
# the      2     1     1   2/3           3
# cat      1     1     1   1             2
# a        1     2     1   2/3           2
# c        1     0     0   0             2
# sat      0     1     0   0             1
# b        0     1     0   0             1


def test_a_case_worked_by_hand() -> None:
    assert corpus_score(MacroF(), HYPOTHESES, TEST) == pytest.approx(100 * (2 / 3 + 1 + 2 / 3) / 6)
    assert corpus_score(MicroF(), HYPOTHESES, TEST) == pytest.approx(100 * (3 * 2 / 3 + 2 + 2 * 2 / 3) / 11)
    # beta 2: F = 5 MATCH / (PREDS + 4 REFS): the 5/9, cat 1, a 5/6
    assert corpus_score(MacroF(beta=2), HYPOTHESES, TEST) == pytest.approx(100 * (5 / 9 + 1 + 5 / 6) / 6)
    # k = 0: weights are REFS: 2, 1, 1, 1, 0, 0
    assert corpus_score(MicroF(k=0), HYPOTHESES, TEST) == pytest.approx(100 * (2 * 2 / 3 + 1 + 2 / 3) / 5)


def test_types_that_vanish_from_the_totals_leave_the_average() -> None:
    metric = MacroF()
    statistics = metric.statistics(HYPOTHESES, TEST)
    # The first segment alone: the 2/3, cat 1, sat 0.
    assert float(metric.score(np.array([1.0, 0.0]) @ statistics)) == pytest.approx(100 * (2 / 3 + 1) / 3)
    assert metric.score(np.zeros((2, 2)) @ statistics).tolist() == [0, 0]


@pytest.mark.parametrize("case", ["mc", "lc"])
@pytest.mark.parametrize("system", ["snmt", "unmt"])
@pytest.mark.parametrize("pair", ["de-en", "en-de"])
def test_published_type_tables_row_by_row(shared_data: Path, pair: str, system: str, case: str) -> None:
    """REFS, PREDS and MATCH of every type in the published tables, and no type beside them."""
    folder = shared_data / "papers" / "snmt-vs-unmt" / pair
    published: dict[str, tuple[float, ...]] = {}
    table = lines(folder / f"typeperf.{system}.tsv.{case}.macrof")
    start = next(i for i, line in enumerate(table) if line.startswith("Type"))
    for line in table[start + 1 :]:
        if line.strip():
            name, _, refs, preds, match, *_ = line.split("\t")
            published[name.strip()] = (float(refs), float(preds), float(match))
    metric = MacroF(lowercase=case == "lc")
    hypotheses = lines(folder / "systems" / f"{system}.txt")
    test = TestSet((lines(folder / "reference.txt"),))
    totals = np.asarray(metric.statistics(hypotheses, test).sum(axis=0)).reshape(-1, 3)
    ours = {name: tuple(counts) for name, counts in zip(metric.types(hypotheses, test), totals.tolist(), strict=True)}
    assert ours == published


@pytest.mark.parametrize("metric", [MacroF(), MicroF(beta=2, k=3)])
def test_sparse_rows_score_as_dense_ones(metric: MacroF | MicroF) -> None:
    hypotheses, test = AWKWARD, TestSet((AWKWARD[::-1],))
    statistics = metric.statistics(hypotheses, test)
    np.testing.assert_allclose(metric.score(statistics), metric.score(statistics.toarray()), rtol=1e-13)
    np.testing.assert_allclose(metric.score(statistics), metric.score(np.asfortranarray(statistics.toarray())), 1e-13)


@pytest.mark.parametrize("metric", [MacroF(), MicroF()])
def test_types_numbered_otherwise_give_the_same_score_to_the_last_bit(metric: MacroF | MicroF) -> None:
    """Equal scores of two systems' segments are ties in tau, however types are numbered."""
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, size=(200, 60, 2))
    rows = np.stack([*np.moveaxis(counts, -1, 0), counts.min(axis=-1)], axis=-1).astype(np.float64)
    found, of_all = metric.score(rows.reshape(200, -1)), metric.score(rows.sum(axis=0).ravel())
    for _ in range(5):
        numbered = rows[:, rng.permutation(60)]
        for totals in (numbered.reshape(200, -1), csr_array(numbered.reshape(200, -1))):
            assert metric.score(totals).tolist() == found.tolist()
        assert float(metric.score(numbered.sum(axis=0).ravel())) == float(of_all)


def test_statistics_are_the_callers_own() -> None:
    metric = MacroF()
    metric.statistics(HYPOTHESES, TEST).data[:] = 0
    assert metric.statistics(HYPOTHESES, TEST).sum() == 14


def test_of_several_references_the_first_is_used() -> None:
    both = TestSet((*TEST.references, ("x", "y")))
    assert corpus_score(MacroF(), HYPOTHESES, both) == corpus_score(MacroF(), HYPOTHESES, TEST)
    assert "refs:first" in MacroF().signature


@pytest.mark.parametrize("unit", [1.0, 0.5, 300.0])
def test_resampled_scores_are_those_of_weighted_sums(unit: float) -> None:
    """Whole weights up to 255 are kept as bytes, others as they are: the scores do not tell."""
    test = TestSet((("a b c", "a d", "e f a"),))
    statistics = MacroF().statistics(("a b d", "a c", "e e"), test)
    weights = unit * np.array([[1.0, 1.0, 1.0], [0.0, 2.0, 1.0], [3.0, 0.0, 0.0]])
    found = MacroF().resampled(statistics, weights)
    assert found == pytest.approx(MacroF().score(weights @ statistics), abs=1e-12)
