"""Randomisation: hand-counted cases, ties, correction for all pairs, and its error rate."""

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from sacrebleu.metrics import BLEU as SacreBLEU
from sacrebleu.metrics import CHRF as SacreCHRF
from sacrebleu.significance import PairedTest

from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.papers.metrics.query_aware import TermF
from clirbench.labs.papers.statistics import jackknife
from clirbench.labs.papers.statistics.exchange import Typed
from clirbench.labs.papers.statistics.jackknife import drawn_blocks
from clirbench.labs.papers.statistics.pair_tests import PairTests, best_against_rest, compare_systems
from clirbench.metrics.base import Metric
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF, MicroF
from clirbench.retrieval.analyzers.english import English
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.evidence import Evidence
from clirbench.types import TestSet
from tests.statistics.worlds import scores_only, world

VOCABULARY = "a the cat dog sat on mat in house red blue bird flew over tree and then slept"


def texts(seed: int = 0, n: int = 60) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """A reference of random words and three systems that get some of them wrong."""
    rng = np.random.default_rng(seed)
    words = np.array(VOCABULARY.split(" "))
    reference = [words[rng.integers(len(words), size=rng.integers(6, 14))] for _ in range(n)]
    systems = {}
    for name, share in (("base", 0.3), ("close", 0.32), ("worse", 0.5)):
        lines = []
        for line in reference:
            wrong = rng.random(len(line)) < share
            lines.append(
                " ".join(np.where(wrong, words[rng.integers(len(words), size=len(line))], line)) + f" {name[0]}x"
            )
        systems[name] = tuple(lines)
    return tuple(" ".join(line) for line in reference), systems


def evidence_of(metrics: list[Metric]) -> tuple[Evidence, tuple[str, ...], dict[str, tuple[str, ...]]]:
    reference, systems = texts()
    test = TestSet((reference,))
    statistics, types, columns = {}, {}, []
    for metric in metrics:
        for name, lines in systems.items():
            statistics[metric.name, name] = metric.statistics(lines, test)
            if isinstance(metric, Typed):
                types[metric.name, name] = metric.types(lines, test)
        scores = [
            float(metric.score(np.asarray(statistics[metric.name, name].sum(axis=0)).reshape(-1))) for name in systems
        ]
        columns.append(Column(metric.name, "metric", np.array(scores), metric.higher_is_better))
    board = Scoreboard(tuple(systems), tuple(columns))
    return Evidence(board, statistics, {m.name: m for m in metrics}, types=types), reference, systems


def test_best_against_the_rest_is_the_default() -> None:
    rows = compare_systems(world(n=5, topics=40))
    assert {row.column for row in rows} == {"m0", "m1", "y0"}
    mine = [row for row in rows if row.column == "y0"]
    assert {row.system_a for row in mine} == {"e04"}
    assert len(mine) == 4
    assert all(row.family == 10 for row in mine)
    assert mine[-1].system_b == "a00"
    assert mine[-1].p_holm < 0.05


def test_what_cannot_be_found_is_not_run() -> None:
    rows = compare_systems(world(n=5, topics=5, noise=()))
    assert all(np.isnan(row.p_value) for row in rows)
    assert "5 items and 10 pairs" in rows[0].note
    few = compare_systems(world(n=5, topics=40, noise=()), PairTests(samples=100))
    assert "not run" in few[0].note


def test_wrong_names() -> None:
    with pytest.raises(UnknownName, match="randomisation"):
        PairTests(tests=["bootstrap"])
    with pytest.raises(ConfigError, match="at least 1"):
        PairTests(samples=0)
    assert compare_systems(scores_only([[1, 2]], [[1, 2]])) == []
    assert best_against_rest(scores_only([[1, 3, 2]], [[1, 2, 3]]), "x0") == [(1, 2), (1, 0)]
    with pytest.raises(UnknownName, match="sampling 'all'"):
        PairTests(sampling="all")


@pytest.mark.parametrize(("test", "theirs", "samples"), [("sacrebleu", "bs", 300), ("randomisation", "ar", 500)])
def test_sacrebleu_p_values_with_its_seed(test: str, theirs: str, samples: int) -> None:
    evidence, reference, systems = evidence_of([BLEU(), ChrF(beta=2)])
    library = {"BLEU": SacreBLEU(), "chrF2": SacreCHRF()}
    _, results = PairedTest(list(systems.items()), library, [list(reference)], test_type=theirs, n_samples=samples)()
    rows = [
        row
        for name in ("close", "worse")
        for row in compare_systems(evidence, PairTests((name, "base"), [test], samples))
    ]
    for row in rows:
        expected = results[row.column][list(systems).index(row.system_a)]
        assert row.score_a == pytest.approx(expected.score)
        # sacreBLEU sums in float32: a sample at the very edge may fall on the other side
        assert row.p_value == pytest.approx(expected.p_value, abs=1.5 / (samples + 1))
        assert row.items == "segments"
    assert rows[0].p_value > 0.05 > rows[2].p_value


def test_win_shares_of_three_hand_pairs() -> None:
    # three topics: a - b is 3, -1, -1; the 27 resamples have known signs of the sum
    evidence = world(n=2, topics=3)
    values = np.array([[0.9, 0.2, 0.3], [0.6, 0.3, 0.4]])
    board = Scoreboard(("a", "b"), (Column("y0", "measure", values.mean(axis=1)),))
    evidence = Evidence(board, per_topic={"y0": values}, measures=evidence.measures)
    signs = Counter(
        int(np.sign(round(sum((3, -1, -1)[i] for i in drawn)))) for drawn in itertools.product(range(3), repeat=3)
    )
    (row,) = compare_systems(evidence, PairTests(tests=["koehn"], samples=20_000))
    shares = (row.wins_a, row.wins_b, row.ties)
    assert shares == pytest.approx([signs[1] / 27, signs[-1] / 27, signs[0] / 27], abs=0.015)
    assert row.difference == pytest.approx(1 / 30)
    assert (row.items, row.n_items) == ("topics", 3)


def test_half_sampling_draws_half_without_replacement() -> None:
    (drawn,) = drawn_blocks(9, 50, "half", 1)
    assert drawn.shape == (50, 4)
    assert all(len(set(items)) == 4 for items in drawn.tolist())
    row = compare_systems(world(n=2), PairTests(samples=50, sampling="half"))[0]
    assert row.sampling == "half"


@pytest.mark.parametrize("metric", [MacroF(), MicroF(), TermF(English())], ids=lambda metric: metric.name)
def test_exchange_of_type_averages_equals_scoring_the_mixed_texts(metric: MacroF) -> None:
    evidence, reference, systems = evidence_of([metric])
    (row,) = compare_systems(evidence, PairTests(("close", "base"), samples=40, seed=7))
    coins = np.random.default_rng(7).integers(2, size=(40, len(reference)), dtype=bool)
    test, hits = TestSet((reference,)), 0
    for keep in coins:
        scores = []
        for own, other in (("close", "base"), ("base", "close")):
            lines = tuple(a if k else b for k, a, b in zip(keep, systems[own], systems[other], strict=True))
            scores.append(float(metric.score(np.asarray(metric.statistics(lines, test).sum(axis=0)).reshape(-1))))
        hits += abs(scores[0] - scores[1]) >= abs(row.difference) - 1e-9
    assert row.p_value == pytest.approx((hits + 1) / 41)


def test_without_type_names_the_exchange_says_why() -> None:
    evidence, _, _ = evidence_of([MacroF()])
    bare = Evidence(evidence.board, evidence.statistics, evidence.metrics)
    assert "needs the names of the types" in compare_systems(bare)[0].note
    assert compare_systems(bare, PairTests(tests=["sacrebleu"]))[0].p_value > 0


def test_a_named_pair_is_a_family_of_its_own_and_its_holes_alone_matter() -> None:
    evidence = world(n=5, topics=40)
    values = [
        replace(column, values=np.where(np.arange(5) == 2, np.nan, column.values)) for column in evidence.board.columns
    ]
    holed = replace(evidence, board=replace(evidence.board, columns=tuple(values)))
    assert compare_systems(holed) == []
    rows = compare_systems(holed, PairTests(("e04", "a00")))
    assert {row.column for row in rows} == {"m0", "m1", "y0"}
    assert all(row.family == 1 and row.p_holm == row.p_value for row in rows)


def test_blocks_of_draws_are_those_of_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    items = next(drawn_blocks(20, 200, "replacement", 3))
    monkeypatch.setattr(jackknife, "HELD", 20)
    assert len(list(drawn_blocks(20, 200, "replacement", 3))) == 4
    assert np.array_equal(np.concatenate(list(drawn_blocks(20, 200, "replacement", 3))), items)


def test_false_positive_rates() -> None:
    """Equal systems: sacreBLEU's p is one-sided, about .1 at .05; randomisation keeps .05."""
    rng = np.random.default_rng(4)
    called = {"sacrebleu": 0, "randomisation": 0}
    runs = 300
    for _ in range(runs):
        values = rng.normal(size=(2, 60))
        board = Scoreboard(("a", "b"), (Column("y0", "measure", values.mean(axis=1)),))
        evidence = Evidence(board, per_topic={"y0": values}, measures=world(n=2).measures)
        for row in compare_systems(evidence, PairTests(tests=list(called), samples=200)):
            called[row.test] += row.p_value < 0.05
    assert 0.06 < called["sacrebleu"] / runs < 0.16
    assert called["randomisation"] / runs <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
