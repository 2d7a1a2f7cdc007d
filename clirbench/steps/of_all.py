"""What is made of all systems together, or of the English side: the tau table, the decision, topics."""

from collections.abc import Sequence
from dataclasses import asdict, astuple, fields
from typing import Any

from clirbench.statistics.bootstrap import Bootstrap
from clirbench.statistics.correlation import KENDALL, correlate, reliabilities, with_corrections, with_intervals
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.model.decision import Decision, Pick, Standing, decided
from clirbench.statistics.units.belonging import Units
from clirbench.text import Text
from clirbench.topics.base import TopicSource
from clirbench.types import DocumentMap, Documents


def correlations(
    item: tuple[Evidence, Units],
    *,
    coefficients: Sequence[str],
    alpha: float,
    p_value: str,
    complete: bool,
    seed: int,
    intervals: Bootstrap | None,
    same_lines: bool,
) -> list[dict[str, Any]]:
    """(evidence, units) -> the fields of every row of correlations.tsv; without `intervals` no resampled ones.

    Kendall's tau is always among the coefficients: the answer is made from it. `same_lines`: see `without_noise`.
    """
    evidence, units = item
    rows = correlate(
        evidence.board,
        tuple(dict.fromkeys((*coefficients, KENDALL))),
        alpha=alpha,
        p_value=p_value,
        complete=complete,
        seed=seed,
        units=units,
        reliabilities=reliabilities(evidence),
    )
    if intervals is not None:
        rows = with_corrections(rows, evidence, units, same_lines=same_lines, seed=seed)
        rows = with_intervals(rows, evidence, intervals, complete, units)
    return [asdict(row) for row in rows]


def decision(item: tuple[Evidence, Units], *, measure: str, same_lines: bool, seed: int) -> dict[str, Any]:
    """(evidence, units) -> the fields of the `Decision` on a measure; `same_lines`: see `decided`."""
    found = decided(*item, measure, same_lines=same_lines, seed=seed)
    held = {field.name: getattr(found, field.name) for field in fields(found)}
    return held | {name: [asdict(row) for row in held[name]] for name in ("standings", "picks")}


def as_decision(held: dict[str, Any]) -> Decision:
    """The `Decision` with these fields."""
    standings = tuple(Standing(**row) for row in held["standings"])
    return Decision(**{**held, "standings": standings, "picks": tuple(Pick(**row) for row in held["picks"])})


def made_topics(item: tuple[Text, DocumentMap], *, source: TopicSource) -> list[tuple[Any, ...]]:
    """(text, document map) of the English side -> the fields of every `Topic` that `source` makes of it."""
    return [astuple(topic) for topic in source.topics(Documents(*item))]
