"""Tests of differences: by hand, against published scores, and by simulation of their false-positive rate."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from scipy.stats import kendalltau, t as student

from clirbench.files.score_tables import table_path
from clirbench.files.tables import read_table
from clirbench.labs.papers.favoritism import Difference, DifferencesAnalysis, clusters, differences
from clirbench.statistics.given import estimates, normal_scores
from clirbench.statistics.grades import Evidence
from tests.statistics.worlds import scores_only

A, B, Y = [1.0, 2, 3, 4, 5, 7], [2.0, 1, 4, 3, 6, 5], [1.0, 2, 4, 3, 5, 6]


def tau(x: np.ndarray, y: np.ndarray) -> float:
    return float(scipy.stats.kendalltau(x, y).statistic)


def test_swapping_systems_counts_all_exchanges() -> None:
    (a, b), y = normal_scores(np.array([A, B])), np.array(Y)
    observed = abs(tau(a, y) - tau(b, y))
    reached = []
    for swap in itertools.product([False, True], repeat=6):
        kept, other = np.where(swap, b, a), np.where(swap, a, b)
        reached.append(abs(tau(kept, y) - tau(other, y)) >= observed - 1e-12)
    (row,) = differences(scores_only([A, B], [Y]), DifferencesAnalysis())
    assert row.p_value == pytest.approx(np.mean(reached))
    assert row.difference == pytest.approx(tau(a, y) - tau(b, y))


def row(a: str, b: str, values: dict[str, float], significant: str) -> Difference:
    (template,) = differences(scores_only([A, B], [Y]), DifferencesAnalysis())
    return replace(template, metric_a=a, metric_b=b, value_a=values[a], value_b=values[b], significant=significant)


def test_clusters_by_hand() -> None:
    values = {"a": 0.9, "b": 0.8, "c": 0.5, "d": 0.4}
    apart = {("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")}
    rows = [row(x, y, values, str((x, y) in apart).lower()) for x, y in itertools.combinations("abcd", 2)]
    assert [(c[1], *c[3:]) for c in clusters(rows)] == [("a", 1, 1), ("b", 2, 1), ("c", 3, 2), ("d", 4, 2)]
    overlapping = [
        row(x, y, values, str((x, y) in apart - {("b", "c")}).lower()) for x, y in itertools.combinations("abcd", 2)
    ]
    assert {c[-1] for c in clusters(overlapping)} == {1}


def test_bad_input_is_stated() -> None:
    nan = float("nan")
    longer = [7.0, 8, 9]
    evidence = scores_only([A + longer, B + longer, [3.0] * 9, [1, 2, nan, 4, 5, 6, *longer]], [Y + longer, [0.0] * 9])
    by_pair = {
        (r.metric_a, r.metric_b, r.measure): r for r in differences(evidence, DifferencesAnalysis(complete=False))
    }
    assert by_pair["x0", "x2", "y0"].note == "a column is constant between units"
    assert by_pair["x0", "x1", "y1"].significant == "undefined"
    assert not any("x3" in pair for pair in by_pair)
    complete = {
        (r.metric_a, r.metric_b, r.measure): r for r in differences(evidence, DifferencesAnalysis(complete=True))
    }
    assert complete["x0", "x3", "y0"].n_systems == 8
    assert complete["x0", "x3", "y0"].note.startswith("over 8 of 9 systems")
    (few,) = differences(scores_only([[1, 2], [2, 1]], [[1, 2]]), DifferencesAnalysis())
    assert few.note == "2 systems: too few for this test"
    assert differences(scores_only([A], [Y])) == []


def test_on_the_published_scores_no_difference_to_bleu_is_significant() -> None:
    """Table 4 of Gowda et al. 2021: 0 of its 12 rows are significant; the smallest p is that of PS-EN In with MAP.

    Its BLEU and MacroF1 have ties, so the jackknife decides. Held against a delete-one jackknife of atanh of scipy's
    taus, with the variances that `estimates` gives: .133.
    """
    groups: dict[str, dict[str, list[float]]] = {}
    for record in read_table(table_path("embedded:gowda2021_clssts")).records():
        group = groups.setdefault(record["group"], {name: [] for name in ("BLEU", "MacroF1", "mAQWV", "MAP")})
        for name, values in group.items():
            values.append(float(record[name]))
    p_values = {}
    for group, columns in groups.items():
        if not group.endswith("Dev"):
            evidence = scores_only([columns["MacroF1"], columns["BLEU"]], [columns["mAQWV"], columns["MAP"]])
            for found in differences(evidence, DifferencesAnalysis(samples=9999)):
                p_values[group, found.measure] = found.p_value
    assert len(p_values) == 12
    smallest = min(p_values, key=lambda key: p_values[key])
    assert smallest == ("PS-EN In", "y1")
    a, b, y = (np.array(groups["PS-EN In"][name]) for name in ("MacroF1", "BLEU", "MAP"))
    n = len(y)
    whole = np.array([kendalltau(column, y).statistic for column in (a, b)])
    rest = np.array(
        [[kendalltau(np.delete(column, i), np.delete(y, i)).statistic for column in (a, b)] for i in range(n)]
    )
    influence = np.sqrt((n - 1) / n) * (rest - rest.mean(axis=0))

    def p_value(value: np.ndarray, each: np.ndarray) -> float:
        error = np.sqrt(((each[:, 0] - each[:, 1]) ** 2).sum())
        return float(2 * student.sf(abs(value[0] - value[1]) / error, n - 1))

    bent, z = influence / (1 - whole**2), np.arctanh(whole)
    variance = estimates(np.stack([a, b]), y, np.arange(n)).variance
    sized = bent * np.sqrt(variance / (influence**2).sum(axis=0))
    assert p_values[smallest] == pytest.approx(p_value(z, sized), abs=1e-9)
    assert p_values[smallest] > 0.05


def of_board(x: np.ndarray, y: np.ndarray, **metadata: tuple[str, ...]) -> Evidence:
    evidence = scores_only(x.tolist(), [y.tolist()])
    return replace(evidence, board=replace(evidence.board, metadata=metadata))


def test_nothing_is_claimed_along_training() -> None:
    """Two exchangeable metrics with AR(.9) noise around one curve: exchanges reject .3, so no test is made."""
    rng = np.random.default_rng(3)
    noise = np.zeros((3, 30))
    for t in range(1, 30):
        noise[:, t] = 0.9 * noise[:, t - 1] + rng.normal(size=3)
    rise = np.log(np.arange(1.0, 31.0))
    columns = rise + 0.2 * noise
    steps = tuple(str(1000 * t) for t in range(1, 31))
    (row,) = differences(of_board(columns[:2], columns[2], step=steps))
    assert np.isnan(row.p_value)
    assert row.significant == "undefined"
    assert "description only" in row.note
    assert list(clusters([row])) == []


def test_families_are_tested_by_units_alone() -> None:
    rng = np.random.default_rng(4)
    unit = np.repeat(np.arange(16), 4)
    y, a, b = (rng.normal(size=16)[unit] + 0.1 * rng.normal(size=64) for _ in range(3))
    family = tuple(f"f{i}" for i in unit)
    (row,) = differences(of_board(np.stack([y + 0.2 * a, b]), y, family=family))
    assert row.significant == "true"
    assert row.coefficient == "kendall between units"
    assert row.note == "jackknife over 16 units (family)"
    few = differences(of_board(np.stack([y + 0.2 * a, b])[:, :20], y[:20], family=family[:20]))
    assert few[0].note == "too few independent systems (5)"


def test_what_correction_makes_impossible_is_not_run_and_more_exchanges_are_drawn() -> None:
    rng = np.random.default_rng(5)
    six = differences(scores_only(rng.normal(size=(3, 6)).tolist(), rng.normal(size=(1, 6)).tolist()))
    assert {row.note for row in six} == {"not run: 6 systems and 3 pairs cannot give a corrected p below 0.05"}
    many = differences(
        scores_only(rng.normal(size=(12, 16)).tolist(), rng.normal(size=(1, 16)).tolist()),
        DifferencesAnalysis(samples=100),
    )
    assert {row.samples for row in many} == {2640}


@pytest.mark.parametrize("how", ["plain", "ties", "families"])
def test_false_positive_rate_with_ties_and_in_families(how: str) -> None:
    """Fixed seed, 200 worlds of 16 systems: equally good metrics in steps, or 8 units of 2 near-copies."""
    rng, called = np.random.default_rng(7), 0
    unit = np.repeat(np.arange(8), 2) if how == "families" else np.arange(16)
    family = {"family": tuple(map(str, unit))} if how == "families" else {}
    for _ in range(200):
        y, a, b = (rng.normal(size=unit[-1] + 1)[unit] + 0.1 * rng.normal(size=16) for _ in range(3))
        x = np.stack([y + a, y + b])
        x, y = (np.round(x), np.round(y)) if how == "ties" else (x, y)
        called += differences(of_board(x, y, **family), DifferencesAnalysis(samples=199))[0].p_value < 0.05
    assert called / 200 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)
