"""What other collections say of a run's metrics, in its report; its grades rest on its own evidence alone.

It joins every run (conf/joining.yaml), and with `analysis=[memory]` it also says why it cannot compare a run.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np

from clirbench.labs.memory.kept import ENGLISH, FEWEST, PRIMARY, Memory, group_of, memory
from clirbench.labs.memory.taus import Taus
from clirbench.pages.table import Table
from clirbench.pages.wording import listed, number
from clirbench.result import Result
from clirbench.scoreboard import Column
from clirbench.types import Doubles

RANGE = (0.1, 0.9)
"""Quantiles of the memory within which a run's size and spread must lie to be taken together with it."""


HIGHEST = 0.7
"""Beyond this tau of other collections the interval of both together holds too little (.86 of worlds at .83)."""


@dataclass(frozen=True)
class Remembered:
    """A metric's `tau` between the run's `groups`; `others`, the median of `collections`, with the interval that holds
    90 % of them; `together` with its 95 % interval; `note`: why there is no `together`."""

    metric: str
    tau: float
    groups: int
    others: float
    others_low: float
    others_high: float
    collections: int
    together: float = nan
    together_low: float = nan
    together_high: float = nan
    note: str = ""


@dataclass(frozen=True)
class MemoryAnalysis:
    """What do other collections say? Table `memory`.

    `unasked`: the run did not ask for it, so a run that cannot be compared has no table, and the terminal shows none.
    """

    unasked: bool = False

    def tables(self, result: Result) -> Sequence[Table]:
        why = _not_comparable(result)
        if why and self.unasked:
            return ()
        languages = result.experiment.languages
        kept, group = memory(), ENGLISH if languages is None else group_of(languages.target)
        left_out = kept.sharing(result.inputs.corpus.test.references) if result.inputs else frozenset()
        rows = [] if why else list(_rows(kept, group, left_out, result))
        if not rows and self.unasked:
            return ()
        if not why and not rows:
            why = f"The memory has no metric of this run {group}."
        text = [why] if why else list(_sentences(rows, group, kept, left_out))
        table = Table.of("memory", "What do other collections say?", Remembered, rows, text)
        return (replace(table, aside=self.unasked),)


def _measure(result: Result) -> Column | None:
    """The measure that the memory has, if the run has it."""
    return next((column for column in result.board.measures if column.name == PRIMARY), None)


def _not_comparable(result: Result) -> str:
    measure = _measure(result)
    if measure is None:
        return f"The memory has {PRIMARY} alone, which this run has not."
    if measure.declared.get("judged_by") != "pseudo-relevance" or measure.declared.get("lexical_model") != "BM25":
        return f"The memory has {PRIMARY} of BM25 against the reference side's own ranking, and this run has another."
    return ""


def _rows(kept: Memory, group: str, left_out: frozenset[str], result: Result) -> Iterator[Remembered]:
    own = {row.metric: row for row in result.correlations if (row.measure, row.coefficient) == (PRIMARY, "kendall")}
    for metric in result.board.metrics:
        known = {
            name: one
            for name, one in kept.taus.get(metric.name, {}).items()
            if name not in left_out and group_of(kept.collections[name].pair) == group
        }
        taus = Taus(tuple(known.values()))
        row = own.get(metric.name)
        if row is None or np.isnan(row.value) or len(taus.clusters) < FEWEST:
            continue
        low, middle, high = taus.another(row.groups)
        note = _outside(taus, row.groups, float(np.std(metric.values, ddof=1)))
        found = (nan, nan, nan) if note else taus.together(row.value, row.groups)
        count = len({kept.collections[name].collection for name in known})
        yield Remembered(
            metric.name, row.value, row.groups, middle, low, high, count, found[1], found[0], found[2], note
        )


def _outside(taus: Taus, groups: int, spread: float) -> str:
    """Why a run is not like the memory's collections."""
    if abs(taus.another(groups)[1]) > HIGHEST:
        return f"their tau is beyond {number(HIGHEST)}, where the interval of both is too narrow"
    # Numbers of systems that were seen: between two of them, the end would be printed as one that it leaves out.
    sizes: Doubles = np.quantile([one.systems for one in taus.observed], RANGE, method="inverted_cdf")
    spreads: Doubles = np.quantile([one.spread for one in taus.observed], RANGE)
    if not sizes[0] <= groups <= sizes[1]:
        return f"{groups} systems; the memory's collections have {sizes[0]:.0f} to {sizes[1]:.0f}"
    if not spreads[0] <= spread <= spreads[1]:
        low, high = (number(one, 2) for one in spreads)
        return f"its values have a standard deviation of {number(spread, 2)}; the memory's, {low} to {high}"
    return ""


def _sentences(rows: Sequence[Remembered], group: str, kept: Memory, left_out: frozenset[str]) -> Iterator[str]:
    for row in rows:
        text = (
            f"{row.metric}: tau {number(row.others)} in {row.collections} other collections {group} "
            f"(90 % of collections {number(row.others_low)} to {number(row.others_high)})"
        )
        if row.note:
            yield f"{text}; not taken together with this run: {row.note}."
        else:
            interval = f"[{number(row.together_low)}, {number(row.together_high)}]"
            yield f"{text}; together with this run {number(row.together)} {interval}."
    if left_out:
        yield f"Left out, because they share a reference with this run: {listed(sorted(left_out))}."
    yield f"Other collections: WMT 2021 to 2023, {PRIMARY}, BM25. They change no grade."
