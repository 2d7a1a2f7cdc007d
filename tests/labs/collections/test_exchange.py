"""The scale of a metric, learned in made worlds whose scale is known."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import truncnorm

from benchmarks.memory import pairs_of, reliability, told
from clirbench.labs.collections.memory import CENTRES, STRATUM, Told, learn
from clirbench.types import Doubles

TOPICS = 120


def collection(rng: np.random.Generator, systems: int, scale: float) -> tuple[Doubles, Doubles]:
    """(metric, per topic) of systems whose quality is .01 a point, off by scale * .01 / sqrt(2)."""
    slope = np.exp(rng.normal(np.log(0.01), 0.3))
    metric = rng.normal(55, 4, systems)
    quality = slope * (metric - 55) + rng.normal(0, slope * scale / 2**0.5, systems)
    return metric, quality[:, None] + rng.normal(0, 0.12, (systems, TOPICS)) + rng.normal(0, 0.2, TOPICS)


def world(
    rng: np.random.Generator, clusters: int, systems: tuple[int, int], centre: float, spread: float
) -> list[Told]:
    made = []
    for number in range(clusters):
        scale = float(np.exp(rng.normal(centre, spread)))
        made.append(told(f"pair {number}", *collection(rng, int(rng.integers(*systems)), scale)))
    return made


def truth(centre: float, spread: float, gap: float) -> float:
    """P(truly better | gap) of the average collection, by summing over normal log scales."""
    z = np.linspace(-6, 6, 4001)
    weights = np.exp(-z * z / 2)
    return float(ndtr(gap / np.exp(centre + spread * z)) @ weights / weights.sum())


def test_a_scale_is_found_again() -> None:
    belief = learn(world(np.random.default_rng(1), 40, (12, 20), np.log(2.0), 0.2))
    assert belief.probability(np.array([1.0, 2.0, 6.0])) == pytest.approx(
        [truth(np.log(2.0), 0.2, gap) for gap in (1.0, 2.0, 6.0)], abs=0.04
    )
    low, high = belief.interval(2.0)
    assert low < truth(np.log(2.0), 0.2, 2.0) < high < low + 0.15


def test_a_gap_of_nothing_says_nothing_and_a_wide_one_all() -> None:
    belief = learn(world(np.random.default_rng(2), 8, (8, 12), 0.0, 0.3))
    assert belief.probability(np.array([0.0, 400.0])) == pytest.approx([0.5, 1.0])
    assert np.all(np.diff(belief.probability(np.linspace(0, 10, 30))) > 0)
    assert float(belief.probability(np.float64(2), 5.0)) < float(belief.probability(np.float64(2)))


def test_what_nothing_told_leaves_the_prior() -> None:
    known = learn(world(np.random.default_rng(3), 30, (12, 16), np.log(4.0), 0.1))
    ends = (CENTRES[[0, -1]] - known.centre) / STRATUM  # the grid cuts the normal prior
    assert learn([], known).centre == pytest.approx(truncnorm.mean(*ends, known.centre, STRATUM), abs=0.02)
    assert learn([]).posterior.sum() == pytest.approx(1.0)


def test_pairs_point_where_the_metric_points() -> None:
    """By hand: systems of 3, 1 and 1 points; the second topic is .2 better for the first system."""
    values = np.array([[0.5, 0.7], [0.5, 0.5], [0.6, 0.5]])
    found = pairs_of(np.array([3.0, 1.0, 1.0]), values)
    assert found.gap.tolist() == [2.0, 2.0]
    assert found.gain == pytest.approx([0.1, 0.05])
    assert found.level.tolist() == [2.0, 2.0]
    assert found.error == pytest.approx([0.1, 0.15])  # half the distance of two values


def test_a_collection_does_not_foretell_itself() -> None:
    rng = np.random.default_rng(4)
    made = [collection(rng, 10, 1.0) for _ in range(6)]
    stratum = [(told(f"pair {n}", *one), pairs_of(*one)) for n, one in enumerate(made)]
    predicted, seen, weight = reliability(stratum)
    assert len(predicted) == len(seen) == 6 * 45
    assert weight.sum() == pytest.approx(6)
    alone = reliability(stratum[:1] * 2)
    assert [len(part) for part in alone] == [0, 0, 0], "both are of one language pair"


@pytest.mark.slow
@pytest.mark.parametrize("centres", [(0, 0, 0, 0), (0, 0.5, -0.5, 0.3), (0, 0, 0, 1.2), (0, 0, 0, -1.2)])
def test_a_stratum_is_drawn_to_the_others_and_its_interval_holds(centres: tuple[float, ...]) -> None:
    """As the answer is made: small strata, drawn to the centre of all, their own among them; 86 of 100 as above."""
    hits = {(stratum, gap): 0 for stratum in range(4) for gap in (0.5, 1.0, 3.0)}
    for seed in range(100):
        rng = np.random.default_rng([31, seed])
        strata = [world(rng, 8, (4, 12), centre, 0.4) for centre in centres]
        of_all = learn([one for part in strata for one in part])
        for stratum, gap in hits:
            low, high = learn(strata[stratum], of_all).interval(gap)
            hits[stratum, gap] += low - 1e-9 <= truth(centres[stratum], 0.4, gap) <= high + 1e-9
    assert min(hits.values()) >= 86, hits
