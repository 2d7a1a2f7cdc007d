"""Two systems: sacreBLEU's own p-values, seed 001's win shares by enumeration, IR measures, type averages."""

import itertools
from collections import Counter

import numpy as np
import pytest
from sacrebleu.metrics import BLEU as SacreBLEU
from sacrebleu.metrics import CHRF as SacreCHRF
from sacrebleu.significance import PairedTest

from clirbench.errors import ConfigError, UnknownName
from clirbench.metrics.base import Metric, Typed
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF, MicroF
from clirbench.metrics.query_aware import TermF
from clirbench.retrieval.analyzers.english import English
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.pairs import compare_pairs, drawn_items
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


@pytest.mark.parametrize(("test", "theirs", "samples"), [("bootstrap", "bs", 300), ("randomisation", "ar", 500)])
def test_sacrebleu_p_values_with_its_seed(test: str, theirs: str, samples: int) -> None:
    evidence, reference, systems = evidence_of([BLEU(), ChrF(beta=2)])
    library = {"BLEU": SacreBLEU(), "chrF2": SacreCHRF()}
    _, results = PairedTest(list(systems.items()), library, [list(reference)], test_type=theirs, n_samples=samples)()
    rows = compare_pairs(evidence, [test], pairs=[("close", "base"), ("worse", "base")], samples=samples)
    for row in rows:
        expected = results[row.column][list(systems).index(row.system_a)]
        assert row.score_a == pytest.approx(expected.score)
        # sacreBLEU sums in float32: a sample at the very edge may fall on the other side
        assert row.p_value == pytest.approx(expected.p_value, abs=1.5 / (samples + 1))
        assert row.items == "segments"
    assert rows[0].p_value > 0.05 > rows[1].p_value


def test_win_shares_of_three_hand_pairs() -> None:
    # three topics: a - b is 3, -1, -1; the 27 resamples have known signs of the sum
    evidence = world(n=2, topics=3)
    values = np.array([[0.9, 0.2, 0.3], [0.6, 0.3, 0.4]])
    board = Scoreboard(("a", "b"), (Column("y0", "measure", values.mean(axis=1)),))
    evidence = Evidence(board, per_topic={"y0": values}, measures=evidence.measures)
    signs = Counter(
        int(np.sign(round(sum((3, -1, -1)[i] for i in drawn)))) for drawn in itertools.product(range(3), repeat=3)
    )
    (row,) = compare_pairs(evidence, samples=20_000)
    shares = (row.wins_a, row.wins_b, row.ties)
    assert shares == pytest.approx([signs[1] / 27, signs[-1] / 27, signs[0] / 27], abs=0.015)
    assert row.difference == pytest.approx(1 / 30)
    assert (row.items, row.n_items) == ("topics", 3)


def test_half_sampling_draws_half_without_replacement() -> None:
    drawn = drawn_items(9, 50, "half", 1)
    assert drawn.shape == (50, 4)
    assert all(len(set(items)) == 4 for items in drawn.tolist())
    row = compare_pairs(world(n=2), samples=50, sampling="half")[0]
    assert row.sampling == "half"


@pytest.mark.parametrize("metric", [MacroF(), MicroF(), TermF(English())], ids=lambda metric: metric.name)
def test_exchange_of_type_averages_equals_scoring_the_mixed_texts(metric: MacroF) -> None:
    evidence, reference, systems = evidence_of([metric])
    (row,) = compare_pairs(evidence, ["randomisation"], pairs=[("close", "base")], samples=40, seed=7)
    coins = np.random.default_rng(7).integers(2, size=(40, len(reference)), dtype=bool)
    test, hits = TestSet((reference,)), 0
    for keep in coins:
        scores = []
        for own, other in (("close", "base"), ("base", "close")):
            lines = tuple(a if k else b for k, a, b in zip(keep, systems[own], systems[other], strict=True))
            scores.append(float(metric.score(np.asarray(metric.statistics(lines, test).sum(axis=0)).reshape(-1))))
        hits += abs(scores[0] - scores[1]) > abs(row.difference)
    assert row.p_value == pytest.approx((hits + 1) / 41)


def test_without_type_names_the_exchange_says_why() -> None:
    evidence, _, _ = evidence_of([MacroF()])
    bare = Evidence(evidence.board, evidence.statistics, evidence.metrics)
    assert "needs the names of the types" in compare_pairs(bare, ["randomisation"], samples=10)[0].note
    assert compare_pairs(bare, samples=10)[0].p_value > 0


def test_all_pairs_and_holm() -> None:
    rows = [row for row in compare_pairs(world(n=5), samples=200) if row.column == "m0"]
    assert len(rows) == 10
    assert all(row.p_holm >= row.p_value for row in rows)
    same = compare_pairs(world(n=5), ["bootstrap", "randomisation"], samples=50)
    assert {row.column for row in same} == {"m0", "m1", "y0"}
    assert {row.test for row in same} == {"bootstrap", "randomisation"}


def test_errors_and_scores_without_items() -> None:
    assert compare_pairs(scores_only([[1, 2, 3]], [[1, 2, 3]])) == []
    with pytest.raises(UnknownName, match="test of two systems 'ar'"):
        compare_pairs(world(), ["ar"])
    with pytest.raises(UnknownName, match="system 's1'"):
        compare_pairs(world(), pairs=[("s00", "s1")])
    with pytest.raises(ConfigError, match="sampling=all"):
        compare_pairs(world(), sampling="all")


def test_false_positive_rates() -> None:
    """Equal systems: sacreBLEU's bootstrap p is one-sided, about .1 at .05; randomisation keeps .05."""
    rng = np.random.default_rng(4)
    called = {"bootstrap": 0, "randomisation": 0}
    runs = 300
    for _ in range(runs):
        values = rng.normal(size=(2, 60))
        board = Scoreboard(("a", "b"), (Column("y0", "measure", values.mean(axis=1)),))
        evidence = Evidence(board, per_topic={"y0": values}, measures=world(n=2).measures)
        for row in compare_pairs(evidence, list(called), samples=200):
            called[row.test] += row.p_value < 0.05
    assert 0.06 < called["bootstrap"] / runs < 0.16
    assert called["randomisation"] / runs <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
