"""Paper components as the command line builds them."""

from collections.abc import Sequence

from hydra import compose, initialize_config_dir

from clirbench.configuration.building import build
from clirbench.configuration.composing import CONF
from clirbench.pages import Table
from clirbench.result import Result
from clirbench.scoreboard import Scoreboard


def tables(experiment: str, *overrides: str) -> Sequence[Table]:
    """The tables of `+experiment=NAME`, without the rest of the run."""
    with initialize_config_dir(str(CONF), version_base="1.3"):
        built = build(compose("config", overrides=[f"+experiment={experiment}", *overrides]))
    assert built.paper is not None
    return built.paper.tables(Result(built, Scoreboard((), ()), ()))


def verdicts(table: Table) -> dict[str, int]:
    """How many cells have each verdict."""
    found = [row[table.header.index("verdict")] for row in table.rows]
    return {verdict: found.count(verdict) for verdict in dict.fromkeys(found)}


def ours(table: Table, row: str, measure: str, metric: str) -> str:
    """Our cell, as the table shows it."""
    (found,) = (r for r in table.rows if r[:3] == (row, measure, metric))
    return str(found[table.header.index("ours")])
