"""Evidence of the size of a real study, made up: the statistics of 8 metrics, the per-topic values of 6 measures."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import csr_array

from clirbench.labs.papers.error_rates import TER
from clirbench.metrics.base import Metric
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF, MicroF
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.evidence import Evidence
from clirbench.types import Doubles

SYSTEMS, SEGMENTS, TOPICS, TYPES, LENGTH = 38, 3000, 150, 12000, 20


@dataclass(frozen=True)
class Mean:
    """A measure that is the mean over its topics."""

    name: str
    higher_is_better: bool = True
    uses_qrels: bool = True
    signature: str = "mean"

    def per_topic(self, run: object, judged: object) -> Doubles:
        raise NotImplementedError("made evidence has its values already")

    def aggregate(self, values: Doubles) -> Doubles:
        return np.asarray(values.mean(axis=-1))


def made(sparse: bool = True, seed: int = 0, systems: int = SYSTEMS, segments: int = SEGMENTS) -> Evidence:
    """38 systems of graded quality; with `sparse`, MacroF1 and MicroF1 are two of the eight metrics."""
    rng = np.random.default_rng(seed)
    quality = np.linspace(0.25, 0.6, systems)
    names = tuple(f"system{i:02d}" for i in range(systems))
    metrics: list[Metric] = [BLEU(), ChrF(beta=1), ChrF(beta=2), ChrF(beta=3), ChrF(beta=2, word_order=2), TER()]
    metrics += (
        [MacroF(), MicroF()]
        if sparse
        else [BLEU(lowercase=True, name="BLEUlc"), TER(case_sensitive=True, name="TERcs")]
    )
    reference = _zipf(rng, segments)
    columns, statistics, per_topic = [], {}, {}
    for metric in metrics:
        make = _maker(metric, rng, segments, reference)
        for name, q in zip(names, quality, strict=True):
            if isinstance(metric, MicroF):  # the same counts as MacroF's
                statistics[metric.name, name] = statistics["MacroF1", name]
            else:
                statistics[metric.name, name] = make(float(np.clip(q + 0.02 * rng.normal(), 0.05, 0.95)))
        totals = [np.asarray(statistics[metric.name, name].sum(axis=0)).reshape(-1) for name in names]
        scores = np.array([float(metric.score(total)) for total in totals])
        columns.append(Column(metric.name, "metric", scores, metric.higher_is_better))
    measures = {name: Mean(name) for name in ("MAP", "RBO", "nDCG", "P@10", "R@10", "AQWV")}
    for name in measures:
        noise = 0.2 * rng.normal(size=(1, TOPICS)) + 0.2 * rng.normal(size=(systems, TOPICS))
        per_topic[name] = np.clip(quality[:, None] + noise, 0, 1)
        columns.append(Column(name, "measure", per_topic[name].mean(axis=1)))
    board = Scoreboard(names, tuple(columns))
    return Evidence(board, statistics, {metric.name: metric for metric in metrics}, per_topic, measures)


def _maker(metric: Metric, rng: np.random.Generator, segments: int, reference: list[Doubles]):  # type: ignore[no-untyped-def]
    if isinstance(metric, MacroF | MicroF):
        return partial(_types, rng, reference)
    if isinstance(metric, BLEU):
        return partial(_bleu, rng, segments)
    if isinstance(metric, TER):
        return lambda q: np.stack([rng.binomial(LENGTH, 1 - q, segments), np.full(segments, LENGTH)], 1).astype(float)
    orders = 8 if metric.name == "chrF++" else 6
    return partial(_chrf, rng, segments, orders)


def _bleu(rng: np.random.Generator, segments: int, q: float) -> Doubles:
    length = rng.integers(10, 30, segments)
    counts = np.stack([length - order for order in range(4)], 1)
    matches = rng.binomial(counts, q ** np.arange(1, 5))
    return np.column_stack([length, length, matches, counts]).astype(np.float64)


def _chrf(rng: np.random.Generator, segments: int, orders: int, q: float) -> Doubles:
    counts = rng.integers(60, 150, segments)[:, None] - np.arange(orders)
    matches = rng.binomial(counts, q ** (np.arange(orders) / 3 + 0.5))
    return np.stack([counts, counts, matches], axis=2).reshape(segments, -1).astype(np.float64)


def _zipf(rng: np.random.Generator, segments: int) -> list[Doubles]:
    share = 1 / np.arange(1, TYPES + 1)
    drawn = rng.choice(TYPES, size=(segments, LENGTH), p=share / share.sum())
    return [np.bincount(tokens, minlength=0) for tokens in drawn]


def _types(rng: np.random.Generator, reference: list[Doubles], q: float) -> "csr_array":
    rows, cols, values = [], [], []
    for segment, counts in enumerate(reference):
        types = np.flatnonzero(counts)
        refs = counts[types]
        preds = rng.binomial(refs, q)
        wrong = rng.integers(TYPES, size=int(refs.sum() - preds.sum()))
        for part, (ids, found) in enumerate(
            [(types, refs), (types, preds), (types, preds), (wrong, np.ones(len(wrong)))]
        ):
            rows.append(np.full(len(ids), segment))
            cols.append(3 * ids + (1 if part == 3 else part))
            values.append(found)
    data = (np.concatenate(values).astype(float), (np.concatenate(rows), np.concatenate(cols)))
    table = csr_array(data, shape=(len(reference), 3 * TYPES))
    table.sum_duplicates()
    table.eliminate_zeros()
    return table
