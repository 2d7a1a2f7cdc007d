"""The frontier of cost and quality: what is on it, and what a run of engines writes."""

from math import nan
from pathlib import Path

from clirbench.files.tables import read_table
from clirbench.labs.models.priced import on_frontier
from tests.conftest import Cli


def test_the_frontier_is_what_nothing_else_beats() -> None:
    """By hand: best and twin are equal, so both; dear costs more than they for the same; poor costs more than cheap."""
    points = {"dear": (90, 0.6), "best": (80, 0.6), "poor": (30, 0.1), "server": (nan, 0.7), "twin": (80, 0.6),
              "cheap": (10, 0.4), "hole": (5, nan), "worse": (10, 0.3)}  # fmt: skip
    assert on_frontier(points) == {"cheap", "best", "twin"}


def test_a_run_of_engines_keeps_what_they_cost(small_texts: Path, tmp_path: Path, cli: Cli) -> None:
    keys = [f"folder={small_texts}", "systems=command", "+systems.commands.words='tr e a'", "topics.n=10"]
    keys += ["+systems.commands.letters={chain: [rev, 'tr q-z a-j']}", "measures=[RBO]", "metric=[BLEU]"]
    keys += [f"paths.cache={tmp_path / 'cache'}", "engine=serial"]
    for name in ("first", "again"):
        done = cli.succeed(*keys, f"hydra.run.dir={tmp_path / name}")
    assert "What does retrieval quality cost?\nOn the frontier is an engine " in done.stdout
    rows = {row["system"]: row for row in read_table(tmp_path / "first" / "frontier.tsv").records()}
    assert {name: float(row["seconds_per_million_words"]) > 0 for name, row in rows.items()} == {
        "words": True, "letters": True,
    }  # fmt: skip
    # A time is never the same twice: no table of the answer holds one, or a killed run would have other bytes.
    assert "seconds_per_million_words" not in read_table(tmp_path / "first" / "systems.tsv").header
    for name in ("systems.tsv", "frontier.tsv"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
