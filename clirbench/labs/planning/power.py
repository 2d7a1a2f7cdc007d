"""`analysis=[power]`: how many systems and topics would show a difference between a run's two best metrics?"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations
from math import asin, inf, isnan, nan, pi, sin, sqrt

import numpy as np

from clirbench.errors import ConfigError
from clirbench.labs.planning.simulated import CopulaModel, Test, perm_systems_test, power_of, smallest_difference
from clirbench.pages import Table, fixed, short
from clirbench.report.facts import sizes
from clirbench.result import Result
from clirbench.statistics.agreement import taus
from clirbench.statistics.belonging import Units, units_of
from clirbench.statistics.ceiling import between_error, measure_noise, metric_errors, variance_between
from clirbench.statistics.grades import Evidence, panels
from clirbench.types import Doubles, Ints

POWER = (
    "How often the test of analysis=[differences], corrected by Holm over all pairs of metrics, would find a "
    "difference in noise-free tau between the two best metrics; and how many systems, or topics, would make it as "
    "likely as wanted. Simulated from a normal copula of metrics and measure, with the noise that resampling shows."
)
SYSTEMS = (8, 12, 16, 24, 32, 48, 64)
TOPICS = (25, 50, 100, 150, 250, 500, 1000, 2500)


@dataclass(frozen=True)
class Power:
    """How often the shipped test finds, after Holm over `family` pairs, that metric_a predicts better than metric_b.

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
    one system. Where the taus are impossible together, the two metrics are simulated alone; where they put the
    systems in one order, or their taus are impossible too, the next metric below is taken; if none will do, power is
    NaN. Metrics that agree with each other at tau_ab differ by at most 1 - tau_ab: where no size is below that, the
    largest that is possible is simulated besides. The note names what is impossible.
    None for fewer than 3 units or 2 metrics, and along training, where no difference is claimed.
    """
    part, _ = next(iter(panels(evidence)))
    units = units_of(evidence.board) if units is None else units
    if len(part.metric_names) < 2 or units.number < 3 or units.along_training or not len(part.systems):
        return []
    reliable_x, reliable_y = reliabilities(part, units.index, asked.seed)
    among = np.array([[taus(x, other, units.index)[0] for other in part.x] for x in part.x])
    rows: list[Power] = []
    for k, measure in enumerate(part.measure_names):
        seen = np.array([taus(x, part.y[k], units.index)[0] for x in part.x])
        known = np.flatnonzero(np.isfinite(seen))
        if len(known) < 2:
            continue
        order = np.argsort(-seen[known], kind="stable").tolist()
        reliability = np.append(reliable_x[known], reliable_y[k])
        names = tuple(part.metric_names[m] for m in known)
        template = Power(
            measure, names[order[0]], names[order[1]], nan, nan, asked.wanted, asked.alpha, nan, nan, nan, nan, nan,
            len(known) * (len(known) - 1) // 2, units.number, part.topics(measure), asked.simulations, asked.seed,
        )  # fmt: skip
        reasons = []
        for other in order[1:]:
            try:
                chosen = (order[0], other)
                plan, pair, note = _possible(
                    names, seen[known], among[np.ix_(known, known)], reliability, chosen, asked.differences
                )
                break
            except ConfigError as problem:
                reasons.append(str(problem))
        else:
            rows.append(replace(template, note=f"not simulated: {'; '.join(dict.fromkeys(reasons))}"))
            continue
        alone = ", so the two metrics are simulated alone" if note else ""
        note = "; ".join(dict.fromkeys(filter(None, (*reasons, note)))) + alone
        template = replace(template, metric_b=plan.names[pair[1]])
        if not units.independent:
            note = "; ".join(filter(None, (f"as many systems as units ({units.source})", note)))
        rows += _rows(plan, pair, asked.differences, replace(template, tau_a=float(plan.taus[pair[0]]), note=note))
    return rows


def _rows(plan: CopulaModel, pair: tuple[int, int], sizes: Sequence[float], row: Power) -> Iterator[Power]:
    a, b = pair
    how = {"alpha": row.alpha, "simulations": row.simulations, "seed": row.seed}

    def power(moved: CopulaModel, n: int = row.n_systems) -> float:
        return power_of(moved, pair, n, test(n), **how)  # type: ignore[arg-type]

    def with_topics(moved: CopulaModel, many: int) -> float:
        return power(_with(moved, many / row.n_topics))

    @cache
    def test(n: int) -> Test:
        return perm_systems_test(n, plan.family, row.alpha, row.seed)

    row = replace(row, smallest=smallest_difference(plan, pair, row.wanted, power))
    most = 1 - float(plan.among[a, b])
    for size in (*sizes, *(() if min(sizes) < most else (float(short(0.9 * most, 2)),))):
        moved = plan.moved(b, float(plan.taus[a]) - size)
        if impossible := moved.impossible:
            if size >= most:
                both = f"{plan.names[a]} and {plan.names[b]}, whose tau is {fixed(1 - most, 3)}"
                impossible = f"{both}, differ by at most {fixed(most, 3)}: no larger difference is simulated"
            yield replace(row, difference=size, note="; ".join(filter(None, (row.note, impossible))))
            continue
        now = power(moved)
        systems = _smallest_sufficient(SYSTEMS, row.wanted, partial(power, moved))
        topics = nan
        if row.n_topics:
            topics = _smallest_sufficient(TOPICS, row.wanted, partial(with_topics, moved))
        error = sqrt(now * (1 - now) / row.simulations)
        yield replace(row, difference=size, power=now, error=error, systems_needed=systems, topics_needed=topics)


def _smallest_sufficient(tried: Sequence[int], wanted: float, power: Callable[[int], float]) -> float:
    """The first of rising numbers whose power is enough, by halving; inf where the last is not."""
    if power(tried[-1]) < wanted:
        return inf
    return tried[bisect_left(tried, True, hi=len(tried) - 1, key=lambda many: power(many) >= wanted)]


def _with(plan: CopulaModel, more: float) -> CopulaModel:
    """The plan with `more` times the topics."""
    kept = plan.reliability[-1]
    return replace(plan, reliability=np.append(plan.reliability[:-1], kept / (kept + (1 - kept) / more)))


def _possible(
    names: tuple[str, ...],
    seen: Doubles,
    among: Doubles,
    reliability: Doubles,
    pair: tuple[int, int],
    sizes: Sequence[float],
) -> tuple[CopulaModel, tuple[int, int], str]:
    """The plan of all metrics, or of the two alone with the reason; raises `ConfigError` where they are impossible."""
    k, reasons = len(names), list[str]()
    full = np.vstack([np.column_stack([among, seen]), [*seen, 1.0]])
    for chosen in (list(range(k)), list(pair)):
        a, b = (chosen.index(metric) for metric in pair)
        at = [*chosen, k]
        labels = [names[metric] for metric in chosen]
        try:
            true = _true_taus([*labels, "the measure"], full[np.ix_(at, at)], reliability[at])
        except ConfigError as problem:
            reasons.append(str(problem))
            continue
        plan = CopulaModel(tuple(labels), true[-1, :-1], true[:-1, :-1], reliability[at], k * (k - 1) // 2)
        # Two alone can always differ by less than the most that is possible: that is simulated then.
        tried = sizes if len(chosen) > 2 else ((1 - true[a, b]) / 2,)
        impossible = [plan.moved(b, float(plan.taus[a]) - size).impossible for size in tried]
        if all(impossible):
            reasons.append(impossible[0])
            continue
        return plan, (a, b), next(iter(reasons), "")
    raise ConfigError(reasons[-1])


def _true_taus(labels: Sequence[str], seen: Doubles, reliability: Doubles) -> Doubles:
    """Of every two columns, freed of noise; raises `ConfigError` that names two of which that is not possible."""
    true = np.eye(len(labels))
    for i, j in combinations(range(len(labels)), 2):
        tau = without_noise(float(seen[i, j]), reliability[i], reliability[j])
        if isnan(tau) and seen[i, j] > 1 - 1e-9:
            raise ConfigError(f"{labels[i]} and {labels[j]} put all systems in one order (tau 1)")
        if isnan(tau):
            known = f"{fixed(seen[i, j], 3)}, reliabilities {fixed(reliability[i], 2)} and {fixed(reliability[j], 2)}"
            raise ConfigError(f"the tau of {labels[i]} and {labels[j]} cannot be freed of noise ({known})")
        true[i, j] = true[j, i] = tau
    return true


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
    noises = {name: measure_noise(evidence, unit, name) for name in evidence.measure_names}
    of_measures = {name: between_error(noise.covariance, unit) for name, noise in noises.items() if noise}
    return (
        _reliability(evidence.metric_names, evidence.x, of_metrics, unit),
        _reliability(evidence.measure_names, evidence.y, of_measures, unit),
    )


def _reliability(names: Sequence[str], columns: Doubles, errors: Mapping[str, float], unit: Ints) -> Doubles:
    error = np.array([errors.get(name, 0.0) for name in names])
    spread = np.array([variance_between(column, unit) for column in columns])
    return np.asarray(np.clip(1 - error / np.where(spread > 0, spread, 1.0), 0.0, 1.0))
