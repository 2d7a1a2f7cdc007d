"""`analysis=[power]`: how many systems and topics would show a difference between a run's two best metrics?

Simulated from a normal copula, which is all that tau feels: true values of two metrics and the measure have the
correlations behind the taus that are assumed, and each column has noise of its own reliability. Resampling the systems
themselves would make ties and pretend that these are all there are.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import asin, ceil, inf, isnan, nan, pi, sin, sqrt

import numpy as np

from clirbench.errors import ConfigError
from clirbench.pages import Table, fixed, short
from clirbench.report.facts import sizes
from clirbench.result import Result
from clirbench.statistics.agreement import taus
from clirbench.statistics.belonging import Units, units_of
from clirbench.statistics.ceiling import between_error, measure_noise, metric_errors, variance_between
from clirbench.statistics.grades import EXHAUSTIVE, SAMPLES, Evidence, gap, panels, unit_swaps
from clirbench.types import Doubles, Ints

POWER = (
    "How often the test of analysis=[differences], its p times the number of pairs of metrics, would find a difference "
    "in noise-free tau between the two best metrics; and how many systems, or topics, would make it as likely as "
    "wanted. Simulated from a normal copula of both metrics and the measure, with the noise that resampling shows."
)
SYSTEMS = (8, 12, 16, 24, 32, 48, 64)
TOPICS = (25, 50, 100, 150, 250, 500, 1000, 2500)
STEP = 0.02
"""Differences in tau that are tried lie so far apart."""
SCREEN = 100
"""Exchanges after which a difference that four times alpha of them reach is taken for not significant."""
Test = Callable[[Doubles, Doubles], float]
"""(2, n) of two metrics, (n,) of the measure -> two-sided p of their difference, uncorrected."""


@dataclass(frozen=True)
class Power:
    """How often the shipped test finds, with p times `family` pairs, that metric_a predicts better than metric_b.

    `tau_a`: assumed noise-free tau of the better one, that of the run; metric_b's is `difference` lower. `power` +-
    `error` (its standard error) in [0, 1]; `smallest`: the smallest difference that would be found with probability
    `wanted` at this number of systems and topics, NaN where none that is possible would be. `systems_needed`: the
    fewest with power >= `wanted` at today's topics; `topics_needed`: the fewest topics at today's number of systems
    (inf: more than was tried, or no number would do; NaN where topics are not known).
    """

    measure: str
    metric_a: str
    metric_b: str
    tau_a: float
    difference: float
    wanted: float
    alpha: float
    power: float
    error: float
    smallest: float
    systems_needed: float
    topics_needed: float
    family: int
    n_systems: int
    n_topics: int
    simulations: int
    seed: int
    note: str = ""


@dataclass(frozen=True)
class PowerAnalysis:
    """How many systems and topics would it take? Table `power`.

    `differences` of noise-free tau that are simulated; `wanted`: the power that is enough. A run that cannot be
    modelled (fewer than 3 units or 2 metrics, or along training) gives no rows.
    """

    differences: Sequence[float] = (0.05, 0.1, 0.2)
    wanted: float = 0.8
    alpha: float = 0.05
    simulations: int = 100
    seed: int = 0

    def tables(self, result: Result) -> Sequence[Table]:
        rows = power_table(result.evidence, self, result.units)
        text = (POWER, sizes(result.evidence, self.simulations, self.seed))
        return (Table.of("power", "How many systems and topics would it take?", Power, rows, text),)


def power_table(evidence: Evidence, asked: PowerAnalysis = PowerAnalysis(), units: Units | None = None) -> list[Power]:
    """A row for every measure and size of difference, for the best metric and the next below it.

    Columns with holes are left out. Taus of the run are freed of noise (`without_noise`); each unit is simulated as
    one system. Where that is impossible for a metric (it puts the systems in the order of the best one, or no systems
    could have the three taus) the next one below is taken; if none will do, power is NaN, with the reason in the note.
    Metrics that agree with each other at tau_ab differ by at most 1 - tau_ab: where no size is below that, the largest
    that is possible is simulated besides.
    None for fewer than 3 units or 2 metrics, and along training, where no difference is claimed.
    """
    part, _ = next(iter(panels(evidence)))
    units = units_of(evidence.board) if units is None else units
    if len(part.metric_names) < 2 or units.number < 3 or units.along_training or not len(part.systems):
        return []
    reliable_x, reliable_y = reliabilities(part, units.index, asked.seed)
    rows: list[Power] = []
    for k, measure in enumerate(part.measure_names):
        seen = np.array([taus(x, part.y[k], units.index)[0] for x in part.x])
        a, *others = [int(m) for m in np.argsort(-seen, kind="stable") if np.isfinite(seen[m])] or [0]
        if not others:
            continue
        pairs = len(others) * (len(others) + 1) // 2
        row = Power(
            measure, part.metric_names[a], part.metric_names[others[0]], nan, nan, asked.wanted, asked.alpha, nan, nan,
            nan, nan, nan, pairs, units.number, part.topics(measure), asked.simulations, asked.seed,
        )  # fmt: skip
        notes = [] if units.independent else [f"as many systems as units ({units.source})"]
        for b in others:
            names = part.metric_names[a], part.metric_names[b]
            between = float(taus(part.x[a], part.x[b], units.index)[0])
            reliability = np.array([reliable_x[a], reliable_x[b], reliable_y[k]])
            try:
                model = Copula.of(names, (between, float(seen[a]), float(seen[b])), reliability)
            except ConfigError as problem:
                notes.append(str(problem))
                continue
            row = replace(row, metric_b=names[1], tau_a=model.tau_a, note="; ".join(dict.fromkeys(notes)))
            rows += _rows(model, asked.differences, row)
            break
        else:
            rows.append(replace(row, note=f"not simulated: {'; '.join(dict.fromkeys(notes))}"))
    return rows


@dataclass(frozen=True)
class Copula:
    """What is assumed of two metrics and the measure, in this order.

    `tau_a`, `tau_b` in (-1, 1): noise-free tau of each metric with the measure; `between`: of the metrics.
    `reliability` (3,) in (0, 1]: share of each column's variance over systems that is not noise.
    """

    tau_a: float
    tau_b: float
    between: float
    reliability: Doubles

    @classmethod
    def of(cls, names: Sequence[str], seen: Sequence[float], reliability: Doubles) -> "Copula":
        """From taus as measured: of a with b, of a and of b with the measure; `ConfigError` where none can be."""
        labels, true = (*names, "the measure"), list[float]()
        for tau, (i, j) in zip(seen, ((0, 1), (0, 2), (1, 2)), strict=True):
            true.append(without_noise(tau, reliability[i], reliability[j]))
            if isnan(true[-1]) and tau > 1 - 1e-9:
                raise ConfigError(f"{labels[i]} and {labels[j]} put all systems in one order (tau 1)")
            if isnan(true[-1]):
                known = f"{fixed(tau, 3)}, reliabilities {fixed(reliability[i], 2)} and {fixed(reliability[j], 2)}"
                raise ConfigError(f"the tau of {labels[i]} and {labels[j]} cannot be freed of noise ({known})")
        model = cls(true[1], true[2], true[0], reliability)
        # Two metrics can always differ by less than the most that is possible: that is simulated then.
        if not model.moved((1 - model.between) / 2).possible:
            raise ConfigError(f"no systems can have the taus of {names[0]}, {names[1]} and the measure")
        return model

    def correlations(self) -> Doubles:
        """(3, 3): sin(pi tau / 2). **Source:** Greiner 1909."""
        a, b, between = self.tau_a, self.tau_b, self.between
        return np.sin(np.pi / 2 * np.array([[1, between, a], [between, 1, b], [a, b, 1]]))

    @property
    def possible(self) -> bool:
        """Whether any systems can have these taus."""
        return bool(np.linalg.eigvalsh(self.correlations())[0] >= 1e-9)

    def moved(self, difference: float) -> "Copula":
        """The same with tau_b lower than tau_a by a difference."""
        return replace(self, tau_b=self.tau_a - difference)

    def with_topics(self, more: float) -> "Copula":
        """The same with `more` times the topics."""
        *metrics, kept = self.reliability
        return replace(self, reliability=np.array([*metrics, kept / (kept + (1 - kept) / more)]))


def simulated(model: Copula, n: int, simulations: int, seed: int) -> tuple[Doubles, Doubles]:
    """Both metrics (simulations, 2, n) and the measure (simulations, n), as measured."""
    root = np.linalg.cholesky(model.correlations() + 1e-10 * np.eye(3))
    rng = np.random.default_rng([seed, n])
    # Truth and noise are drawn in the same order whatever is assumed, so that powers can be compared.
    truth = rng.normal(size=(simulations, n, 3)) @ root.T
    noise = rng.normal(size=truth.shape) * np.sqrt(1 / model.reliability - 1)
    seen = (truth + noise).swapaxes(1, 2)
    return seen[:, :-1], seen[:, -1]


def perm_systems_test(n: int, family: int, alpha: float, seed: int) -> Test:
    """`perm-systems`, as `differences` does it for n systems."""
    unit = np.arange(n)
    swaps = unit_swaps(n, max(SAMPLES, ceil(2 * family / alpha)), seed)

    def test(x: Doubles, y: Doubles) -> float:
        if n > EXHAUSTIVE:
            screened = gap(x[0], x[1], y, unit, alpha=alpha, swaps=swaps[:SCREEN]).p_value
            if not screened <= 4 * alpha:
                return screened
        return gap(x[0], x[1], y, unit, alpha=alpha, swaps=swaps).p_value

    return test


def power_of(model: Copula, n: int, test: Test, row: Power) -> float:
    """Share of simulations in which `test`, p times the family, calls the metrics different; Holm finds no fewer."""
    worlds = zip(*simulated(model, n, row.simulations, row.seed), strict=True)
    return sum(row.family * test(x, y) < row.alpha for x, y in worlds) / row.simulations


def smallest_difference(model: Copula, wanted: float, power: Callable[[Copula], float]) -> float:
    """The smallest difference in noise-free tau whose power is at least `wanted`; NaN where none that is possible is.

    Searched in steps of .02; tau between the metrics stays, so beyond some difference the taus are impossible together.
    """
    steps = [step for step in np.arange(STEP, 1.0 + model.tau_a, STEP) if model.moved(step).possible]
    found = _smallest_sufficient(steps, wanted, lambda step: power(model.moved(step))) if steps else inf
    return nan if found == inf else found


def _smallest_sufficient(tried: Sequence[float], wanted: float, power: Callable[[float], float]) -> float:
    """The first of rising numbers whose power is enough, by halving; inf where the last is not."""
    if power(tried[-1]) < wanted:
        return inf
    return float(tried[bisect_left(tried, True, hi=len(tried) - 1, key=lambda many: power(many) >= wanted)])


def _rows(model: Copula, differences: Sequence[float], row: Power) -> Iterator[Power]:
    @cache
    def test(n: int) -> Test:
        return perm_systems_test(n, row.family, row.alpha, row.seed)

    def power(moved: Copula, n: float = row.n_systems) -> float:
        return power_of(moved, int(n), test(int(n)), row)

    row = replace(row, smallest=smallest_difference(model, row.wanted, power))
    most = 1 - model.between
    for size in (*differences, *(() if min(differences) < most else (float(short(0.9 * most, 2)),))):
        moved = model.moved(size)
        if not moved.possible:
            bound = f"{row.metric_a} and {row.metric_b} differ by at most {fixed(most, 3)}"
            note = "; ".join(filter(None, (row.note, f"no systems can have these taus: {bound}")))
            yield replace(row, difference=size, note=note)
            continue
        now = power(moved)
        systems, topics = _smallest_sufficient(SYSTEMS, row.wanted, partial(power, moved)), nan
        if row.n_topics:
            more = lambda many, moved=moved: power(moved.with_topics(many / row.n_topics))  # noqa: E731
            topics = _smallest_sufficient(TOPICS, row.wanted, more)
        error = sqrt(now * (1 - now) / row.simulations)
        yield replace(row, difference=size, power=now, error=error, systems_needed=systems, topics_needed=topics)


def without_noise(tau: float, first: float, second: float) -> float:
    """tau of true values from that of measured ones and their reliabilities in [0, 1]; NaN where none is below 1.

    sin(pi tau / 2) / sqrt(first * second) is the correlation behind it. **Source:** Greiner 1909; Spearman 1904.
    """
    r = sin(pi / 2 * tau) / sqrt(first * second) if min(first, second) > 0 else inf
    return 2 / pi * asin(r) if abs(r) < 1 else nan


def reliabilities(evidence: Evidence, unit: Ints, seed: int = 0) -> tuple[Doubles, Doubles]:
    """Share of every metric's and measure's variance between units that is not segment or topic noise, in [0, 1].

    1 - noise variance / variance between units, both as in `ceiling`; 1 where segments or topics are unknown. Returns
    (metrics,), (measures,).
    """
    of_metrics = metric_errors(evidence, unit, seed)
    noises = {name: measure_noise(evidence, name) for name in evidence.measure_names}
    of_measures = {name: between_error(noise, unit) for name, noise in noises.items() if noise is not None}
    reliable_x = _reliability(evidence.metric_names, evidence.x, of_metrics, unit)
    return reliable_x, _reliability(evidence.measure_names, evidence.y, of_measures, unit)


def _reliability(names: Sequence[str], columns: Doubles, errors: Mapping[str, float], unit: Ints) -> Doubles:
    error = np.array([errors.get(name, 0.0) for name in names])
    spread = np.array([variance_between(column, unit) for column in columns])
    return np.asarray(np.clip(1 - error / np.where(spread > 0, spread, 1.0), 0.0, 1.0))
