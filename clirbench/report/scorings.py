"""Other scorings of the same topics, in every run with rankings: tables `scorings` and, as a map, `scorings_map`."""

from collections.abc import Sequence
from math import isnan

from clirbench.pages.table import Table
from clirbench.result import Result
from clirbench.statistics.scorings import ScoringTau

TITLE = "Would other scorings of the same topics show the same?"


def scoring_tables(result: Result) -> list[Table]:
    """A map of taus, scorings by metrics, and its rows; nothing where people judged, or of score tables."""
    rows = result.scoring_taus
    if not rows:
        return []
    metrics = tuple(dict.fromkeys(row.metric for row in rows))
    tau = {(row.scoring, row.metric): row.tau for row in rows}
    scorings = dict.fromkeys(row.scoring for row in rows)
    wide = tuple((scoring, *(tau[scoring, metric] for metric in metrics)) for scoring in scorings)
    text = (
        "tau between groups under each scoring of the same topics; the last two are the measure itself on every other "
        "topic.",
        *(shown_sentence(metric, rows) for metric in metrics),
    )
    return [
        Table("scorings_map", TITLE, ("scoring", *metrics), wide, text),
        Table.of("scorings", "Other scorings, row by row", ScoringTau, rows, shown=0),
    ]


def shown_sentence(metric: str, rows: Sequence[ScoringTau]) -> str:
    """In how many scorings, and on how many halves of the topics, tau is shown to be above 0."""
    own = [row for row in rows if row.metric == metric and not isnan(row.tau)]
    others, parts = ([row.shown for row in own if row.half == half] for half in (False, True))
    return (
        f"{metric}: shown in {sum(others)} of {len(others)} other scorings, "
        f"and on {sum(parts)} of {len(parts)} halves of the topics."
    )
