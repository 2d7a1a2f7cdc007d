"""Losses, contrasts and intervals; expected values are worked by hand from tables small enough to do so."""

from math import isnan, nan

import numpy as np
import pytest
from scipy.stats import bootstrap

from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.papers.statistics.sensitivity import Contrast, Loss, LossCurve, contrasts, losses, sensitivity
from clirbench.scoreboard import Column, Scoreboard

KINDS = ("none", "order", "order", "terms", "terms")
RATES = ("0", "0.2", "0.1", "0.1", "0.2")


def board(kinds: tuple[str, ...] = KINDS, rates: tuple[str, ...] = RATES, **changes: list[float]) -> Scoreboard:
    values = {
        "BLEU": [50.0, 25.0, 40.0, 45.0, 40.0],
        "TER": [0.0, 30.0, 10.0, 5.0, 20.0],
        "MAP": [0.8, 0.8, 0.8, 0.4, 0.2],
    } | changes
    columns = [
        Column(name, "measure" if name == "MAP" else "metric", np.array(column), name != "TER")
        for name, column in values.items()
    ]
    systems = tuple(f"s{i}" for i in range(len(kinds)))
    return Scoreboard(systems, tuple(columns), {"kind": kinds, "rate": rates})


def lost(curve: LossCurve) -> list[float]:
    return [row.loss for row in curve.rows]


def test_a_loss_is_a_share_of_the_perfect_score() -> None:
    found = sensitivity(board())
    assert found.kinds == ("order", "terms")
    assert found.columns == ("BLEU", "TER", "MAP")
    assert [row.rate for row in found.of("order", "BLEU").rows] == [0.1, 0.2]
    assert lost(found.of("order", "BLEU")) == pytest.approx([0.2, 0.5])
    assert lost(found.of("terms", "MAP")) == pytest.approx([0.5, 0.75])
    assert lost(found.of("order", "TER")) == pytest.approx([0.1, 0.3])  # an error rate: of 100


def test_a_loss_between_measured_rates_is_on_the_straight_line() -> None:
    curve = sensitivity(board()).of("order", "BLEU")
    assert [curve.at(rate) for rate in (0.0, 0.05, 0.1, 0.15, 0.2)] == pytest.approx([0, 0.1, 0.2, 0.35, 0.5])
    assert isnan(curve.at(0.3))


def test_kinds_are_compared_at_a_rate_that_all_reach() -> None:
    assert sensitivity(board()).rate == 0.1
    assert sensitivity(board(rates=("0", "0.02", "0.01", "0.1", "0.2"))).rate == 0.02


def test_contrasts_stand_in_the_order_of_harm_to_retrieval() -> None:
    found = contrasts(sensitivity(board()), "BLEU", "MAP")
    assert [(row.kind, row.verdict) for row in found] == [("terms", "retrieval"), ("order", "metric")]
    assert (found[0].metric_loss, found[0].measure_loss) == pytest.approx((0.1, 0.5))
    with pytest.raises(UnknownName, match=r"unknown column 'MAPP'. Did you mean 'MAP'"):
        contrasts(sensitivity(board()), "BLEU", "MAPP")


@pytest.mark.parametrize(
    ("metric_loss", "measure_loss", "verdict"),
    [
        (0.2, 0.26, "retrieval"),
        (0.2, 0.24, "alike"),
        (0.24, 0.2, "alike"),
        (0.26, 0.2, "metric"),
        (0.3, 0.0, "metric"),
        (0.3, -0.01, "metric"),
        (-0.01, 0.3, "retrieval"),
        (0.01, 0.0, "neither"),
        (nan, 0.3, "neither"),
    ],
)
def test_clearly_more_is_by_a_quarter(metric_loss: float, measure_loss: float, verdict: str) -> None:
    assert Contrast("terms", "BLEU", "MAP", 0.1, metric_loss, measure_loss).verdict == verdict


def test_rows_say_everything() -> None:
    found = losses(sensitivity(board()))
    assert len(found) == 2 * 3 * 2
    assert found[0] == Loss(
        kind="order",
        role="metric",
        column="BLEU",
        rate=0.1,
        value=40.0,
        loss=pytest.approx(0.2),
        ci_low=pytest.approx(nan, nan_ok=True),
        ci_high=pytest.approx(nan, nan_ok=True),
    )


def test_intervals_are_those_of_topics_resampled_in_pairs() -> None:
    """scipy's paired percentile bootstrap of the same statistic, with its own random numbers."""
    random = np.random.default_rng(7)
    perfect = random.uniform(0.5, 1, 40)
    topics = np.stack([perfect, perfect, perfect, perfect * random.uniform(0, 1, 40), np.zeros(40)])
    values = topics.mean(axis=1).tolist()
    found = sensitivity(board(MAP=values), per_topic={"MAP": topics}).of("terms", "MAP")
    expected = bootstrap(
        (topics[3], topics[0]),
        lambda a, b, axis: 1 - a.mean(axis) / b.mean(axis),
        paired=True,
        method="percentile",
        n_resamples=5000,
        rng=1,
    ).confidence_interval
    assert found.interval(0.1) == pytest.approx((expected.low, expected.high), abs=0.015)
    assert found.interval(0.1)[0] < lost(found)[0] < found.interval(0.1)[1]
    assert found.interval(0.2) == (1.0, 1.0)
    assert all(map(isnan, found.interval(0.15)))
    assert all(map(isnan, sensitivity(board()).of("terms", "MAP").interval(0.1)))


def test_a_hole_leaves_its_rate_out_and_a_perfect_score_of_zero_loses_nothing_that_can_be_named() -> None:
    found = sensitivity(board(BLEU=[50.0, 25.0, nan, 45.0, 40.0], MAP=[0.0, 0.0, 0.0, 0.0, 0.0]))
    assert [row.rate for row in found.of("order", "BLEU").rows] == [0.2]
    assert found.of("order", "BLEU").at(0.1) == pytest.approx(0.25)
    assert isnan(lost(found.of("terms", "MAP"))[0])


def test_a_table_without_kinds_rates_or_the_perfect_translation_is_refused() -> None:
    plain = board()
    with pytest.raises(ConfigError, match=r"no metadata column 'kind'; choose systems=sensitivity"):
        sensitivity(Scoreboard(plain.systems, plain.columns, {"rate": RATES}))
    with pytest.raises(ConfigError, match=r"a rate is no number .*'a lot'"):
        sensitivity(board(rates=("0", "0.1", "a lot", "0.1", "0.2")))
    with pytest.raises(ConfigError, match=r"exactly one system of kind 'none'.*kinds here: order, terms"):
        sensitivity(board(kinds=("order", *KINDS[1:])))
